import EnergyKit
import Foundation

/// The rules that an event keeps or breaks by itself.
struct EventRules {
    let venueID: UUID
    let now: Date
    /// Devices that only the hub may submit for.
    var ownDevices: Set<String> = []

    static let aheadSeconds: TimeInterval = 300
    static let oldSeconds: TimeInterval = 400 * 86_400
    /// No home moves this much, and sums of it still fit a whole number of milliwatt-hours.
    static let limit = 1e9

    /// The first rule that the event breaks, with what was found.
    func breach(_ event: AnyLoadEvent) -> (LoadEventRule, String)? {
        deviceBreach(event.deviceID) ?? textBreach(event.device) ?? timeBreach(event.timestamp)
            ?? measurementBreach(event)
    }

    /// JSON can write U+0000, and databases can't hold it: such an event would be refused by sinks for ever.
    private func textBreach(_ device: ElectricalLoadDevice?) -> (LoadEventRule, String)? {
        guard let device else { return nil }
        if device.name.utf8.contains(0) { return (.malformed, "the device's name has the character U+0000") }
        return device.id.utf8.contains(0) ? (.malformed, "the device's id has the character U+0000") : nil
    }

    private func deviceBreach(_ id: String) -> (LoadEventRule, String)? {
        if let breach = LoadDeviceID.breach(id) { return breach }
        return ownDevices.contains(id) ? (.deviceOfTheHub, "'\(id)'") : nil
    }

    private func timeBreach(_ moment: Date) -> (LoadEventRule, String)? {
        let ahead = moment.timeIntervalSince(now)
        guard ahead.isFinite else { return (.malformed, "the timestamp is not a time") }
        if ahead > Self.aheadSeconds { return (.inTheFuture, "\(Int(min(ahead, Self.limit))) s ahead") }
        if -ahead > Self.oldSeconds { return (.tooOld, "\(Int(min(-ahead / 86_400, Self.limit))) days old") }
        return nil
    }

    private func measurementBreach(_ event: AnyLoadEvent) -> (LoadEventRule, String)? {
        switch event {
        case .electricVehicle(let event):
            let measurement = event.measurement
            return amount(measurement.energy.wattHours, .energy, "Wh") ?? amount(measurement.power.watts, .power, "W")
                ?? chargeIfKnown(measurement.stateOfCharge)
        case .hvac(let event):
            let stage = event.measurement.stage
            return (0...100).contains(stage) ? nil : (.stage, "\(stage)")
        case .electricVehicleStatus(let event):
            guard event.venueID == venueID else { return (.venue, event.venueID.uuidString) }
            return amount(event.energy.wattHours, .energy, "Wh") ?? charge(event.stateOfCharge)
                ?? event.chargingTarget.flatMap { targetBreach($0) }
        }
    }

    private func targetBreach(_ target: ElectricVehicleStatusEvent.ChargingTarget) -> (LoadEventRule, String)? {
        let times = [target.scheduledStartTime, target.estimatedCompletionTime]
        // Times without words in JSON could not be kept.
        guard times.allSatisfy({ EnergyKitJSON.string(from: $0) != nil }) else {
            return (.malformed, "a time of the charging target is not a time")
        }
        return charge(target.stateOfCharge)
    }

    private func amount(_ value: Double, _ rule: LoadEventRule, _ unit: String) -> (LoadEventRule, String)? {
        value >= 0 && value <= Self.limit ? nil : (rule, "\(value) \(unit)")
    }

    private func chargeIfKnown(_ percent: Int) -> (LoadEventRule, String)? {
        percent == ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge ? nil : charge(percent)
    }

    private func charge(_ percent: Int) -> (LoadEventRule, String)? {
        (0...100).contains(percent) ? nil : (.stateOfCharge, "\(percent) %")
    }
}
