package import Foundation

/// EnergyZero (Netherlands): four parallel series, prices written as texts, both ends in UTC.
package struct EnergyZeroDecoder: PayloadDecoder {
    /// `energyzero`.
    package let name = "energyzero"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    private static let fields = ["all_in_with_vat", "all_in", "base_with_vat", "base"]

    /// Decodes one of the four; what the consumer pays, all in with VAT, unless something else is asked for.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let usual = options.vat == .excluded ? "all_in" : "all_in_with_vat"
        let field = try chooseField(options.field, usual: usual, among: Self.fields)
        guard let rows = try decodeJSON(Answer.self, bytes).rows(field) else {
            throw PayloadError.nothing("the payload has no series \(field)")
        }
        var drafts = SlotDrafts(kind: .price(currency: "EUR"), source: name)
        for row in rows {
            drafts.add(try payloadInstant(row.start), try payloadInstant(row.end), row.price?.value.value)
        }
        return try drafts.series()
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            struct Price: Decodable { let value: NumberText }

            let start: String
            let end: String
            let price: Price?
        }

        let base: [Row]?
        let baseWithVAT: [Row]?
        let allIn: [Row]?
        let allInWithVAT: [Row]?

        private enum CodingKeys: String, CodingKey {
            case base
            case baseWithVAT = "base_with_vat"
            case allIn = "all_in"
            case allInWithVAT = "all_in_with_vat"
        }

        func rows(_ field: String) -> [Row]? {
            switch field {
            case "base": base
            case "base_with_vat": baseWithVAT
            case "all_in": allIn
            default: allInWithVAT
            }
        }
    }
}
