package import Foundation

/// easyEnergy (Netherlands): local times without offset, Amsterdam unless told otherwise.
package struct EasyEnergyDecoder: PayloadDecoder {
    /// `easyenergy`.
    package let name = "easyenergy"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    private static let fields = ["invoicePrice", "priceIncVat", "price"]

    /// Decodes what the consumer pays (`invoicePrice`) unless another field, or no VAT, is asked for.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let usual = options.vat == .excluded ? "price" : "invoicePrice"
        let field = try chooseField(options.field, usual: usual, among: Self.fields)
        let reader = try LocalTimeReader(options: options, usual: "Europe/Amsterdam")
        let rows = try decodeJSON(Answer.self, bytes).prices
        var starts: [Date] = []
        for row in rows { starts.append(try reader.instant(row.from, notBefore: starts.last?.addingTimeInterval(1))) }
        var drafts = SlotDrafts(kind: .price(currency: "EUR"), source: name)
        for (index, row) in rows.enumerated() {
            // In the hour that comes twice a row's end may be read as an hour too late: the next row's start is never passed.
            let end = try reader.instant(row.until, notBefore: starts[index].addingTimeInterval(1))
            let next = index + 1 < starts.count ? starts[index + 1] : end
            let value = field == "price" ? row.price : field == "priceIncVat" ? row.priceIncVat : row.invoicePrice
            drafts.add(starts[index], next > starts[index] ? min(end, next) : end, value)
        }
        return try drafts.series()
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            let from: String
            let until: String
            let price: Double?
            let priceIncVat: Double?
            let invoicePrice: Double?
        }

        let prices: [Row]
    }
}
