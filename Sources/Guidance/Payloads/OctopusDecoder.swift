package import Foundation

/// Octopus Energy's unit rates (Great Britain): Agile, Go and the other products with `standard-unit-rates`.
package struct OctopusDecoder: PayloadDecoder {
    /// `octopus-agile`.
    package let name = "octopus-agile"
    /// Also `octopus`.
    package let aliases = ["octopus", "octopus-go"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes pence per kWh; a negative rate stays as it is (G-15), what is not published stays unknown (G-14).
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let usual = options.vat == .excluded ? "value_exc_vat" : "value_inc_vat"
        let field = try chooseField(options.field, usual: usual, among: ["value_inc_vat", "value_exc_vat"])
        let answer = try decodeJSON(Answer.self, bytes)
        guard let rows = answer.results else {
            throw PayloadError(
                .serviceUnavailable, answer.detail ?? "there are no results", remedy: "check product and region")
        }
        let chosen = Self.onePaymentMethod(rows)
        var last = Date.distantPast
        let times = try chosen.map { row throws(PayloadError) in
            let times = (start: try Self.instant(row.validFrom), end: try row.validTo.map(Self.instant))
            last = max(last, times.start, times.end ?? times.start)
            return times
        }
        let openEnd = options.openEndsAt ?? last.addingTimeInterval(48 * 3600)
        var drafts = SlotDrafts(kind: .price(currency: "GBP"), source: name)
        for (row, time) in zip(chosen, times) {
            let end = time.end ?? openEnd
            guard time.start < end || time.end != nil else { continue }
            drafts.add(time.start, end, (field == "value_inc_vat" ? row.incVAT : row.excVAT).map { $0 / 100 })
        }
        return try drafts.series()
    }

    /// Rows of different payment methods cover the same time: direct debit where it is told apart.
    private static func onePaymentMethod(_ rows: [Row]) -> [Row] {
        let methods = Set(rows.compactMap(\.paymentMethod))
        guard methods.count > 1 else { return rows }
        let method = methods.contains("DIRECT_DEBIT") ? "DIRECT_DEBIT" : methods.min()
        return rows.filter { $0.paymentMethod == nil || $0.paymentMethod == method }
    }

    private static func instant(_ text: String) throws(PayloadError) -> Date { try payloadInstant(text) }

    private struct Answer: Decodable {
        let results: [Row]?
        let detail: String?
    }

    private struct Row: Decodable {
        let excVAT: Double?
        let incVAT: Double?
        let validFrom: String
        let validTo: String?
        let paymentMethod: String?

        private enum CodingKeys: String, CodingKey {
            case excVAT = "value_exc_vat"
            case incVAT = "value_inc_vat"
            case validFrom = "valid_from"
            case validTo = "valid_to"
            case paymentMethod = "payment_method"
        }
    }
}
