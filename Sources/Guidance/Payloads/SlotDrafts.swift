import Foundation

/// The rows of a payload on their way to a series.
struct SlotDrafts {
    /// What the values are.
    let kind: EnergySeries.Kind
    /// The source's name.
    let source: String
    private var slots: [EnergySeries.Slot] = []

    init(kind: EnergySeries.Kind, source: String) {
        self.kind = kind
        self.source = source
    }

    /// Adds a row; a value that is nil is a gap.
    mutating func add(_ start: Date, _ end: Date, _ value: Double?) {
        if let value { slots.append(.init(start: start, end: end, value: value)) }
    }

    /// Adds rows that say only when they begin.
    ///
    /// A row's end is the next row's start, except across a hole: where the step to the next row is longer than both the step before
    /// and the step after it, or longer than an hour, the row is as long as the one before. The last row is as long as the one before it.
    mutating func add(points: [(start: Date, value: Double?)], lastSeconds: Double = 3600) {
        let points = points.sorted { $0.start < $1.start }
        var steps = zip(points, points.dropFirst()).map { $1.start.timeIntervalSince($0.start) }
        for index in steps.indices {
            let before = index > 0 ? steps[index - 1] : nil
            let after = index + 1 < steps.count ? steps[index + 1] : nil
            let isHole = before.map { $0 < steps[index] } ?? false && after.map { $0 < steps[index] } ?? false
            if isHole || steps[index] > 3600 { steps[index] = min(before ?? after ?? lastSeconds, 3600) }
        }
        for (index, point) in points.enumerated() {
            let seconds = index < steps.count ? steps[index] : steps.last ?? lastSeconds
            // A repeat of an instant has no length; the series decides whether both say the same.
            let length = seconds > 0 ? seconds : steps.first { $0 > 0 } ?? lastSeconds
            add(point.start, point.start.addingTimeInterval(length), point.value)
        }
    }

    /// The rows as a series.
    func series() throws(SeriesFault) -> EnergySeries { try EnergySeries(kind: kind, source: source, slots: slots) }
}

/// Reads local times without offset, in the order of a payload.
///
/// A time that the clock shows twice is the first of the two not before the row before it.
struct LocalTimeReader {
    private let clock: LocalClock

    /// - Throws: `PayloadError` when no zone is told.
    init(options: PayloadOptions, usual: String) throws(PayloadError) {
        guard let zone = options.timeZone ?? TimeZone(identifier: usual) else {
            throw PayloadError(
                .argumentNeeded, "the times have no offset and the zone \(usual) is not known here",
                remedy: "install the time zone data or tell the zone")
        }
        clock = LocalClock(zone: zone)
    }

    /// The instant of a text, the first one not before `earliest`.
    func instant(_ text: String, notBefore earliest: Date?) throws(PayloadError) -> Date {
        guard let read = InstantText(text) else { throw .malformed("'\(text)' is no time") }
        if let instant = read.instant { return instant }
        let candidates = clock.instants(showing: read.wallSeconds)
        guard let found = candidates.first(where: { $0 >= earliest ?? .distantPast }) ?? candidates.last else {
            throw .malformed("the clocks of \(clock.zone.identifier) never show \(text)")
        }
        return found
    }
}
