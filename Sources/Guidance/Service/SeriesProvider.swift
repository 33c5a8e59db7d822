package import Foundation

/// Where a venue's prices, carbon figures or solar forecast come from.
package protocol SeriesProvider: Sendable {
    /// Its name for people and in what is kept of a guidance.
    var name: String { get }

    /// The names of all sources that it is made of.
    var sourceNames: [String] { get }

    /// What it knows of a span of time, and how sure that is; answers from what is at hand and never waits for a provider.
    func delivery(covering range: Range<Date>) async -> Delivery
}

extension SeriesProvider {
    /// Its own name.
    package var sourceNames: [String] { [name] }
}

/// What a source has to say right now.
package struct Delivery: Sendable {
    /// The figures, nil when there are none at all.
    package var series: EnergySeries?
    /// When they were fetched, nil where they do not age.
    package var fetchedAt: Date?
    /// Since when the source does not answer as it should.
    package var staleSince: Date?
    /// What is wrong with it, by the name of the source; figures may be there all the same.
    package var faults: [String: PayloadError]

    /// Makes a delivery.
    package init(
        series: EnergySeries? = nil, fetchedAt: Date? = nil, staleSince: Date? = nil,
        faults: [String: PayloadError] = [:]
    ) {
        self.series = series
        self.fetchedAt = fetchedAt
        self.staleSince = staleSince
        self.faults = faults
    }
}

/// A source with a life of its own: it watches its provider and says when something is new.
package protocol WatchedSource: SeriesProvider {
    /// The name that its memory and figures are kept under, no other's.
    var shelfName: String { get }

    /// Reads what was kept before a restart.
    func start() async

    /// Watches until the task is cancelled.
    func run() async

    /// Something for each time that the figures, or what is wrong with them, changed.
    func changes() async -> AsyncStream<Void>

    /// How it is doing.
    func status() async -> SourceStatus
}

extension WatchedSource {
    /// Its own name, as configurations have it once only.
    package var shelfName: String { name }
}

/// A recorded series that is played again and again, for a demo that runs longer than the recording.
package struct RepeatingSeries: SeriesProvider {
    package let name: String
    private let series: EnergySeries
    private let period: Double

    /// Repeats a series.
    /// - Parameters:
    ///   - series: what was recorded; it has no gap at its end.
    ///   - name: its name for people.
    ///   - period: after how many seconds it begins again.
    package init(_ series: EnergySeries, name: String, period: Double) {
        self.series = series
        self.name = name
        self.period = period
    }

    package func delivery(covering range: Range<Date>) -> Delivery {
        guard let start = series.start, period > 0 else { return Delivery(series: series) }
        let first = Int(((range.lowerBound.timeIntervalSince(start)) / period).rounded(.down))
        let last = Int(((range.upperBound.timeIntervalSince(start)) / period).rounded(.down))
        var slots: [EnergySeries.Slot] = []
        for turn in first...max(first, last) {
            let shift = Double(turn) * period
            slots += series.slots.map {
                EnergySeries.Slot(
                    start: $0.start.addingTimeInterval(shift), end: $0.end.addingTimeInterval(shift), value: $0.value)
            }
        }
        let all = try? EnergySeries(kind: series.kind, source: series.source, slots: slots)
        return Delivery(series: all?.clipped(to: range))
    }
}
