import EnergyKit
import Foundation
package import Storage

/// Load events as lines of InfluxDB's line protocol.
///
/// Tags are what one groups by: home, device, kind, direction and state. All else is a field.
///
/// A point is known by its tags and its time, and one with the same takes its place. Devices say whole seconds, and many
/// events may fall into one; a tag with the event's id would make them differ, and be a series for each event. So the
/// time's last six digits, which say nothing of when it was, are the event's place in the order of acceptance: it is
/// another for each event of a millisecond, and the same when the event is delivered again.
/// <https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/>
package enum LineProtocol {
    /// One event as a line, with its time in nanoseconds.
    package static func line(_ event: StoredEvent) -> String {
        var tags = [
            ("venue", event.venueID.uuidString), ("device", event.event.deviceID), ("kind", event.kind),
        ]
        var fields: [(String, String)] = []
        switch event.event {
        case .electricVehicle(let load):
            let measurement = load.measurement
            tags += [
                ("direction", measurement.direction.rawValue), ("state", load.session.state.rawValue),
            ]
            fields += [number("power_watts", measurement.power.watts)].compactMap(\.self)
            fields += [number("energy_watt_hours", measurement.energy.wattHours)].compactMap(\.self)
            fields += charge(measurement.stateOfCharge)
            if measurement.isEnergyEstimated { fields.append(("energy_estimated", "true")) }
            fields.append(("following_guidance", String(load.session.guidanceState.wasFollowingGuidance)))
        case .hvac(let load):
            tags.append(("state", load.session.state.rawValue))
            fields.append(("stage", "\(load.measurement.stage)i"))
            fields.append(("following_guidance", String(load.session.guidanceState.wasFollowingGuidance)))
        case .electricVehicleStatus(let status):
            fields += [number("stored_watt_hours", status.energy.wattHours)].compactMap(\.self)
            fields += charge(status.stateOfCharge)
        }
        if let session = event.event.sessionID {
            fields.append(("session", quoted(session.uuidString)))
        }
        if let token = event.event.guidanceToken {
            fields.append(("guidance_token", quoted(token.uuidString)))
        }
        fields.append(("id", quoted(event.event.id.uuidString)))
        let head = tags.filter { !$0.1.isEmpty }.map { ",\($0)=\(escaped($1))" }.joined()
        let body = fields.map { "\($0)=\($1)" }.joined(separator: ",")
        return "load_event\(head) \(body) \(nanoseconds(event))"
    }

    private static func number(_ name: String, _ value: Double) -> (String, String)? {
        value.isFinite ? (name, String(value)) : nil
    }

    private static func charge(_ percent: Int) -> [(String, String)] {
        percent == ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge
            ? [] : [("state_of_charge", "\(percent)i")]
    }

    /// The event's time to the millisecond and its place below that, in nanoseconds since 1970.
    private static func nanoseconds(_ event: StoredEvent) -> Int64 {
        let time = milliseconds(event.event.timestamp)
        // Six digits: a place returns after a million events, none of which falls into the same millisecond.
        return time * 1_000_000 + (event.sequence % 1_000_000 + 1_000_000) % 1_000_000
    }

    /// Whole milliseconds since 1970; a time beyond what InfluxDB knows is its first or last.
    static func milliseconds(_ moment: Date) -> Int64 {
        let most = 9_223_372_036_853.0
        return Int64(min(max((moment.timeIntervalSince1970 * 1000).rounded(), -most), most))
    }

    /// The value of a tag: comma, equals sign and space are escaped, a line break has no form and becomes a space.
    static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case ",", "=", " ": text += "\\\(Character(scalar))"
            case "\n", "\r", "\t", "\0": text += "\\ "
            default: text.unicodeScalars.append(scalar)
            }
        }
        // At the end it would escape the separator that follows.
        return text.hasSuffix("\\") ? text + "\\ " : text
    }

    /// The value of a text field.
    static func quoted(_ value: String) -> String {
        "\"" + value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
