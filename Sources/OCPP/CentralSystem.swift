import Foundation
package import HubKit
import ThreadKit
package import WebServer

/// The place where chargers connect: knows each by its name, lets it in, and hands it to whoever looks after it.
///
/// A charger that connects anew before its old connection is closed takes the place of the old one (field case D-10).
package final class CentralSystem: Sendable {
    /// The subprotocol of OCPP 1.6J.
    static let subprotocol = "ocpp1.6"
    /// The start of the paths that chargers connect to; the charger's name follows.
    package static let pathPrefix = "/ocpp/"

    /// Keeps what must outlive the process; nothing where nothing need to.
    package let store: (any ChargePointStore)?
    let clock: any HubClock
    let log: HubLog
    let timeout: Duration
    /// How long a charger that has just connected is left alone, in real time.
    package let settling: Duration
    private let state = Locked(State())

    private struct State: Sendable {
        /// By the name in lower case: chargers change the case of what a person typed.
        var places: [String: Place] = [:]
        /// What strangers were told, by name; bounded, since a stranger may use any number of names.
        var refusals: [String: StandingFault] = [:]
        var connections = 0
    }

    private struct Place: Sendable {
        var name: String
        var password: String?
        var listener: any ChargePointListener
        var session: ChargePointSession?
    }

    /// Makes a place without chargers.
    /// - Parameters:
    ///   - store: what keeps transactions over restarts.
    ///   - clock: the hub's time.
    ///   - log: where strangers are told of.
    ///   - timeout: how long a charger may take to answer, in real time.
    ///   - settling: how long a charger that has just connected is left alone, in real time.
    package init(
        store: (any ChargePointStore)? = nil, clock: any HubClock = SystemClock(), log: HubLog = .silent,
        timeout: Duration = .seconds(30), settling: Duration = .seconds(2)
    ) {
        self.store = store
        self.clock = clock
        self.log = log.labelled("ocpp")
        self.timeout = timeout
        self.settling = settling
    }

    /// Says who looks after a charger; the last one of a name counts.
    package func register(_ connection: OCPPConnection, listener: any ChargePointListener) {
        state.withLock {
            $0.places[connection.chargePoint.lowercased()] = Place(
                name: connection.chargePoint, password: connection.password, listener: listener)
        }
    }

    /// The route for a web server.
    package var route: WebSocketRoute {
        WebSocketRoute(
            pathPrefix: CentralSystem.pathPrefix, subprotocols: [CentralSystem.subprotocol],
            unknownSubprotocol: .accept, admit: { self.refusal(of: $0) }, handler: { await self.serve($0) })
    }

    private func place(of request: HTTPRequest) -> Place? {
        CentralSystem.name(in: request).flatMap { name in state.withLock { $0.places[name.lowercased()] } }
    }

    /// The charger's name: what follows the prefix, with or without a slash at its end.
    private static func name(in request: HTTPRequest) -> String? {
        let parts = request.pathSegments
        return parts.count == 2 ? parts[1] : nil
    }

    // MARK: - Letting in

    private func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let place = place(of: request) else {
            let name = CentralSystem.shown(CentralSystem.name(in: request) ?? "")
            say(
                "a charger calls itself '\(name)', which is no device's; add 'connection: {ocpp: \(name)}' to one, or mend the charger's address",
                of: name)
            return .notFound
        }
        if let origin = request.headers["Origin"], CentralSystem.isForeign(origin, to: request) {
            say("a page of \(CentralSystem.shown(origin)) tried to connect as '\(place.name)'", of: place.name)
            return .status(403)
        }
        guard CentralSystem.isRight(request.headers["Authorization"], for: place) else {
            say(
                "'\(place.name)' came without the right password; give the charger that of its 'password_file:'",
                of: place.name)
            return .status(401, headers: [("WWW-Authenticate", "Basic realm=\"ocpp\"")])
        }
        let offered = request.headers.elements("Sec-WebSocket-Protocol")
        guard offered.isEmpty || offered.contains(CentralSystem.subprotocol) else {
            let spoken = CentralSystem.shown(offered.joined(separator: ", "))
            say("'\(place.name)' speaks \(spoken); set it to OCPP 1.6J (JSON)", of: place.name)
            return .status(400)
        }
        return nil
    }

    /// A browser names the page that opens a WebSocket; none of another host may pass for a charger.
    private static func isForeign(_ origin: String, to request: HTTPRequest) -> Bool {
        func host(_ text: some StringProtocol) -> String {
            let rest = text.components(separatedBy: "://").last ?? ""
            if rest.hasPrefix("[") { return String(rest.prefix { $0 != "]" }) }
            return rest.prefix { $0 != ":" && $0 != "/" }.lowercased()
        }
        return host(origin) != host(request.headers["Host"] ?? "")
    }

    private static func isRight(_ authorization: String?, for place: Place) -> Bool {
        guard let password = place.password else { return true }
        guard let authorization, authorization.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: authorization.dropFirst(6).trimmingCharacters(in: .whitespaces)),
            let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        let user = String(decoding: data[..<colon], as: UTF8.self)
        return user.lowercased() == place.name.lowercased()
            && isSame(Array(data[(colon + 1)...]), Array(password.utf8))
    }

    /// Compares in a time that does not tell how much is right.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func say(_ text: String, of name: String) {
        let now = clock.now
        let line = state.withLock { state -> String? in
            if state.refusals.count >= 64, state.refusals[name] == nil { return nil }
            return state.refusals[name, default: StandingFault()].failed(text, at: now)
        }
        if let line { log.warning(line) }
    }

    /// What a stranger sent, fit for a line of the log.
    private static func shown(_ text: String) -> String {
        String(
            text.prefix(64).map {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0.isPunctuation || $0 == " ") ? $0 : "?"
            })
    }

    // MARK: - Serving

    private func serve(_ connection: WebSocketConnection) async {
        guard let place = place(of: connection.request) else { return }
        let key = place.name.lowercased()
        let timeout = timeout
        let (session, old) = state.withLock { state -> (ChargePointSession, ChargePointSession?) in
            state.connections += 1
            let session = ChargePointSession(place.name, number: state.connections, connection, timeout: timeout)
            let old = state.places[key]?.session
            state.places[key]?.session = session
            state.refusals[place.name] = nil
            return (session, old)
        }
        await place.listener.opened(session)
        await old?.close()
        await session.run(place.listener)
        state.withLock { state in
            if state.places[key]?.session === session { state.places[key]?.session = nil }
        }
        await place.listener.closed(session)
    }
}

/// Keeps a charger's transactions over restarts, as text.
package protocol ChargePointStore: Sendable {
    /// What was kept for a device.
    /// - Throws: what kept it from being read.
    func kept(for device: DeviceID) async throws -> String?

    /// Keeps a text for a device; on disk when it returns.
    /// - Throws: what kept it from being written.
    func keep(_ text: String, for device: DeviceID) async throws
}
