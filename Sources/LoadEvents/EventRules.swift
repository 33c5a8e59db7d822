import EnergyKit
import Foundation

/// The rules that an event keeps or breaks by itself.
struct EventRules {
    let venueID: UUID
    let now: Date
    /// Devices that only the hub may submit for.
    var ownDevices: Set<String> = []

    static let longestDeviceID = 128
    static let aheadSeconds: TimeInterval = 300
    static let oldSeconds: TimeInterval = 400 * 86_400
    /// No home moves this much, and sums of it still fit a whole number of milliwatt-hours.
    static let limit = 1e9

    /// The first rule that the event breaks, with what was found.
    func breach(_ event: AnyLoadEvent) -> (LoadEventRule, String)? {
        deviceBreach(event.deviceID) ?? timeBreach(event.timestamp) ?? measurementBreach(event)
    }

    private func deviceBreach(_ id: String) -> (LoadEventRule, String)? {
        if Self.isPlain(id) { return ownDevices.contains(id) ? (.deviceOfTheHub, "'\(id)'") : nil }
        if id.isEmpty { return (.emptyDeviceID, "") }
        // Characters may be of many scalars each, so both are bounded.
        if id.count > Self.longestDeviceID || id.utf8.count > 4 * Self.longestDeviceID {
            return (.deviceID, "one of \(id.utf8.count) bytes")
        }
        if id.unicodeScalars.contains(where: { Self.invisible.contains($0.properties.generalCategory) }) {
            return (.deviceID, id.debugDescription)
        }
        if id.allSatisfy(\.isWhitespace) { return (.deviceID, "nothing but spaces") }
        return ownDevices.contains(id) ? (.deviceOfTheHub, "'\(id)'") : nil
    }

    /// Whether a name is of visible ASCII and not too long, as nearly every one is: a look at each character's properties
    /// takes longer than all other rules together.
    private static func isPlain(_ id: String) -> Bool {
        let bytes = id.utf8
        return (1...longestDeviceID).contains(bytes.count) && bytes.allSatisfy { 0x20 < $0 && $0 < 0x7F }
    }

    private static let invisible: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
    ]

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
                ?? event.chargingTarget.flatMap { charge($0.stateOfCharge) }
        }
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
