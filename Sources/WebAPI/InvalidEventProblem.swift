import EnergyKit
import Foundation
import WebServer

/// The answer to a batch with a wrong event: a problem document that also names event and rule for programs, as the
/// extension members `index`, `eventID`, `rule` and `found` (RFC 9457, section 3.2).
struct InvalidEventProblem: Encodable {
    private let type = "about:blank"
    private let title = "Unprocessable Content"
    private let status = 422
    private let code = EnergyKitError.invalidLoadEvent.code
    private let detail: String
    private let index: Int?
    private let eventID: UUID?
    private let rule: String
    private let found: String?

    init(_ event: InvalidLoadEvent) {
        detail = event.description
        index = event.index
        eventID = event.eventID
        rule = event.rule.rawValue
        found = event.detail.isEmpty ? nil : event.detail
    }

    var response: HTTPResponse {
        let bytes = (try? JSONEncoder().encode(self)).map { Array($0) } ?? []
        return .bytes(bytes, contentType: "application/problem+json", status: status)
    }
}
