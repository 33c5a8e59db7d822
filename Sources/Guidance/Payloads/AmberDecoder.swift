package import Foundation

/// Amber (Australia): a flat list of intervals over the channels of a home, cents per kWh with tax.
package struct AmberDecoder: PayloadDecoder {
    /// `amber`.
    package let name = "amber"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes one channel (`area`): `general` unless `controlledLoad` or `feedIn` is asked for.
    ///
    /// The provider gives what feeding in earns as a negative price; here it is positive. Starts are a second late and are taken down to the minute.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let field = try chooseField(options.field, usual: "perKwh", among: ["perKwh", "spotPerKwh"])
        let rows = try decodeJSON([Row].self, bytes)
        let channels = Set(rows.compactMap(\.channelType))
        let channel = try chooseArea(options.area ?? (channels.contains("general") ? "general" : nil), among: channels)
        let sign = channel == "feedIn" ? -1.0 : 1.0
        var drafts = SlotDrafts(kind: .price(currency: "AUD"), source: name)
        for row in rows where row.channelType == channel {
            let cents = field == "perKwh" ? row.perKwh : row.spotPerKwh
            drafts.add(try Self.minute(row.startTime), try Self.minute(row.endTime), cents.map { sign * $0 / 100 })
        }
        return try drafts.series()
    }

    private static func minute(_ text: String) throws(PayloadError) -> Date {
        Date(timeIntervalSince1970: (try payloadInstant(text).timeIntervalSince1970 / 60).rounded(.down) * 60)
    }

    private struct Row: Decodable {
        let channelType: String?
        let perKwh: Double?
        let spotPerKwh: Double?
        let startTime: String
        let endTime: String
    }
}
