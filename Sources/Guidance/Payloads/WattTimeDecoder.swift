package import Foundation

/// WattTime v3: forecast and history of the marginal intensity (MOER), and CSV files of one forecast.
///
/// The API delivers pounds per MWh; a CSV has no unit, and the files met are in grams per kWh already. Field `lbs_co2_per_mwh` says otherwise.
package struct WattTimeDecoder: PayloadDecoder {
    /// `watttime`.
    package let name = "watttime"
    /// Carbon.
    package let kind: String? = "carbon"

    /// Makes the decoder.
    package init() {}

    /// Decodes five-minute points; each holds to the next.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        bytes.looksLikeJSON ? try decodeAnswer(bytes) : try decodeTable(CommaTable(bytes), options)
    }

    private func decodeTable(_ table: CommaTable, _ options: PayloadOptions) throws -> EnergySeries {
        let field = options.field == "value" ? nil : options.field
        let factor = try SeriesUnit(field ?? "gCO2/kWh", kind: "carbon", method: .marginal).factor
        let time = try table.column("point_time") { $0 == "point_time" }
        let value = try table.column("value") { $0 == "value" }
        if let issued = table.header.firstIndex(of: "generated_at"), Set(table.rows.map { $0[issued] }).count > 1 {
            throw PayloadError.malformed("the file holds more than one forecast")
        }
        var drafts = SlotDrafts(kind: .carbon(.marginal), source: name)
        let points = try table.rows.enumerated().map { index, row in
            (start: try payloadInstant(row[time]), value: try table.number(index, value).map { $0 * factor })
        }
        drafts.add(points: points, lastSeconds: 300)
        return try drafts.series()
    }

    private func decodeAnswer(_ bytes: Data) throws -> EnergySeries {
        let answer = try decodeJSON(Answer.self, bytes)
        guard let rows = answer.data, let meta = answer.meta else {
            let text = answer.message ?? answer.error ?? "there are no data"
            throw PayloadError(.permissionDenied, text, remedy: "check account, region and signal type")
        }
        guard meta.signalType.map({ $0 == "co2_moer" || $0 == "co2_aoer" }) ?? true else {
            throw PayloadError(
                .notASeries, "the signal '\(meta.signalType ?? "")' is no carbon intensity", remedy: "ask for co2_moer")
        }
        let method: EnergySeries.CarbonMethod = meta.signalType == "co2_aoer" ? .average : .marginal
        let unit = try SeriesUnit(meta.units ?? "lbs_co2_per_mwh", kind: "carbon", method: method)
        let seconds = meta.seconds ?? 300
        var drafts = SlotDrafts(kind: unit.kind, source: name)
        for row in rows {
            let start = try payloadInstant(row.pointTime)
            drafts.add(start, start.addingTimeInterval(seconds), row.value.map { $0 * unit.factor })
        }
        return try drafts.series()
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            let pointTime: String
            let value: Double?

            private enum CodingKeys: String, CodingKey {
                case pointTime = "point_time"
                case value
            }
        }

        struct Meta: Decodable {
            let seconds: Double?
            let signalType: String?
            let units: String?

            private enum CodingKeys: String, CodingKey {
                case seconds = "data_point_period_seconds"
                case signalType = "signal_type"
                case units
            }
        }

        let data: [Row]?
        let meta: Meta?
        let error: String?
        let message: String?
    }
}
