package import Foundation

/// GrünstromIndex by Corrently (Germany): hourly carbon intensity of a postcode.
package struct GruenstromDecoder: PayloadDecoder {
    /// `gruenstromindex`.
    package let name = "gruenstromindex"
    /// Also `corrently`.
    package let aliases = ["corrently", "gsi"]
    /// Carbon.
    package let kind: String? = "carbon"

    /// Makes the decoder.
    package init() {}

    private static let fields = ["co2_g_standard", "co2_avg", "co2_g_oekostrom"]

    /// Decodes the standard mix unless another field is asked for; null is unknown, `energyprice` is no tariff and never read.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let field = try chooseField(options.field, usual: Self.fields[0], among: Self.fields)
        let answer = try decodeJSON(Answer.self, bytes)
        guard let rows = answer.forecast, !rows.isEmpty else {
            throw PayloadError.nothing(answer.message ?? "there is no forecast for this postcode")
        }
        var drafts = SlotDrafts(kind: .carbon(.average), source: name)
        for row in rows {
            drafts.add(
                Date(timeIntervalSince1970: row.timeframe.start / 1000),
                Date(timeIntervalSince1970: row.timeframe.end / 1000), row.value(field))
        }
        return try drafts.series()
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            struct Frame: Decodable {
                let start: Double
                let end: Double
            }

            let timeframe: Frame
            let standard: Double?
            let average: Double?
            let green: Double?

            private enum CodingKeys: String, CodingKey {
                case timeframe
                case standard = "co2_g_standard"
                case average = "co2_avg"
                case green = "co2_g_oekostrom"
            }

            func value(_ field: String) -> Double? {
                field == "co2_avg" ? average : field == "co2_g_oekostrom" ? green : standard
            }
        }

        let forecast: [Row]?
        let message: String?
    }
}
