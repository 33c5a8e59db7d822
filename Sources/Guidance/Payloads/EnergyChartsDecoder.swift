package import Foundation

/// Energy-Charts (Fraunhofer ISE): day-ahead prices and the carbon intensity with its forecast; parallel lists without ends.
package struct EnergyChartsDecoder: PayloadDecoder {
    /// `energy-charts`.
    package let name = "energy-charts"
    /// Also in one word.
    package let aliases = ["energycharts"]
    /// Depends on the call.
    package let kind: String? = nil

    /// Makes the decoder.
    package init() {}

    /// Decodes the list that the answer holds; with carbon, measured values go before the forecast.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let answer = try decodeJSON(Answer.self, bytes)
        guard let times = answer.unixSeconds else { throw PayloadError.malformed("there is no list unix_seconds") }
        if let prices = answer.price {
            try refuseVAT(options)
            let unit = try SeriesUnit(answer.unit ?? "EUR/MWh", kind: "price")
            return try series(times, prices.map { $0.map { $0 * unit.factor } }, unit.kind)
        }
        guard let grams = answer.co2eq ?? answer.forecast else {
            throw PayloadError(
                .notASeries, "the answer holds neither prices nor carbon", remedy: "ask for /price or /co2eq_forecast")
        }
        guard let forecast = answer.forecast, forecast.count == grams.count else {
            return try series(times, grams, .carbon(.average))
        }
        return try series(times, zip(grams, forecast).map { $0 ?? $1 }, .carbon(.average))
    }

    private func series(_ times: [Double], _ values: [Double?], _ kind: EnergySeries.Kind) throws -> EnergySeries {
        guard times.count == values.count else {
            throw PayloadError.malformed("there are \(times.count) times but \(values.count) values")
        }
        var drafts = SlotDrafts(kind: kind, source: name)
        drafts.add(points: zip(times, values).map { (Date(timeIntervalSince1970: $0), $1) })
        return try drafts.series()
    }

    private struct Answer: Decodable {
        let unixSeconds: [Double]?
        let price: [Double?]?
        let unit: String?
        let co2eq: [Double?]?
        let forecast: [Double?]?

        private enum CodingKeys: String, CodingKey {
            case unixSeconds = "unix_seconds"
            case forecast = "co2eq_forecast"
            case price, unit, co2eq
        }
    }
}
