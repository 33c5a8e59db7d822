/// How much price and carbon count in a rating; only their ratio matters.
package struct RatingWeights: Sendable, Equatable, Codable {
    /// The weight of the price, 0 or more.
    package var price: Double
    /// The weight of the carbon intensity, 0 or more.
    package var carbon: Double

    /// Makes weights; without arguments price and carbon count alike.
    package init(price: Double = 0.5, carbon: Double = 0.5) {
        self.price = price
        self.carbon = carbon
    }
}

/// The least differences that a rating takes note of.
package struct RatingFloors: Sendable, Equatable, Codable {
    /// In currency units per kWh.
    package var pricePerKWh: Double
    /// In grams of CO2 per kWh.
    package var gramsCO2PerKWh: Double

    /// Makes floors; the default is 0.01 currency units per kWh and 10 g.
    package init(pricePerKWh: Double = 0.01, gramsCO2PerKWh: Double = 10) {
        self.pricePerKWh = pricePerKWh
        self.gramsCO2PerKWh = gramsCO2PerKWh
    }

    /// The floors for a currency: what about one euro cent is worth in it, rounded to a plain figure.
    ///
    /// Exchange rates move, but a floor need only be of the right size, so round figures are kept and not looked up.
    package init(currency: String?) {
        self.init(pricePerKWh: currency.flatMap { Self.cents[$0.uppercased()] } ?? 0.01)
    }

    /// What about one euro cent is worth in a currency; nil for one that is not known here.
    static func cent(of currency: String) -> Double? { cents[currency.uppercased()] }

    private static let cents: [String: Double] = [
        "SEK": 0.1, "NOK": 0.1, "DKK": 0.07, "ISK": 1.5, "CZK": 0.25, "PLN": 0.04, "HUF": 4, "RON": 0.05, "BGN": 0.02,
        "RSD": 1, "UAH": 0.4, "TRY": 0.4, "JPY": 1.5, "CNY": 0.07, "INR": 0.9, "KRW": 15, "TWD": 0.3, "HKD": 0.08,
        "THB": 0.35, "ZAR": 0.2, "MXN": 0.2, "BRL": 0.05, "ARS": 10, "CLP": 10, "COP": 40, "ILS": 0.04, "AED": 0.04,
        "SGD": 0.01, "AUD": 0.01, "NZD": 0.01, "CAD": 0.01, "CHF": 0.01, "GBP": 0.01, "USD": 0.01, "EUR": 0.01,
    ]
}
