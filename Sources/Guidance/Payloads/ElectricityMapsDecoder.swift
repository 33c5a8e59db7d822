package import Foundation

/// Electricity Maps: the API's forecast, history and latest value, and the data portal's CSV.
///
/// Average intensity, by hour.
package struct ElectricityMapsDecoder: PayloadDecoder {
    /// `electricity-maps`.
    package let name = "electricity-maps"
    /// Also in one word.
    package let aliases = ["electricitymaps"]
    /// Carbon.
    package let kind: String? = "carbon"

    /// Makes the decoder.
    package init() {}

    /// Decodes one zone; the life cycle's intensity unless `direct` is asked for (CSV only, the API delivers one).
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        bytes.looksLikeJSON ? try decodeAnswer(bytes, options) : try decodePortal(CommaTable(bytes), options)
    }

    private func decodePortal(_ table: CommaTable, _ options: PayloadOptions) throws -> EnergySeries {
        let field = try chooseField(options.field, usual: "LCA", among: ["LCA", "direct"])
        let time = try table.column("Datetime (UTC)") { $0.lowercased().hasPrefix("datetime") }
        let zone = try table.column("Zone Id") { ["zone id", "zone"].contains($0.lowercased()) }
        // Older files spell the unit otherwise, and newer ones say "life cycle" for LCA.
        let value = try table.column("Carbon Intensity (\(field))") { name in
            let name = name.lowercased()
            guard name.contains("carbon intensity") else { return false }
            return field == "direct" ? name.contains("direct") : name.contains("lca") || name.contains("life cycle")
        }
        let area = try chooseArea(options.area, among: Set(table.rows.map { $0[zone] }))
        var drafts = SlotDrafts(kind: .carbon(.average), source: name)
        var points: [(start: Date, value: Double?)] = []
        for (index, row) in table.rows.enumerated() where row[zone] == area {
            points.append((try payloadUTC(row[time]), try table.number(index, value)))
        }
        drafts.add(points: points)
        return try drafts.series()
    }

    private func decodeAnswer(_ bytes: Data, _ options: PayloadOptions) throws -> EnergySeries {
        let answer = try decodeJSON(Answer.self, bytes)
        if let text = answer.error ?? answer.message {
            let isLimit = text.lowercased().contains("limit") || text.contains("429")
            throw PayloadError(
                isLimit ? .rateLimitExceeded : .permissionDenied, text, remedy: "check the plan of your key")
        }
        if let zone = answer.zone { _ = try chooseArea(options.area, among: [zone]) }
        var rows = answer.forecast ?? answer.history ?? answer.data ?? []
        if let datetime = answer.datetime {
            rows.append(Row(carbonIntensity: answer.carbonIntensity, datetime: datetime))
        }
        var drafts = SlotDrafts(kind: .carbon(.average), source: name)
        drafts.add(points: try rows.map { (try payloadInstant($0.datetime), $0.carbonIntensity) })
        return try drafts.series()
    }

    private struct Row: Decodable {
        let carbonIntensity: Double?
        let datetime: String
    }

    private struct Answer: Decodable {
        let zone: String?
        let forecast: [Row]?
        let history: [Row]?
        let data: [Row]?
        let carbonIntensity: Double?
        let datetime: String?
        let error: String?
        let message: String?
    }
}
