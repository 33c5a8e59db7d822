import Foundation
import HubKit

/// Home batteries: what the hub tells those that take orders, and what it expects of the others.
extension Controller {
    func decideBattery(_ id: DeviceID, _ now: Date) {
        guard let inputs = inputs(id, now, countsBatteries: false), var control = batteries[id] else { return }
        let decision = control.decide(inputs, beside: besideBatteries[inputs.venue.id] ?? ChargersBeside())
        batteries[id] = control
        publish(id, use: control.use, plan: control.plan, decision.reason, decision.guidance, nil)
        if let order = decision.order { mailboxes[id]?.post(.battery(order)) }
    }

    /// What a home's batteries leave of the expected sun.
    func left(of surplus: ExpectedSurplus, in venue: UUID, at now: Date) -> ExpectedSurplus {
        (homes[venue]?.batteries ?? []).reduce(surplus) { left, device in
            guard let battery = device.configuration.battery,
                let percent = device.freshReading(within: 900, at: now)?[.stateOfChargePercent]
            else { return left }
            return left.beside(battery, stateOfCharge: percent, at: now)
        }
    }
}
