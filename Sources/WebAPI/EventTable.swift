package import EnergyKit
import Foundation
import HubKit

/// Load events as a table, for spreadsheets.
///
/// ## File Format
/// RFC 4180 with a header line. Times are ISO 8601 in UTC with milliseconds, numbers have a point and at most three
/// decimals, what is not known is empty.
package enum EventTable {
    /// The columns of every row.
    static let header =
        "timestamp,device,session,state,direction,powerWatts,energyWattHours,stateOfCharge,stage,wasFollowingGuidance,guidanceToken,id"

    /// A header and one row for each event.
    package static func csv(_ events: [AnyLoadEvent]) -> String {
        ([header] + events.map { row($0) }).joined(separator: "\r\n") + "\r\n"
    }

    private static func row(_ event: AnyLoadEvent) -> String {
        var fields = [time(event.timestamp), quoted(event.deviceID)]
        switch event {
        case .electricVehicle(let event):
            let measurement = event.measurement
            fields += [
                event.session.id.uuidString, String(describing: event.session.state),
                String(describing: measurement.direction),
            ]
            fields += [
                number(measurement.power.converted(to: .watts).value),
                number(measurement.energy.converted(to: .kilowattHours).value * 1000),
            ]
            fields += [(0...100).contains(measurement.stateOfCharge) ? String(measurement.stateOfCharge) : "", ""]
            fields += [
                String(event.session.guidanceState.wasFollowingGuidance),
                event.session.guidanceState.guidanceToken.uuidString,
            ]
        case .hvac(let event):
            fields += [event.session.id.uuidString, String(describing: event.session.state), "imported", "", "", ""]
            fields += [String(event.measurement.stage), String(event.session.guidanceState.wasFollowingGuidance)]
            fields += [event.session.guidanceState.guidanceToken.uuidString]
        case .electricVehicleStatus(let event):
            fields += [
                event.sessionIdentifier?.uuidString ?? "", "status", "", "", "", String(event.stateOfCharge), "", "",
                "",
            ]
        }
        return (fields + [event.id.uuidString]).joined(separator: ",")
    }

    /// ISO 8601 in UTC as in JSON, always with three digits of the second: a column in two formats is read as text.
    private static func time(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard let text = EnergyKitJSON.string(from: Date(timeIntervalSince1970: milliseconds / 1000)) else { return "" }
        return text.contains(".") ? text : text.dropLast() + ".000Z"
    }

    private static func number(_ value: Double) -> String {
        let rounded = value.rounded(toPlaces: 3)
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
    }

    /// Quoted as RFC 4180 has it; a leading sign that a spreadsheet would run as a formula is made text.
    private static func quoted(_ text: String) -> String {
        let safe = text.first.map { "=+-@".contains($0) } == true ? "'" + text : text
        guard safe.contains(where: { ",\"\r\n".contains($0) }) else { return safe }
        return "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
