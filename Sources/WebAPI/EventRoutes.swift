import EnergyKit
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
        do {
            return try await accept(request, text, client)
        } catch let failure as EnergyKitFailure {
            // A program with Apple's spelling of the error can't see which event and rule it was.
            if let invalid = failure.invalidEvent { refusals.note(invalid, from: client, services.log) }
            throw failure
        }
    }

    private func accept(_ request: HTTPRequest, _ text: String, _ client: String) async throws -> HTTPResponse {
        let venue = try known(text)
        // Not JSON at all is the client's mistake in speaking; a wrong event is one in what it says.
        let tree = try HubAPI.tree(of: request)
        let events = try AnyLoadEvent.batch(from: Data(request.body))
        do {
            try JSONShape.events.check(tree)
        } catch {
            throw EnergyKitFailure(
                InvalidLoadEvent(
                    index: error.index, eventID: error.index.map { events[$0].id }, rule: .malformed,
                    detail: error.description))
        }
        let receipt = try await services.submitter.submit(events, at: venue.id, from: client)
        return try json(Receipt(accepted: receipt.accepted, duplicates: receipt.duplicates), status: 202)
    }

    private struct PageJSON: Encodable {
        var events: [AnyLoadEvent]
        var after: String?
    }

    func events(_ request: HTTPRequest) async throws -> HTTPResponse {
        let format = try request.choice("format", ["json", "csv"])
        let page = try await services.store.events(
            after: try cursor(request), device: request.query("device"), since: try request.time("since"),
            limit: try request.count("limit", in: 1...10_000, standard: 100))
        let events = page.events.map(\.event)
        // A table has no room for the cursor, so the header says where it goes on; JSON has both.
        let headers = page.next.map { [("Link", "<\(HubAPI.address(of: request, after: $0))>; rel=\"next\"")] } ?? []
        guard format == "csv" else {
            return try json(PageJSON(events: events, after: page.next.map { String($0) }), headers: headers)
        }
        return .bytes(Array(EventTable.csv(events).utf8), contentType: "text/csv; charset=utf-8", headers: headers)
    }

    /// The request's own address with another cursor.
    private static func address(of request: HTTPRequest, after cursor: Int64) -> String {
        let kept = request.query.filter { $0.name != "after" }.map { "\($0.name)=\(encoded($0.value))&" }
        return "/api/v1/events?\(kept.joined())after=\(cursor)"
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "-._~").union(.alphanumerics).intersection(
            .init(charactersIn: "!"..."~"))
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private struct SessionsJSON: Encodable { var sessions: [SessionSummary] }

    func sessions(_ request: HTTPRequest) async throws -> HTTPResponse {
        let sessions = try await services.store.sessions(
            device: request.query("device"), since: try request.time("since"),
            limit: try request.count("limit", in: 1...10_000, standard: 50))
        return try json(SessionsJSON(sessions: sessions.map { HubAPI.tidy($0) }))
    }

    private static func tidy(_ session: SessionSummary) -> SessionSummary {
        var session = session
        session.energyWattHours = session.energyWattHours?.rounded(toPlaces: 3)
        session.cost = session.cost?.rounded(toPlaces: 6)
        session.gramsCO2 = session.gramsCO2?.rounded(toPlaces: 3)
        session.followedShare = session.followedShare?.rounded(toPlaces: 6)
        return session
    }

    /// The cursor of the page before, where the request names one.
    func cursor(_ request: HTTPRequest) throws -> Int64? {
        guard let text = request.query("after"), !text.isEmpty else { return nil }
        guard let value = Int64(text), value >= 0 else {
            throw Problem.badRequest(
                "after is the cursor of the page before, not '\(HTTPRequest.shown(text))'")
        }
        return value
    }
}
