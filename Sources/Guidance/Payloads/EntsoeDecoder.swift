package import Foundation

/// ENTSO-E's day-ahead prices, document A44, curve types A01 and A03.
///
/// One of several TimeSeries for the same time is chosen before anything is merged: day-ahead (A01) before other agreements, the lowest auction
/// sequence, and of two resolutions the finer. If only a later auction is there it is served as a substitute, and the source's name says so (G-12).
package struct EntsoeDecoder: PayloadDecoder {
    /// `entsoe`.
    package let name = "entsoe"
    /// Also `entso-e`.
    package let aliases = ["entso-e"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes a document; several days and resolutions in it are all kept (G-13).
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let root = try XMLTree.parse(bytes)
        if root.name == "Acknowledgement_MarketDocument" { throw Self.refusal(root) }
        guard root.name == "Publication_MarketDocument" else {
            throw PayloadError.malformed("the document is a \(root.name), not a Publication_MarketDocument")
        }
        var room = EntsoePeriod.mostPositions
        let series = try root.all("TimeSeries").map { element throws(PayloadError) in
            try EntsoeTimeSeries(element, room: &room)
        }
        let area = try chooseArea(options.area, among: Set(series.map(\.area)))
        let (chosen, sequence) = Self.chooseAuction(series.filter { $0.area == area })
        guard let currency = chosen.first?.currency else { throw PayloadError.nothing("the document holds no prices") }
        guard chosen.allSatisfy({ $0.currency == currency }) else {
            throw PayloadError.malformed("the prices are in more than one currency")
        }
        let source = sequence > 1 ? "\(name) (auction \(sequence))" : name
        var drafts = SlotDrafts(kind: .price(currency: currency), source: source)
        for period in Self.finest(chosen.flatMap(\.periods)) {
            for slot in period.slots { drafts.add(slot.start, slot.end, slot.value / 1000) }
        }
        return try drafts.series()
    }

    /// What an acknowledgement means; its code 999 stands for anything, so that its words have to be read.
    private static func refusal(_ root: XMLTree) -> PayloadError {
        let reason = root.first("Reason")
        let text = reason?.value("text") ?? "no reason is given"
        let words = text.lowercased()
        func says(_ phrases: String...) -> Bool { phrases.contains { words.contains($0) } }
        if says("unauthori", "token", "forbidden", "access denied", "not authenticated") {
            return PayloadError(.permissionDenied, text, remedy: "check the security token")
        }
        if says("max allowed requests", "too many requests") {
            return PayloadError(.rateLimitExceeded, text, remedy: "wait")
        }
        if reason?.value("code") == "999", reason?.value("text") == nil || says("no matching data", "no data") {
            return .nothing(text)
        }
        return PayloadError(.serviceUnavailable, text, remedy: "mend the query, or try again later")
    }

    private static func chooseAuction(_ series: [EntsoeTimeSeries]) -> (chosen: [EntsoeTimeSeries], sequence: Int) {
        let dayAhead = series.filter { $0.agreement == "A01" }
        let candidates = dayAhead.isEmpty ? series : dayAhead
        let sequence = candidates.map(\.sequence).min() ?? 1
        return (candidates.filter { $0.sequence == sequence }, sequence)
    }

    /// Leaves out the periods that share time with one of a finer resolution.
    private static func finest(_ periods: [EntsoePeriod]) -> [EntsoePeriod] {
        var kept: [EntsoePeriod] = []
        for period in periods.sorted(by: { $0.stepSeconds < $1.stepSeconds }) {
            let isCovered = kept.contains { $0.stepSeconds < period.stepSeconds && $0.range.overlaps(period.range) }
            if !isCovered { kept.append(period) }
        }
        return kept
    }
}

/// One TimeSeries of a document.
struct EntsoeTimeSeries {
    let area: String
    let agreement: String
    let sequence: Int
    let currency: String
    let periods: [EntsoePeriod]

    /// - Parameter room: how many positions the document may still lay out.
    init(_ element: XMLTree, room: inout Int) throws(PayloadError) {
        area = element.value("out_Domain.mRID") ?? element.value("in_Domain.mRID") ?? "?"
        agreement = element.value("contract_MarketAgreement.type") ?? "A01"
        let position = element.value("classificationSequence_AttributeInstanceComponent.position")
        sequence = position.flatMap { Int($0) } ?? 1
        currency = element.value("currency_Unit.name") ?? "EUR"
        if let unit = element.value("price_Measure_Unit.name"), unit.uppercased() != "MWH" {
            throw .malformed("the prices are per \(unit), not per MWh")
        }
        let fills = element.value("curveType") == "A03"
        var periods: [EntsoePeriod] = []
        for period in element.all("Period") {
            periods.append(try EntsoePeriod(period, fillsForward: fills, room: &room))
        }
        self.periods = periods
    }
}

/// One Period: its points laid out over its time interval by their position (G-11).
struct EntsoePeriod {
    let range: Range<Date>
    let stepSeconds: Double
    let slots: [EnergySeries.Slot]

    /// A year of quarter-hours in both auctions, and some more: a few bytes may name a thousand years of minutes.
    static let mostPositions = 100_000

    /// - Parameter room: how many positions the document may still lay out.
    init(_ element: XMLTree, fillsForward: Bool, room: inout Int) throws(PayloadError) {
        guard let interval = element.first("timeInterval"), let startText = interval.value("start"),
            let endText = interval.value("end")
        else { throw .malformed("a period has no time interval") }
        let (start, end) = (try payloadInstant(startText), try payloadInstant(endText))
        guard start < end else { throw .malformed("a period ends at \(endText), not after its start \(startText)") }
        let resolution = element.value("resolution") ?? ""
        guard let step = isoDurationSeconds(resolution) else {
            throw .malformed("the resolution '\(resolution)' is not known")
        }
        let positions = (end.timeIntervalSince(start) / step).rounded()
        guard positions * step == end.timeIntervalSince(start) else {
            throw .malformed("the period from \(startText) is no multiple of \(resolution)")
        }
        guard positions <= Double(room) else {
            throw .malformed(
                "with \(resolution) from \(startText) to \(endText) the document holds more than \(Self.mostPositions) prices"
            )
        }
        let count = Int(positions)
        room -= count
        let prices = try Self.prices(element.all("Point"), upTo: count)
        range = start..<end
        stepSeconds = step
        var slots: [EnergySeries.Slot] = []
        var last: Double?
        for position in 1...count {
            last = prices[position] ?? (fillsForward ? last : nil)
            guard let last else { continue }
            let from = start.addingTimeInterval(Double(position - 1) * step)
            slots.append(.init(start: from, end: from.addingTimeInterval(step), value: last))
        }
        self.slots = slots
    }

    private static func prices(_ points: [XMLTree], upTo count: Int) throws(PayloadError) -> [Int: Double] {
        var prices: [Int: Double] = [:]
        for point in points {
            guard let position = point.value("position").flatMap({ Int($0) }), (1...count).contains(position) else {
                throw .malformed("a point's position '\(point.value("position") ?? "")' is not in 1…\(count)")
            }
            guard let price = point.value("price.amount").flatMap({ Double($0) }), price.isFinite else {
                throw .malformed("point \(position) has no price")
            }
            guard prices.updateValue(price, forKey: position) ?? price == price else {
                throw .malformed("point \(position) has two prices")
            }
        }
        return prices
    }
}
