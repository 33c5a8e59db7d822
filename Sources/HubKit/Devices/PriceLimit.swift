/// The price at or below which a charger charges at once, whatever its plan says.
///
/// Prices and limits are compared as they are shown, to a thousandth of the currency's unit: a slot of 0.24004 that
/// stands on the page as 0.240 is not above a limit of 0.24.
public struct PriceLimit: Sendable, Equatable, Codable {
    /// Money for each kilowatt-hour in the venue's currency; 0 and less are prices like any other.
    public var pricePerKWh: Double

    /// What can be asked for, in money for each kilowatt-hour.
    public static let range = -10_000.0...10_000

    /// Makes a limit.
    public init(pricePerKWh: Double) {
        // Adding zero takes the sign from a zero.
        self.pricePerKWh = pricePerKWh + 0
    }

    /// Whether electricity at this price is cheap enough.
    /// - Parameter price: money for each kilowatt-hour; a price that is not known is never cheap.
    public func includes(_ price: Double?) -> Bool {
        guard let price, price.isFinite else { return false }
        return price.rounded(toPlaces: 3) <= pricePerKWh.rounded(toPlaces: 3)
    }
}
