import HubKit

/// From a bare price to what a kWh costs: `(spot + addPerKWh) × factor`.
package struct PriceComposition: Sendable, Equatable {
    /// Fees and taxes per kWh, in the currency, before the factor.
    package var addPerKWh: Double
    /// Percentage taxes as a factor: 1.19 for 19 % VAT.
    package var factor: Double
    /// Whether the factor applies to prices below zero too; some suppliers charge no VAT there.
    package var appliesFactorBelowZero: Bool

    /// Makes a composition; without arguments the price stays as it is.
    package init(addPerKWh: Double = 0, factor: Double = 1, appliesFactorBelowZero: Bool = true) {
        self.addPerKWh = addPerKWh
        self.factor = factor
        self.appliesFactorBelowZero = appliesFactorBelowZero
    }

    /// What a kWh costs at a bare price, to a billionth of the currency.
    package func price(spot: Double) -> Double {
        let net = spot + addPerKWh
        return (net < 0 && !appliesFactorBelowZero ? net : net * factor).rounded(toPlaces: 9)
    }

    /// The series with every bare price replaced by what a kWh costs.
    package func applied(to spot: EnergySeries) -> EnergySeries { spot.mapValues { price(spot: $0) } }
}
