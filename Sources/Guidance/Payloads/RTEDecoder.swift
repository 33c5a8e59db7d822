package import Foundation

/// RTE éCO2mix (France): day-ahead prices of nine zones as 24 local periods a day.
///
/// Days on which clocks change have 24 periods there too, with hours repeated or averaged; they are left out.
package struct RTEDecoder: PayloadDecoder {
    /// `rte-eco2mix`.
    package let name = "rte-eco2mix"
    /// Also `eco2mix`.
    package let aliases = ["eco2mix", "rte"]
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes one zone, France unless another is asked for; `ND` is unknown.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let root = try XMLTree.parse(bytes)
        guard root.name == "liste" else {
            throw PayloadError.malformed("the document is a \(root.name.prefix(40)), not a liste")
        }
        let days = root.all("donneesMarche")
        if days.isEmpty { throw PayloadError.nothing("the document holds no market data") }
        let areas = Set(days.flatMap { $0.all("type") }.compactMap { $0.attributes["perimetre"] })
        let area = try chooseArea(options.area ?? (areas.contains("FR") ? "FR" : nil), among: areas)
        let reader = try LocalTimeReader(options: options, usual: "Europe/Paris")
        var drafts = SlotDrafts(kind: .price(currency: "EUR"), source: name)
        for day in days {
            guard let date = day.attributes["date"], let civil = InstantText(date) else {
                throw PayloadError.malformed("a day has no date")
            }
            let next = InstantText.text(Date(timeIntervalSince1970: civil.wallSeconds + 86_400)).prefix(10)
            let start = try reader.instant(date, notBefore: nil)
            guard try reader.instant(String(next), notBefore: nil).timeIntervalSince(start) == 86_400 else { continue }
            for type in day.all("type")
            where type.attributes["perimetre"] == area && type.attributes["granularite"] == "Global" {
                for value in type.all("valeur") { try Self.add(value, dayStart: start, to: &drafts) }
            }
        }
        return try drafts.series()
    }

    private static func add(_ element: XMLTree, dayStart: Date, to drafts: inout SlotDrafts) throws(PayloadError) {
        guard let period = element.attributes["periode"].flatMap({ Int($0) }), (0..<24).contains(period) else {
            throw .malformed("a period is not in 0…23")
        }
        let text = element.text.trimmingCharacters(in: .whitespacesAndNewlines)
        if text.isEmpty || text == "ND" { return }
        guard let price = Double(text) else { throw .malformed("'\(text)' is no price") }
        let from = dayStart.addingTimeInterval(Double(period) * 3600)
        drafts.add(from, from.addingTimeInterval(3600), price / 1000)
    }
}
