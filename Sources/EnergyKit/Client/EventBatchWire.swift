import Foundation

/// A batch of events as it travels.
enum EventBatchWire {
    /// The body of a submission.
    /// - Throws: `EnergyKitFailure` that names the event which JSON has no words for, by the rule the hub would name.
    static func body(_ events: [AnyLoadEvent]) throws(EnergyKitFailure) -> [UInt8] {
        let encoder = EnergyKitJSON.encoder()
        var body: [UInt8] = [UInt8(ascii: "[")]
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            do {
                body += try encoder.encode(event)
            } catch {
                let (rule, found) = breach(event)
                throw EnergyKitFailure(
                    InvalidLoadEvent(index: index, eventID: event.id, rule: rule, detail: found))
            }
        }
        body.append(UInt8(ascii: "]"))
        return body
    }

    /// Which rule an event breaks that can't be written: JSON has neither infinity nor dates without end.
    private static func breach(_ event: AnyLoadEvent) -> (LoadEventRule, String) {
        switch event {
        case .electricVehicle(let event):
            let energy = event.measurement.energy.wattHours
            let power = event.measurement.power.watts
            if !energy.isFinite { return (.energy, "\(energy) Wh") }
            if !power.isFinite { return (.power, "\(power) W") }
        case .electricVehicleStatus(let event):
            let energy = event.energy.wattHours
            if !energy.isFinite { return (.energy, "\(energy) Wh") }
        case .hvac: break
        }
        return (.malformed, "a value that JSON has no words for")
    }
}
