package import Foundation

/// Nord Pool's day-ahead prices: the data portal's `DayAheadPrices` and `DayAheadPriceIndices`, and the market data API's list of areas.
package struct NordPoolDecoder: PayloadDecoder {
    /// `nord-pool`.
    package let name = "nord-pool"
    /// Also `nordpool`.
    package let aliases = ["nordpool"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes a day of one area; both ends are in each row.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        if bytes.first(where: { $0 != 32 && $0 != 10 && $0 != 13 }) == UInt8(ascii: "[") {
            return try decodeAreas(try decodeJSON([AreaPrices].self, bytes), options)
        }
        let day = try decodeJSON(PortalDay.self, bytes)
        guard let entries = day.multiAreaEntries ?? day.multiIndexEntries else {
            throw PayloadError.nothing("there are no prices for this day")
        }
        let area = try chooseArea(options.area, among: Set(entries.flatMap(\.entryPerArea.keys)))
        var drafts = SlotDrafts(kind: .price(currency: day.currency), source: name)
        for entry in entries {
            drafts.add(
                try payloadInstant(entry.deliveryStart), try payloadInstant(entry.deliveryEnd),
                (entry.entryPerArea[area] ?? nil).map { $0 / 1000 })
        }
        return try drafts.series()
    }

    private func decodeAreas(_ areas: [AreaPrices], _ options: PayloadOptions) throws -> EnergySeries {
        let area = try chooseArea(options.area, among: Set(areas.map(\.deliveryArea)))
        let chosen = areas.filter { $0.deliveryArea == area }
        guard let currency = chosen.first?.currency else {
            throw PayloadError.nothing("there are no prices for \(area)")
        }
        var drafts = SlotDrafts(kind: .price(currency: currency), source: name)
        for row in chosen.flatMap({ $0.prices ?? [] }) {
            let (start, end) = (try payloadInstant(row.deliveryStart), try payloadInstant(row.deliveryEnd))
            drafts.add(start, end, row.price.map { $0 / 1000 })
        }
        return try drafts.series()
    }

    private struct PortalDay: Decodable {
        struct Entry: Decodable {
            let deliveryStart: String
            let deliveryEnd: String
            let entryPerArea: [String: Double?]
        }

        let currency: String
        let multiAreaEntries: [Entry]?
        let multiIndexEntries: [Entry]?
    }

    private struct AreaPrices: Decodable {
        struct Row: Decodable {
            let price: Double?
            let deliveryStart: String
            let deliveryEnd: String
        }

        let deliveryArea: String
        let currency: String
        let prices: [Row]?
    }
}
