package import Foundation

/// The last good figures of a source: new ones are laid over old ones, and only what ratings look at is kept.
package struct KeptSeries: Sendable, Equatable {
    /// How far back figures are kept, in seconds: the week that ratings look at and a day more.
    package static let historySeconds = 8.0 * 86_400
    /// How far ahead figures are asked for, in seconds.
    package static let aheadSeconds = 3.0 * 86_400

    /// What is known, nil before the first good answer.
    package private(set) var series: EnergySeries?

    /// Keeps a series, or nothing yet.
    package init(_ series: EnergySeries? = nil) { self.series = series }

    /// Lays new figures over those that are there.
    ///
    /// The new ones win where both have a value (yesterday's forecast is today's past); figures of another currency or way of reckoning take
    /// the place of all that was there.
    /// - Parameters:
    ///   - fresh: the new figures.
    ///   - currency: the currency that prices must be in, nil for any.
    ///   - now: the present.
    /// - Returns: whether anything is another than before.
    /// - Throws: `PayloadError` when the new figures are not to be believed; what was there stays (G-8).
    package mutating func take(
        _ fresh: EnergySeries, currency: String? = nil, now: Date
    ) throws(PayloadError) -> Bool {
        try fresh.checkIsUsable(currency: currency, now: now)
        let span = Self.span(at: now)
        let merged = series.flatMap { $0.kind == fresh.kind ? $0.merged(with: fresh) : nil } ?? fresh
        let kept = merged.clipped(to: span)
        guard kept != series else { return false }
        series = kept
        return true
    }

    /// Puts figures that were looked over in the place of all that was there.
    /// - Returns: whether anything is another than before.
    mutating func replace(with fresh: EnergySeries) -> Bool {
        defer { series = fresh }
        return series != fresh
    }

    /// The span that is kept around a moment; its edges fall on full hours, so that time alone changes nothing within one.
    package static func span(at now: Date) -> Range<Date> {
        let hour = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        return hour.addingTimeInterval(-historySeconds)..<hour.addingTimeInterval(aheadSeconds + 86_400)
    }

    /// Until when figures reach without a hole from now on; nil when nothing is known of now.
    package func knownUntil(from now: Date) -> Date? { series?.coverage.first { $0.contains(now) }?.upperBound }

    /// Until when there are figures at all.
    package var end: Date? { series?.end }
}

/// The form on disk: what the values are, and `[start, end, value]` for each slot.
extension KeptSeries: Codable {
    private struct Form: Codable {
        var kind: String
        var unit: String
        var method: EnergySeries.CarbonMethod?
        var source: String
        var slots: [[Double]]
    }

    /// Reads the form on disk.
    package init(from decoder: any Decoder) throws {
        let form = try Form(from: decoder)
        let unit = try SeriesUnit(form.unit, kind: form.kind, method: form.method ?? .average)
        let slots = try form.slots.map { numbers -> EnergySeries.Slot in
            guard numbers.count == 3 else { throw SeriesFault(.malformed("a slot has not three numbers")) }
            return EnergySeries.Slot(
                start: Date(timeIntervalSince1970: numbers[0]), end: Date(timeIntervalSince1970: numbers[1]),
                value: numbers[2])
        }
        self.init(try EnergySeries(kind: unit.kind, source: form.source, slots: slots))
    }

    /// Writes the form on disk; there must be a series.
    package func encode(to encoder: any Encoder) throws {
        guard let series else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "nothing is kept"))
        }
        var method: EnergySeries.CarbonMethod?
        if case .carbon(let how) = series.kind { method = how }
        let slots = series.slots.map { [$0.start.timeIntervalSince1970, $0.end.timeIntervalSince1970, $0.value] }
        try Form(
            kind: series.kind.name, unit: series.kind.unit, method: method, source: series.source, slots: slots
        ).encode(to: encoder)
    }
}
