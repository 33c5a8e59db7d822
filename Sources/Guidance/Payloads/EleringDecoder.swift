package import Foundation

/// Elering's Nord Pool prices for Estonia, Latvia, Lithuania and Finland.
package struct EleringDecoder: PayloadDecoder {
    /// `elering`.
    package let name = "elering"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes one area; rows say only when they begin.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let answer = try decodeJSON(Answer.self, bytes)
        guard answer.success != false, let data = answer.data else {
            throw PayloadError(.serviceUnavailable, "the provider reports no success", remedy: "try again later")
        }
        let area = try chooseArea(options.area, among: data.keys)
        var drafts = SlotDrafts(kind: .price(currency: "EUR"), source: name)
        drafts.add(
            points: (data[area] ?? []).map { row in
                (Date(timeIntervalSince1970: row.timestamp), row.price.map { $0 / 1000 })
            })
        return try drafts.series()
    }

    private struct Answer: Decodable {
        struct Row: Decodable {
            let timestamp: Double
            let price: Double?
        }

        let success: Bool?
        let data: [String: [Row]]?
    }
}
