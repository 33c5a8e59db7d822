import Foundation
import HubKit
import Sodium
import Storage
import ThreadKit
import WebServer

/// Who may read and change over HTTP.
package struct AccessRules: Sendable, Equatable {
    /// Whether the hub listens on loopback only; beyond it everything needs a credential.
    package var isLoopback: Bool
    /// Whether reading needs a credential on loopback too.
    package var protectsReading: Bool

    /// Makes rules.
    package init(isLoopback: Bool, protectsReading: Bool = false) {
        self.isLoopback = isLoopback
        self.protectsReading = protectsReading
    }
}

/// What a credential allows; each role includes those before it.
package enum Role: String, Sendable, Comparable, CaseIterable {
    /// Reads.
    case viewer
    /// Changes modes and goals, and submits events.
    case `operator`
    /// Everything.
    case admin

    package static func < (left: Role, right: Role) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// Checks who asks: bearer tokens, the page's session cookie, the browser's Origin and the Host.
final class Gate: Sendable {
    private struct Session {
        var role: Role
        var began: ContinuousClock.Instant
    }

    private let store: HubStore
    private let rules: AccessRules
    private let sessions = Locked<[String: Session]>([:])
    static let cookie = "offpeak_session"
    static let sessionSeconds = 30 * 86_400

    init(store: HubStore, rules: AccessRules) {
        self.store = store
        self.rules = rules
    }

    /// Refuses a name that is not this machine's while only this machine is served: a page from elsewhere could
    /// otherwise read the hub by pointing its own name at loopback.
    func checkHost(_ request: HTTPRequest) throws {
        guard isOfThisMachine(request), !request.isUnixSocket else { return }
        let host = Gate.hostName(request.headers["Host"] ?? "localhost")
        guard ["localhost", "::1"].contains(host) || Gate.isLoopbackAddress(host) else {
            throw Problem(
                403, "permissionDenied", "the hub serves this machine only; use http://127.0.0.1 and its port")
        }
    }

    func requireReading(_ request: HTTPRequest) async throws {
        let role = try await role(of: request)
        if role == nil, isOfThisMachine(request), !rules.protectsReading { return }
        guard role != nil else { throw Gate.missing }
    }

    /// Whether only this machine can have sent a request; the listener for TLS is for everybody.
    private func isOfThisMachine(_ request: HTTPRequest) -> Bool { rules.isLoopback && !request.isEncrypted }

    /// - Returns: who asks, for the rate limit.
    func requireChange(_ request: HTTPRequest) async throws -> String {
        guard let role = try await role(of: request) else { throw Gate.missing }
        guard role >= .operator else {
            throw Problem(
                403, "permissionDenied",
                "this credential may only read; create one with 'offpeak token create --role operator'")
        }
        try checkOrigin(request)
        return client(of: request)
    }

    /// The token in a form that is no secret, the address, or the socket.
    func credential(of request: HTTPRequest) -> String {
        Gate.bearer(request).map { Gate.key($0) } ?? request.remoteAddress ?? "socket"
    }

    private static let missing = Problem(
        401, "permissionDenied", "this needs an access token; create one with 'offpeak token create --role operator'")

    private func role(of request: HTTPRequest) async throws -> Role? {
        if let token = Gate.bearer(request) {
            guard let role = try await role(ofToken: token) else {
                throw Problem(
                    401, "permissionDenied", "the access token is not valid; create one with 'offpeak token create'")
            }
            return role
        }
        if let cookie = Gate.cookieValue(request), let session = sessions.withLock({ $0[cookie] }) {
            guard ContinuousClock.now - session.began < .seconds(Gate.sessionSeconds) else { return nil }
            return session.role
        }
        // The socket's own permissions say who may use it.
        return request.isUnixSocket ? .operator : nil
    }

    func role(ofToken token: String) async throws -> Role? {
        try await store.role(ofHash: Array(TokenHash(of: token).hex.utf8)).flatMap { Role(rawValue: $0) }
    }

    /// Who asks, to tell two requests of one client apart from those of two; never shown or kept.
    ///
    /// By token, with the program's name where it gives one, or by session. Who has neither is a client of its own with
    /// every request: programs of this machine, or pages behind one address, must not keep each other waiting.
    func identity(_ request: HTTPRequest) -> String {
        if Gate.bearer(request) != nil { return client(of: request) }
        return Gate.cookieValue(request).map { Gate.key($0) } ?? UUID().uuidString
    }

    /// A browser names where a request comes from; a change must come from the hub's own page.
    ///
    /// A session is a browser's, so with a session's cookie alone the origin has to be named.
    func checkOrigin(_ request: HTTPRequest) throws {
        let site = request.headers["Sec-Fetch-Site"]
        if let site, site != "same-origin", site != "none" { throw Gate.foreign("another site") }
        guard let origin = request.headers["Origin"] else {
            let isBrowsers = Gate.bearer(request) == nil && Gate.cookieValue(request) != nil
            guard !isBrowsers || site != nil else { throw Gate.foreign("a sender that names no Origin") }
            return
        }
        let host = request.headers["Host"] ?? ""
        guard origin == "http://\(host)" && !request.isEncrypted || origin == "https://\(host)" else {
            throw Gate.foreign(HTTPRequest.shown(origin))
        }
    }

    private static func foreign(_ origin: String) -> Problem {
        Problem(403, "permissionDenied", "a change must come from the hub's own page, not from \(origin)")
    }

    func open(_ role: Role) -> String {
        let id = AccessToken().text
        sessions.withLock { sessions in
            // A browser that signs in again and again must not fill the memory.
            if sessions.count > 1000, let oldest = sessions.min(by: { $0.value.began < $1.value.began }) {
                sessions[oldest.key] = nil
            }
            sessions[id] = Session(role: role, began: .now)
        }
        return id
    }

    func close(_ request: HTTPRequest) {
        guard let cookie = Gate.cookieValue(request) else { return }
        sessions.withLock { $0[cookie] = nil }
    }

    func currentRole(_ request: HTTPRequest) async throws -> Role? { try await role(of: request) }

    private static func bearer(_ request: HTTPRequest) -> String? {
        guard let value = request.headers["Authorization"], value.lowercased().hasPrefix("bearer ") else { return nil }
        return value.dropFirst(7).trimmingCharacters(in: .whitespaces)
    }

    private static func key(_ token: String) -> String {
        String(TokenHash(of: token).hex.prefix(12))
    }

    private static func cookieValue(_ request: HTTPRequest) -> String? {
        for pair in (request.headers["Cookie"] ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2, parts[0] == cookie { return parts[1] }
        }
        return nil
    }

    /// Whether the name is an address of 127.0.0.0/8, in digits: a name such as 127.0.0.1.example.com is anyone's.
    private static func isLoopbackAddress(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The name without port and brackets.
    private static func hostName(_ host: String) -> String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" }).lowercased()
    }
}
