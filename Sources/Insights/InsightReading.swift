import EnergyKit
import Foundation
import HubKit
import Storage

/// One walk through the events of a device and range.
struct InsightReading {
    private let store: HubStore
    private let device: DeviceInVenue
    private let range: DateInterval
    private let pageSize: Int
    private let needsClasses: Bool
    private var splitter = SessionSplitter()
    private var timelines: [UUID: ClassTimeline] = [:]
    private(set) var tally: InsightTally

    private static let keptTimelines = 64

    init(
        store: HubStore, device: DeviceInVenue, range: DateInterval, needsClasses: Bool, pageSize: Int,
        tally: InsightTally
    ) {
        self.store = store
        self.device = device
        self.range = range
        self.needsClasses = needsClasses
        self.pageSize = pageSize
        self.tally = tally
    }

    /// The time in which a device was recorded; `nil` where it never was.
    static func span(of device: DeviceInVenue, _ store: HubStore) async throws -> RecordedSpan? {
        guard let span = try await store.recordedSpan(of: device) else { return nil }
        var measuresEnergy = false
        if case .electricVehicle = try await store.newestLoadEvent(of: device)?.event { measuresEnergy = true }
        return RecordedSpan(first: Instant(span.start), last: Instant(span.end), measuresEnergy: measuresEnergy)
    }

    /// Reads everything that falls into the range and adds it up.
    mutating func read() async throws {
        // Of the sessions begun before the range only the latest can count in it: it cut all others.
        let carried = try await store.latestSession(of: device, before: range.start)
        if let carried, let sample = LoadSample(carried) { try await take(sample) }
        var place: EventPlace?
        repeat {
            try Task.checkCancellation()
            let page = try await store.loadEvents(
                of: device, in: range, carrying: carried?.event.sessionID, after: place, limit: pageSize)
            for stored in page.events {
                if let sample = LoadSample(stored) { try await take(sample) }
            }
            place = page.next
        } while place != nil
        try await add(splitter.finish())
        try await readBeyondTheEnd()
    }

    /// What flowed before the range's end is known only by the next event of each session that is under way.
    private mutating func readBeyondTheEnd() async throws {
        var next: [LoadSample] = []
        for session in splitter.openSessions {
            guard let stored = try await store.nextLoadEvent(of: session, from: range.end) else { continue }
            if let sample = LoadSample(stored) { next.append(sample) }
        }
        for sample in next.sorted(by: { $0.at < $1.at }) { try await take(sample) }
        try await add(splitter.finish())
    }

    private mutating func take(_ sample: LoadSample) async throws { try await add(splitter.add(sample)) }

    private mutating func add(_ stretches: [Stretch]) async throws {
        for stretch in stretches where tally.concerns(stretch) {
            tally.add(stretch, try await timeline(stretch))
        }
    }

    private mutating func timeline(_ stretch: Stretch) async throws -> ClassTimeline {
        guard needsClasses, !stretch.isSilent, let token = stretch.token else { return .unknown }
        if let known = timelines[token] { return known }
        let timeline = try await store.guidance(token: token).map { ClassTimeline($0) } ?? .unknown
        if timelines.count >= Self.keptTimelines { timelines.removeAll(keepingCapacity: true) }
        timelines[token] = timeline
        return timeline
    }
}
