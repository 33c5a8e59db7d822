package import Foundation

/// ComEd (Illinois): five-minute prices of the past; there is no forecast, a future needs a model.
package struct ComEdDecoder: PayloadDecoder {
    /// `comed`.
    package let name = "comed"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes cents per kWh, written as texts, newest first and with holes.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        var drafts = SlotDrafts(kind: .price(currency: "USD"), source: name)
        for row in try decodeJSON([Row].self, bytes) {
            let start = Date(timeIntervalSince1970: row.millisUTC.value / 1000)
            drafts.add(start, start.addingTimeInterval(300), row.price.value / 100)
        }
        return try drafts.series()
    }

    private struct Row: Decodable {
        let millisUTC: NumberText
        let price: NumberText
    }
}
