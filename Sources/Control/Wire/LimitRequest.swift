package import HubKit

/// A price limit as HTTP and MQTT bring it.
package struct LimitRequest: Decodable, Sendable {
    var pricePerKWh: Double

    /// Asks for a limit, in money for each kilowatt-hour.
    package init(pricePerKWh: Double) {
        self.pricePerKWh = pricePerKWh
    }

    /// What is asked for.
    package var limit: PriceLimit { PriceLimit(pricePerKWh: pricePerKWh) }
}
