import WebServer
import YAML

extension HubAPI {
    /// Answers a request below `/api/v1`.
    /// - Parameter path: what stands behind it, by parts.
    func api(_ request: HTTPRequest, _ path: [String]) async throws -> HTTPResponse {
        let routes = Route.all.compactMap { route in route.captures(path).map { (route: route, captures: $0) } }
        let allowed = Self.methods(routes.map(\.route.method))
        if request.method == "OPTIONS", !routes.isEmpty { return .options(allowed) }
        let method = request.method == "HEAD" ? "GET" : request.method
        let match = routes.first { $0.route.method == method }
        // Whether there is something at an address is for those who may ask at all.
        let client = try await admit(request, match?.route.access)
        guard let match else {
            throw routes.isEmpty ? Problem.notFound(request) : Problem.method(request, allowed: allowed)
        }
        try match.route.checkQuery(request)
        let call = Route.Call(request: request, captures: match.captures, client: client)
        return try await match.route.handle(self, call)
    }

    private func admit(_ request: HTTPRequest, _ access: Route.Access?) async throws -> String {
        let isReading = ["GET", "HEAD", "OPTIONS"].contains(request.method)
        switch access ?? (isReading ? .reading : .change) {
        case .open: return ""
        case .reading:
            try await gate.requireReading(request)
            return ""
        case .change: return try await gate.requireChange(request)
        }
    }

    /// The methods of an address with those that the server adds, for the header `Allow`.
    static func methods(_ own: [String]) -> [String] {
        own.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] } + ["OPTIONS"]
    }

    /// Answers what has one address and is only read.
    func onlyRead(
        _ request: HTTPRequest, _ answer: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        switch request.method {
        case "GET", "HEAD": return try await answer()
        case "OPTIONS": return .options(Self.methods(["GET"]))
        default: throw Problem.method(request, allowed: Self.methods(["GET"]))
        }
    }

    /// Says that a word is not known, and which was probably meant.
    static func unknown(_ what: String, _ word: String, _ known: [String]) -> String {
        let shown = word.count > 40 ? word.prefix(40) + "…" : word[...]
        let hint =
            NearestWord.match(word, among: known).map { "did you mean '\($0)'?" }
            ?? (known.isEmpty ? "there are none here" : "known here: \(known.sorted().joined(separator: ", "))")
        return "unknown \(what) '\(shown)'; \(hint)"
    }
}

extension HTTPResponse {
    /// 204 with the methods that an address knows.
    fileprivate static func options(_ allowed: [String]) -> HTTPResponse {
        HTTPResponse(status: 204, headers: [("Allow", allowed.joined(separator: ", "))])
    }
}
