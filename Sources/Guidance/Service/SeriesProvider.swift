package import Foundation
import HubKit

/// Where a venue's prices or carbon figures come from.
package protocol SeriesProvider: Sendable {
    /// Its name for people and in what is kept of a guidance.
    var name: String { get }

    /// What it knows of a span of time.
    /// - Throws: what kept it from answering, with a retry class where it knows one.
    func series(covering range: Range<Date>) async throws -> EnergySeries
}

/// A series in a file of the hub's own form, read again when the file changes.
package actor FileSeries: SeriesProvider {
    package nonisolated let name: String
    private let file: URL
    private var kept: (changed: Date?, series: EnergySeries)?

    /// Names a file; it is read at the first call.
    package init(_ file: URL) {
        self.file = file
        name = file.lastPathComponent
    }

    package func series(covering range: Range<Date>) throws -> EnergySeries {
        let changed = try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
        if let kept, kept.changed == changed { return kept.series.clipped(to: range) }
        let series = try FileSeries.read(file)
        kept = (changed, series)
        return series.clipped(to: range)
    }

    /// Reads a file.
    /// - Throws: `SeriesFault` that names file, slot and remedy, or `HubError` when it can't be read at all.
    package static func read(_ file: URL) throws -> EnergySeries {
        try EnergySeries(json: try SeriesFileCheck.content(of: file), file: file.path)
    }
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

    package func series(covering range: Range<Date>) throws -> EnergySeries {
        guard let start = series.start, period > 0 else { return series }
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
        return try EnergySeries(kind: series.kind, source: series.source, slots: slots).clipped(to: range)
    }
}
