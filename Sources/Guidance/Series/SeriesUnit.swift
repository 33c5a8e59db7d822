/// A unit as a provider or a file names it, and what turns it into the unit of the common series.
package struct SeriesUnit: Sendable, Equatable {
    /// What values in this unit are.
    package let kind: EnergySeries.Kind
    /// A value times this is in the common unit: money or grams per kWh, watts.
    package let factor: Double

    /// Reads the name of a unit for a kind (`price`, `carbon`, `solar`).
    ///
    /// - Throws: `SeriesFault` when the unit does not belong to the kind.
    package init(_ name: String, kind kindName: String, method: EnergySeries.CarbonMethod = .average)
        throws(SeriesFault)
    {
        let found: SeriesUnit? =
            switch kindName {
            case "price": Self.price(name)
            case "carbon": Self.carbonFactors[Self.plain(name)].map { SeriesUnit(kind: .carbon(method), factor: $0) }
            case "solar": Self.solarFactors[Self.plain(name)].map { SeriesUnit(kind: .solar, factor: $0) }
            default: throw SeriesFault(.malformed("the kind '\(kindName)' is none of price, carbon and solar"))
            }
        guard let found else { throw SeriesFault(.unknownUnit(name)) }
        self = found
    }

    init(kind: EnergySeries.Kind, factor: Double) {
        self.kind = kind
        self.factor = factor
    }

    /// Grams per kWh of one pound per MWh (the pound is 0.45359237 kg by definition).
    package static let gramsPerKWhOfPoundsPerMWh = 0.45359237

    private static let carbonFactors: [String: Double] = [
        "gco2/kwh": 1, "gco2e/kwh": 1, "gco2eq/kwh": 1, "g/kwh": 1, "kgco2/mwh": 1, "kg/mwh": 1, "kgco2eq/mwh": 1,
        "kgco2/kwh": 1000, "kg/kwh": 1000, "tco2/mwh": 1000, "t/mwh": 1000,
        "lbs_co2_per_mwh": gramsPerKWhOfPoundsPerMWh, "lbco2/mwh": gramsPerKWhOfPoundsPerMWh,
        "lb/mwh": gramsPerKWhOfPoundsPerMWh, "lbs/mwh": gramsPerKWhOfPoundsPerMWh,
    ]

    private static let solarFactors: [String: Double] = ["w": 1, "watt": 1, "watts": 1, "kw": 1000, "mw": 1_000_000]

    /// Hundredths whose currency their name makes plain; `c/kWh` alone could be anyone's and is refused.
    private static let hundredths: [String: String] = [
        "p": "GBP", "pence": "GBP", "ct": "EUR", "eurct": "EUR", "eurocent": "EUR", "ore": "SEK",
    ]

    private static func price(_ name: String) -> SeriesUnit? {
        let parts = name.replacing(" ", with: "").split(separator: "/")
        guard parts.count == 2 else { return nil }
        let perKWh: Double
        switch parts[1].lowercased() {
        case "kwh": perKWh = 1
        case "mwh": perKWh = 0.001
        case "wh": perKWh = 1000
        default: return nil
        }
        if let currency = hundredths[parts[0].lowercased()] {
            return SeriesUnit(kind: .price(currency: currency), factor: perKWh / 100)
        }
        guard parts[0].count == 3, parts[0].allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        return SeriesUnit(kind: .price(currency: parts[0].uppercased()), factor: perKWh)
    }

    private static func plain(_ name: String) -> String {
        name.lowercased().replacing(" ", with: "").replacing("\u{2082}", with: "2")
    }
}

extension EnergySeries.Kind {
    /// `price`, `carbon` or `solar`.
    package var name: String {
        switch self {
        case .price: "price"
        case .carbon: "carbon"
        case .solar: "solar"
        }
    }

    /// The unit of the common series: `EUR/kWh`, `gCO2/kWh`, `W`.
    package var unit: String {
        switch self {
        case .price(let currency): "\(currency)/kWh"
        case .carbon: "gCO2/kWh"
        case .solar: "W"
        }
    }
}
