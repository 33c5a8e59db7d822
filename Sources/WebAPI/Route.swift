import Foundation
import WebServer

/// One method of one address of the API: what it answers, who may ask, and what it takes.
///
/// The table of routes is the only list of them: requests are matched with it, and the API's description is made of it.
struct Route: Sendable {
    /// Who may ask.
    enum Access: Sendable {
        /// Anyone; the handler looks itself.
        case open
        /// Who may read.
        case reading
        /// Who may change.
        case change
    }

    /// A value in the query.
    struct Parameter: Sendable {
        var name: String
        var summary: String
        var choices: [String] = []
        var isRequired = false
    }

    /// One request on its way through a route.
    struct Call: Sendable {
        let request: HTTPRequest
        /// What stands in place of the path's `{…}`, in order.
        let captures: [String]
        /// Who asks, for limits; empty where nobody has to be known.
        let client: String

        /// The first `{…}`.
        var id: String { captures.first ?? "" }
    }

    let method: String
    let path: String
    let summary: String
    var access = Access.reading
    var parameters: [Parameter] = []
    /// The body it takes, as OpenAPI's name of it; nil for none.
    var body: String?
    /// Whether it has to have a body.
    var isBodyRequired = true
    /// The status of success, and what the answer is, as OpenAPI's name of it or a media type.
    var success = 200
    var answer: String
    let handle: @Sendable (HubAPI, Call) async throws -> HTTPResponse

    /// The path's parts.
    private var parts: [Substring] { path.split(separator: "/") }

    /// What stands in place of the path's `{…}`, or nil for another path.
    func captures(_ segments: [String]) -> [String]? {
        let parts = parts
        guard parts.count == segments.count else { return nil }
        var found: [String] = []
        for (part, segment) in zip(parts, segments) {
            if part.hasPrefix("{") { found.append(segment) } else if part != segment { return nil }
        }
        return found
    }

    /// Refuses a query that has a name which is not known, or one twice: what it was to change would stay as it is.
    func checkQuery(_ request: HTTPRequest) throws {
        var seen: Set<String> = []
        for item in request.query {
            guard parameters.contains(where: { $0.name == item.name }) else {
                throw Problem.badRequest(HubAPI.unknown("query parameter", item.name, parameters.map(\.name)))
            }
            guard seen.insert(item.name).inserted else {
                throw Problem.badRequest("\(item.name) stands twice in the query; give it once")
            }
        }
    }
}
