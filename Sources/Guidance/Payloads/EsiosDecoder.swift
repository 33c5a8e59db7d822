package import Foundation

/// ESIOS (Spain): the regulated tariff PVPC, indicator 1001, and other hourly price indicators.
package struct EsiosDecoder: PayloadDecoder {
    /// `esios-pvpc`.
    package let name = "esios-pvpc"
    /// Also `esios`.
    package let aliases = ["esios", "pvpc"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// The peninsula, which most homes are in.
    private static let peninsula = 8741

    /// Decodes one geo id, the peninsula unless another is asked for by number or name.
    ///
    /// Reads `datetime`: in the hour that comes twice `datetime_utc` has been seen wrong.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let rows = try decodeJSON(Answer.self, bytes).indicator.values
        if rows.isEmpty { throw PayloadError.nothing("the indicator has no values") }
        let geo = try Self.choose(rows, options)
        var drafts = SlotDrafts(kind: .price(currency: "EUR"), source: name)
        drafts.add(
            points: try rows.filter { $0.geoID == geo }.map { row in
                (try payloadInstant(row.datetime), row.value.map { $0 / 1000 })
            })
        return try drafts.series()
    }

    private static func choose(_ rows: [Row], _ options: PayloadOptions) throws(PayloadError) -> Int {
        let geos = Set(rows.map(\.geoID))
        guard let wanted = options.area else {
            if geos.count == 1, let only = geos.first { return only }
            if geos.contains(peninsula) { return peninsula }
            return Int(try chooseArea(nil, among: geos.map(String.init))) ?? peninsula
        }
        if let named = rows.first(where: { $0.geoName?.lowercased() == wanted.lowercased() }) { return named.geoID }
        return Int(try chooseArea(wanted, among: geos.map(String.init))) ?? peninsula
    }

    private struct Answer: Decodable {
        struct Indicator: Decodable { let values: [Row] }

        let indicator: Indicator
    }

    private struct Row: Decodable {
        let value: Double?
        let datetime: String
        let geoID: Int
        let geoName: String?

        private enum CodingKeys: String, CodingKey {
            case value, datetime
            case geoID = "geo_id"
            case geoName = "geo_name"
        }
    }
}
