package import Foundation

/// aWATTar (Germany, Austria) and tado Energy: hourly spot prices without fees.
package struct AwattarDecoder: PayloadDecoder {
    /// `awattar`.
    package let name = "awattar"
    /// Also `tado`.
    package let aliases = ["tado"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes rows with both ends in milliseconds.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let rows = try decodeJSON(Answer.self, bytes).data
        guard let unitName = rows.first?.unit else { throw PayloadError.nothing("the list is empty") }
        let unit = try SeriesUnit(unitName, kind: "price")
        guard rows.allSatisfy({ $0.unit == unitName }) else {
            throw PayloadError.malformed("rows have different units")
        }
        var drafts = SlotDrafts(kind: unit.kind, source: name)
        for row in rows {
            drafts.add(
                Date(timeIntervalSince1970: row.start / 1000), Date(timeIntervalSince1970: row.end / 1000),
                row.marketprice.map { $0 * unit.factor })
        }
        return try drafts.series()
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            let start: Double
            let end: Double
            let marketprice: Double?
            let unit: String

            private enum CodingKeys: String, CodingKey {
                case start = "start_timestamp"
                case end = "end_timestamp"
                case marketprice, unit
            }
        }

        let data: [Row]
    }
}
