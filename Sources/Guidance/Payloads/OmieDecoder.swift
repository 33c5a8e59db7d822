package import Foundation

/// OMIE (Spain, Portugal): a market day by period, as its own text file (`marginalpdbc`) or as the lists that readers of that file write.
package struct OmieDecoder: PayloadDecoder {
    /// `omie`.
    package let name = "omie"
    /// Prices.
    package let kind: String? = "price"

    /// Makes the decoder.
    package init() {}

    /// Decodes Spain unless `pt_spot_price` (or area `pt`) is asked for; the market day is Madrid's, of 23, 24 or 25 hours.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        try refuseVAT(options)
        let usual = options.area?.lowercased() == "pt" ? "pt_spot_price" : "es_spot_price"
        let field = try chooseField(options.field, usual: usual, among: ["es_spot_price", "pt_spot_price"])
        let day = bytes.looksLikeJSON ? try decodeJSON(MarketDay.self, bytes) : try MarketDay(text: bytes)
        guard let prices = field == "pt_spot_price" ? day.portugal : day.spain else {
            throw PayloadError.nothing("the payload has no \(field)")
        }
        // The market day is the same in Portugal, whose clock is another: the zone told is that of the market.
        let reader = try LocalTimeReader(options: options, usual: "Europe/Madrid")
        let start = try reader.instant(day.date, notBefore: nil)
        let end = try reader.instant(Self.dayAfter(day.date), notBefore: nil)
        let step = end.timeIntervalSince(start) / Double(max(1, prices.count))
        guard [900, 3600].contains(step) else {
            throw PayloadError.malformed(
                "\(prices.count) periods do not fit a day of \(Int(end.timeIntervalSince(start) / 3600)) hours")
        }
        var drafts = SlotDrafts(kind: .price(currency: "EUR"), source: name)
        for (index, price) in prices.enumerated() {
            let from = start.addingTimeInterval(Double(index) * step)
            drafts.add(from, from.addingTimeInterval(step), price.map { $0 / 1000 })
        }
        return try drafts.series()
    }

    private static func dayAfter(_ text: String) throws(PayloadError) -> String {
        guard let day = InstantText(text) else { throw .malformed("'\(text)' is no day") }
        return String(InstantText.text(Date(timeIntervalSince1970: day.wallSeconds + 86_400)).prefix(10))
    }

    private struct MarketDay: Decodable {
        let date: String
        let spain: [Double?]?
        let portugal: [Double?]?

        /// Reads `MARGINALPDBC;`, then `year;month;day;period;Portugal;Spain;` for each period, then `*`.
        init(text bytes: Data) throws(PayloadError) {
            let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard lines.first?.hasPrefix("MARGINALPDBC") == true else {
                throw .malformed("the text does not begin with MARGINALPDBC")
            }
            var day: CivilDay?
            var prices: (portugal: [Double?], spain: [Double?]) = ([], [])
            for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty && line != "*" {
                let cells = line.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
                guard cells.count >= 6, let year = Int(cells[0]), let month = Int(cells[1]), let number = Int(cells[2]),
                    let civil = CivilDay(year: year, month: month, day: number), day ?? civil == civil,
                    Int(cells[3]) == prices.spain.count + 1
                else { throw .malformed("line \(index + 1) is not the next period of one day") }
                day = civil
                prices.portugal.append(try Self.price(cells[4], line: index + 1))
                prices.spain.append(try Self.price(cells[5], line: index + 1))
            }
            guard let day else { throw .nothing("the file holds no period") }
            date = day.text()
            spain = prices.spain
            portugal = prices.portugal
        }

        private static func price(_ text: String, line: Int) throws(PayloadError) -> Double? {
            if text.isEmpty { return nil }
            guard let price = Double(text.replacingOccurrences(of: ",", with: ".")), price.isFinite else {
                throw .malformed("line \(line): '\(text)' is no price")
            }
            return price
        }

        private enum CodingKeys: String, CodingKey {
            case date = "market_date"
            case spain = "es_spot_price"
            case portugal = "pt_spot_price"
        }
    }
}
