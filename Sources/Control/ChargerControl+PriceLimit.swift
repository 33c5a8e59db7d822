import EnergyKit
import Foundation
import HubKit

/// Charging at once while electricity costs no more than a person's limit.
extension ChargerControl {
    /// The decision, or full power where the price now is within the limit.
    func atOnceWhereCheap(_ decision: ChargerDecision, _ inputs: TickInputs, _ power: ChargerPower) -> ChargerDecision {
        guard let limit = use.limit, plug != .unplugged, let wished = decision.amps,
            wished < power.range.maximumAmps, limit.includes(inputs.guidanceNow?.pricePerKWh)
        else { return decision }
        return ChargerDecision(
            amps: power.range.maximumAmps,
            reason: "charging at once: the price is not above the limit of \(inputs.shown(limit))",
            guidance: notFollowing(inputs))
    }
}

extension TickInputs {
    /// What the guidance says of this moment.
    var guidanceNow: ElectricityGuidance.Value? {
        guidance?.values.first { $0.interval.start <= now && now < $0.interval.end }
    }

    /// A limit as people read it.
    func shown(_ limit: PriceLimit) -> String {
        // As it is compared; nothing below zero that rounds to it.
        let price = String(format: "%.3f", limit.pricePerKWh.rounded(toPlaces: 3) + 0)
        return venue.currency.map { "\(price) \($0)/kWh" } ?? "\(price)/kWh"
    }
}
