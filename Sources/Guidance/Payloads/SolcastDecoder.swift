package import Foundation

/// Solcast's rooftop forecasts: mean kilowatts, stamped with the END of the period.
package struct SolcastDecoder: PayloadDecoder {
    /// `solcast`.
    package let name = "solcast"
    /// Solar.
    package let kind: String? = "solar"

    /// Makes the decoder.
    package init() {}

    private static let fields = ["pv_estimate", "pv_estimate10", "pv_estimate90"]

    /// Decodes the middle estimate unless one of the others is asked for.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let field = try chooseField(options.field, usual: Self.fields[0], among: Self.fields)
        let answer = try decodeJSON(Answer.self, bytes)
        guard let rows = answer.forecasts ?? answer.actuals else { throw Self.refusal(answer.status) }
        var drafts = SlotDrafts(kind: .solar, source: name)
        for row in rows {
            guard let seconds = isoDurationSeconds(row.period) else {
                throw PayloadError.malformed("the period '\(row.period)' is not known")
            }
            let end = try payloadInstant(row.end)
            let kilowatts = field == Self.fields[0] ? row.middle : field == Self.fields[1] ? row.low : row.high
            drafts.add(end.addingTimeInterval(-seconds), end, kilowatts.map { $0 * 1000 })
        }
        return try drafts.series()
    }

    private static func refusal(_ status: Answer.Status?) -> PayloadError {
        let text = status?.message ?? "there are no forecasts"
        let isLimit = status?.code?.lowercased().contains("limit") ?? false
        return PayloadError(
            isLimit ? .rateLimitExceeded : .serviceUnavailable, text, remedy: "check key and site, or wait")
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            let middle: Double?
            let low: Double?
            let high: Double?
            let end: String
            let period: String

            private enum CodingKeys: String, CodingKey {
                case middle = "pv_estimate"
                case low = "pv_estimate10"
                case high = "pv_estimate90"
                case end = "period_end"
                case period
            }
        }

        struct Status: Decodable {
            let code: String?
            let message: String?

            private enum CodingKeys: String, CodingKey {
                case code = "error_code"
                case message
            }
        }

        let forecasts: [Row]?
        let actuals: [Row]?
        let status: Status?

        private enum CodingKeys: String, CodingKey {
            case forecasts
            case actuals = "estimated_actuals"
            case status = "response_status"
        }
    }
}
