package import Foundation

/// The carbon intensity of Great Britain (NESO): national and regional JSON, and a CSV flattened from it.
package struct UKCarbonDecoder: PayloadDecoder {
    /// `uk-carbon-intensity`.
    package let name = "uk-carbon-intensity"
    /// Also `neso`.
    package let aliases = ["neso", "uk-carbon"]
    /// Carbon.
    package let kind: String? = "carbon"

    /// Makes the decoder.
    package init() {}

    private static let fields = ["intensity.forecast", "intensity.actual"]

    /// Decodes half-hours; the forecast unless `intensity.actual` is asked for.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let given = options.field.map { $0.contains(".") ? $0 : "intensity.\($0)" }
        let field = try chooseField(given, usual: Self.fields[0], among: Self.fields)
        return bytes.looksLikeJSON
            ? try decodeJSONForm(bytes, field, options) : try decodeTable(CommaTable(bytes), field)
    }

    private func decodeTable(_ table: CommaTable, _ field: String) throws -> EnergySeries {
        let from = try table.column("from") { $0 == "from" }
        let to = table.header.firstIndex(of: "to")
        let value = try table.column(field) { $0 == field }
        var drafts = SlotDrafts(kind: .carbon(.average), source: name)
        for (index, row) in table.rows.enumerated() {
            let start = try payloadInstant(row[from])
            let end = try to.map { column throws(PayloadError) in try payloadInstant(row[column]) }
            drafts.add(start, end ?? start.addingTimeInterval(1800), try table.number(index, value))
        }
        return try drafts.series()
    }

    private func decodeJSONForm(_ bytes: Data, _ field: String, _ options: PayloadOptions) throws -> EnergySeries {
        let answer = try decodeJSON(Answer.self, bytes)
        if let error = answer.error {
            throw PayloadError(.serviceUnavailable, error.message ?? error.code ?? "an error", remedy: "mend the query")
        }
        // The provider answers {} to a query it does not understand.
        guard let nodes = answer.data?.nodes, !nodes.isEmpty else { throw PayloadError.nothing("the answer is {}") }
        var drafts = SlotDrafts(kind: .carbon(.average), source: name)
        for row in try Self.rows(nodes, options) {
            guard let from = row.from, let to = row.to else { throw PayloadError.malformed("a row has no from or to") }
            let value = field == Self.fields[0] ? row.intensity?.forecast : row.intensity?.actual
            drafts.add(try payloadInstant(from), try payloadInstant(to), value)
        }
        return try drafts.series()
    }

    private static func rows(_ nodes: [Node], _ options: PayloadOptions) throws(PayloadError) -> [Node] {
        let regions = nodes.filter { $0.data != nil }
        guard let first = regions.first else { return nodes }
        guard let wanted = options.area?.lowercased() else {
            if regions.count == 1 { return first.data?.nodes ?? [] }
            let names = regions.compactMap(\.shortname).joined(separator: ", ")
            throw PayloadError(.argumentNeeded, "the payload holds several regions", remedy: "give one of \(names)")
        }
        let chosen = regions.first { region in
            [region.postcode, region.shortname, region.dnoregion, region.regionid.map(String.init)]
                .contains { $0?.lowercased() == wanted }
        }
        guard let chosen else {
            throw PayloadError(
                .unsupportedRegion, "the payload does not hold the region '\(wanted)'",
                remedy: "ask the provider for it")
        }
        return chosen.data?.nodes ?? []
    }

    private struct Answer: Decodable {
        struct Failure: Decodable {
            let code: String?
            let message: String?
        }

        let data: Branch?
        let error: Failure?
    }

    /// One node, or a list of nodes, or a list of lists, as the different calls have it.
    private struct Branch: Decodable {
        let nodes: [Node]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let branches = try? container.decode([Branch].self) {
                nodes = branches.flatMap(\.nodes)
            } else {
                nodes = [try container.decode(Node.self)]
            }
        }
    }

    private struct Node: Decodable {
        struct Intensity: Decodable {
            let forecast: Double?
            let actual: Double?
        }

        let from: String?
        let to: String?
        let intensity: Intensity?
        let regionid: Int?
        let shortname: String?
        let dnoregion: String?
        let postcode: String?
        let data: Branch?
    }
}
