package import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage
import WebServer

extension HubAPI {
    private struct Receipt: Encodable {
        var accepted: Int
        var duplicates: Int
    }

    func submit(_ request: HTTPRequest, _ text: String, _ client: String) async throws -> HTTPResponse {
        let venue = try known(text)
        let body = Data(request.body)
        let events: [AnyLoadEvent]
        do {
            events = try AnyLoadEvent.batch(from: body)
        } catch {
            // Not JSON at all is the client's mistake in speaking; a wrong event is one in what it says.
            let isJSON = (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil
            throw isJSON ? error : Problem.badRequest("the body is not JSON")
        }
        let receipt = try await services.submitter.submit(events, at: venue.id, from: client)
        return try json(Receipt(accepted: receipt.accepted, duplicates: receipt.duplicates), status: 202)
    }

    private struct PageJSON: Encodable {
        var events: [AnyLoadEvent]
        var after: String?
    }

    func events(_ request: HTTPRequest) async throws -> HTTPResponse {
        let page = try await services.store.events(
            after: try cursor(request), device: request.query("device"), since: try date(request, "since"),
            limit: try limit(request, standard: 100))
        switch request.query("format") ?? "json" {
        case "json":
            return try json(PageJSON(events: page.events.map(\.event), after: page.next.map { String($0) }))
        case "csv":
            return .bytes(Array(EventTable.csv(page.events.map(\.event)).utf8), contentType: "text/csv; charset=utf-8")
        case let other:
            throw Problem.badRequest("format is json or csv, not '\(other)'")
        }
    }

    private struct SessionsJSON: Encodable { var sessions: [SessionSummary] }

    func sessions(_ request: HTTPRequest) async throws -> HTTPResponse {
        let sessions = try await services.store.sessions(
            device: request.query("device"), since: try date(request, "since"), limit: try limit(request, standard: 50))
        return try json(SessionsJSON(sessions: sessions))
    }

    private func cursor(_ request: HTTPRequest) throws -> Int64? {
        guard let text = request.query("after"), !text.isEmpty else { return nil }
        guard let value = Int64(text), value >= 0 else {
            throw Problem.badRequest("after is the cursor of the page before, not '\(text)'")
        }
        return value
    }

    private func limit(_ request: HTTPRequest, standard: Int) throws -> Int {
        guard let text = request.query("limit") else { return standard }
        guard let value = Int(text), (1...10_000).contains(value) else {
            throw Problem.badRequest("limit is from 1 to 10000, not '\(text)'")
        }
        return value
    }

    private func date(_ request: HTTPRequest, _ name: String) throws -> Date? {
        guard let text = request.query(name), !text.isEmpty else { return nil }
        // A plus sign that was not percent-encoded arrives as a space.
        guard let date = EnergyKitJSON.date(from: text.replacingOccurrences(of: " ", with: "+")) else {
            throw Problem.badRequest("\(name) is a time such as 2026-03-29T00:00:00Z, not '\(text)'")
        }
        return date
    }
}

/// Load events as a table, for spreadsheets.
package enum EventTable {
    /// The columns of every row.
    static let header =
        "timestamp,device,session,state,direction,powerWatts,energyWattHours,stateOfCharge,stage,wasFollowingGuidance,guidanceToken,id"

    /// A header and one row for each event.
    package static func csv(_ events: [AnyLoadEvent]) -> String {
        ([header] + events.map { row($0) }).joined(separator: "\r\n") + "\r\n"
    }

    private static func row(_ event: AnyLoadEvent) -> String {
        let time = EnergyKitJSON.string(from: event.timestamp) ?? ""
        var fields = [time, quoted(event.deviceID)]
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

    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
    }

    /// Quoted as RFC 4180 has it; a leading sign that a spreadsheet would run as a formula is made text.
    private static func quoted(_ text: String) -> String {
        let safe = text.first.map { "=+-@".contains($0) } == true ? "'" + text : text
        guard safe.contains(where: { ",\"\r\n".contains($0) }) else { return safe }
        return "\"" + safe.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
