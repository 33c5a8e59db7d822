package import Foundation

/// Tibber's price info: what the customer pays per kWh, today and, from about 13:00, tomorrow.
package struct TibberDecoder: PayloadDecoder {
    /// `tibber`.
    package let name = "tibber"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes one home (`area` is its id); `total` unless `energy` or `tax` is asked for.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let usual = options.vat == .excluded ? "energy" : "total"
        let field = try chooseField(options.field, usual: usual, among: ["total", "energy", "tax"])
        let answer = try decodeJSON(Answer.self, bytes)
        guard let homes = answer.data?.viewer?.homes else {
            let text = answer.errors?.first?.message ?? "there is no viewer"
            throw PayloadError(.permissionDenied, text, remedy: "check the token")
        }
        let home = try Self.choose(homes, options)
        guard let info = home.currentSubscription?.priceInfo else {
            throw PayloadError.nothing("the home has no running subscription")
        }
        let rows = (info.today ?? []) + (info.tomorrow ?? [])
        guard let currency = rows.first?.currency ?? options.currency else {
            throw PayloadError.nothing("there are no prices")
        }
        var drafts = SlotDrafts(kind: .price(currency: currency), source: name)
        drafts.add(
            points: try rows.map { row in
                let value = field == "total" ? row.total : field == "energy" ? row.energy : row.tax
                return (try payloadInstant(row.startsAt), value)
            })
        return try drafts.series()
    }

    private static func choose(_ homes: [Home], _ options: PayloadOptions) throws(PayloadError) -> Home {
        if homes.count == 1, options.area == nil, let only = homes.first { return only }
        let id = try chooseArea(options.area, among: homes.compactMap(\.id))
        guard let home = homes.first(where: { $0.id == id }) else { throw .nothing("there is no home") }
        return home
    }

    private struct Answer: Decodable {
        struct Failure: Decodable { let message: String? }
        struct Viewer: Decodable { let homes: [Home]? }
        struct Content: Decodable { let viewer: Viewer? }

        let data: Content?
        let errors: [Failure]?
    }

    private struct Home: Decodable {
        struct Subscription: Decodable { let priceInfo: PriceInfo? }
        struct PriceInfo: Decodable {
            let today: [Row]?
            let tomorrow: [Row]?
        }
        struct Row: Decodable {
            let total: Double?
            let energy: Double?
            let tax: Double?
            let startsAt: String
            let currency: String?
        }

        let id: String?
        let currentSubscription: Subscription?
    }
}
