import EnergyKit
import Foundation
package import Storage

/// Load events as lines of InfluxDB's line protocol.
///
/// Tags are what one groups by: home, device, kind, direction and state. The state is one because a session's begin and
/// its first sample have the same time, and would be one point without it. All else is a field.
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
        return "load_event\(head) \(body) \(nanoseconds(event.event.timestamp))"
    }

    private static func number(_ name: String, _ value: Double) -> (String, String)? {
        value.isFinite ? (name, String(value)) : nil
    }

    private static func charge(_ percent: Int) -> [(String, String)] {
        percent == ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge
            ? [] : [("state_of_charge", "\(percent)i")]
    }

    /// Whole nanoseconds since 1970, exact to the microsecond.
    static func nanoseconds(_ moment: Date) -> Int64 {
        let seconds = moment.timeIntervalSince1970
        let whole = seconds.rounded(.down)
        guard abs(whole) < 9_000_000_000 else { return whole < 0 ? .min : .max }
        return Int64(whole) * 1_000_000_000 + Int64(((seconds - whole) * 1_000_000).rounded()) * 1000
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
