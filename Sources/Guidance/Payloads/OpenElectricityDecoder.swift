package import Foundation

/// OpenElectricity (Australia): the spot price of one region; a stamp is the END of its interval.
package struct OpenElectricityDecoder: PayloadDecoder {
    /// `openelectricity`.
    package let name = "openelectricity"
    /// Also its older name.
    package let aliases = ["opennem", "open-electricity"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes Australian dollars per MWh.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let answer = try decodeJSON(Answer.self, bytes)
        guard answer.success != false, let blocks = answer.data else {
            throw PayloadError(.serviceUnavailable, answer.error ?? "there are no data", remedy: "check key and query")
        }
        let prices = blocks.filter { $0.metric == "price" }
        guard !prices.isEmpty else {
            throw PayloadError(.notASeries, "the answer holds no metric price", remedy: "ask for the metric price")
        }
        let area = try chooseArea(options.area, among: Set(prices.flatMap(\.results).compactMap { $0.columns?.region }))
        var drafts = SlotDrafts(kind: .price(currency: "AUD"), source: name)
        for block in prices {
            guard block.unit == "$/MWh" else { throw PayloadError.malformed("the unit '\(block.unit)' is not $/MWh") }
            guard let seconds = Self.seconds(block.interval) else {
                throw PayloadError.malformed("the interval '\(block.interval)' is not known")
            }
            for row in block.results.filter({ $0.columns?.region == area }).flatMap(\.data) {
                let end = try payloadInstant(row.stamp)
                drafts.add(end.addingTimeInterval(-seconds), end, row.value.map { $0 / 1000 })
            }
        }
        return try drafts.series()
    }

    /// `5m` or `1h` in seconds.
    private static func seconds(_ text: String) -> Double? {
        guard let number = Double(text.dropLast()), number > 0 else { return nil }
        return text.hasSuffix("m") ? number * 60 : text.hasSuffix("h") ? number * 3600 : nil
    }

    private struct Answer: Decodable {
        struct Block: Decodable {
            let metric: String
            let unit: String
            let interval: String
            let results: [Region]
        }

        struct Region: Decodable {
            struct Columns: Decodable { let region: String? }

            let columns: Columns?
            let data: [Row]
        }

        struct Row: Decodable {
            let stamp: String
            let value: Double?

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                stamp = try container.decode(String.self)
                value = try container.decodeIfPresent(Double.self)
            }
        }

        let success: Bool?
        let error: String?
        let data: [Block]?
    }
}
