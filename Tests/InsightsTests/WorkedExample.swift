import EnergyKit
import Foundation
import Insights
import Testing

/// An example with the answer worked by hand, in the form that examples are exchanged in.
struct WorkedExample: Decodable {
    struct Guidance: Decodable {
        struct Slot: Decodable {
            var start: Date
            var end: Date
            var rating: Double
        }
        var token: String
        var slots: [Slot]
    }

    struct Peak: Decodable {
        var start: Date
        var end: Date
        var peak: String
    }

    struct Event: Decodable {
        var session: String
        var t: Date
        var state: String
        var wh: Double
        var token: String?
        var direction: String?
    }

    struct Expected: Decodable {
        var total: [String: Double]
        var cleanliness: [String: Double]
        var tariff: [String: Double]
        var days: [String: Double]
    }

    var title: String
    var timeZone: String
    var cleanerBelowRating: Double
    var guidance: [Guidance]
    var tariff: [Peak]
    var events: [Event]
    var expected: Expected

    static func read(_ json: Data) throws -> WorkedExample {
        try EnergyKitJSON.decoder().decode(WorkedExample.self, from: json)
    }

    /// The examples that come with the project's design, where they are at hand.
    static let shared: [URL] = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("shared/data/insights")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: candidate.path)) ?? []
            let examples = names.filter { $0.hasSuffix(".json") }.sorted()
            if !examples.isEmpty { return examples.map { candidate.appendingPathComponent($0) } }
        }
        return []
    }()
}

extension WorkedExample {
    /// The events in the order they stand in.
    var samples: [LoadSample] {
        events.enumerated().map { index, event in
            LoadSample(
                session: .named(event.session), at: Instant(event.t),
                state: event.state == "begin" ? .begin : event.state == "end" ? .end : .active,
                flow: event.direction == "exported" ? .exported : .imported,
                milliwattHours: LoadSample.whole(event.wh), isRunning: false, token: event.token.map { .named($0) },
                sequence: Int64(index))
        }
    }

    /// Carbon of the quoted guidance and the tariff side by side; the examples keep the two apart.
    func timeline(_ token: UUID?) -> ClassTimeline {
        let slots = guidance.first { .named($0.token) == token }?.slots ?? []
        let edges = Set(slots.flatMap { [$0.start, $0.end] } + tariff.flatMap { [$0.start, $0.end] }).sorted()
        return ClassTimeline(
            zip(edges, edges.dropFirst()).map { start, end in
                let rating = slots.first { $0.start <= start && start < $0.end }?.rating
                return ClassTimeline.Slot(
                    start: Instant(start), end: Instant(end),
                    cleanliness: rating.map { $0 < cleanerBelowRating ? .cleaner : .lessClean } ?? .unknown,
                    tariff: PeakClass(name: tariff.first { $0.start <= start && start < $0.end }?.peak))
            })
    }

    /// The tally of all days that the events touch.
    func tally(_ flow: ElectricityFlowDirection, order: [LoadSample]? = nil) throws -> InsightTally {
        let zone = try #require(TimeZone(identifier: timeZone))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let first = calendar.startOfDay(for: try #require(events.map(\.t).min()))
        let last = try #require(events.map(\.t).max()).addingTimeInterval(1)
        let edges = try #require(
            BucketCalendar(zone).edges(of: DateInterval(start: first, end: last), .daily))
        var tally = InsightTally(edges: edges, measure: .energy, flow: flow)
        for stretch in SessionSplitter.stretches(of: order ?? samples) {
            tally.add(stretch, timeline(stretch.token))
        }
        return tally
    }
}

extension UUID {
    /// The same identifier for the same short name.
    static func named(_ name: String) -> UUID {
        var bytes = Array(name.utf8.prefix(16))
        bytes += [UInt8](repeating: 0, count: 16 - bytes.count)
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
