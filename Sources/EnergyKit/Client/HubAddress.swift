import Foundation

/// Where a hub answers.
package struct HubAddress: Sendable, Equatable, CustomStringConvertible {
    /// The socket that a packaged hub makes.
    package static let usualSocket = "/run/offpeak/http.sock"
    /// Where a hub listens that was not told otherwise.
    package static let usualURL = "http://127.0.0.1:8484"

    /// The address that requests are written for, without a slash at its end.
    package let base: String
    /// The unix socket to connect to instead.
    package let socket: String?

    private init(base: String, socket: String?) {
        self.base = base
        self.socket = socket
    }

    /// Reads `http://HOST:PORT`, `https://HOST`, both with a path if the hub stands behind a proxy, or `unix:/PATH`.
    /// - Throws: `EnergyKitFailure` of `serviceUnavailable` that says what is wrong.
    package init(_ text: String) throws(EnergyKitFailure) {
        let fault = { (reason: String) in
            EnergyKitFailure(
                .serviceUnavailable,
                detail: "\(reason); a hub's address is http://HOST:PORT, https://HOST or unix:/PATH")
        }
        if text.hasPrefix("unix:") {
            var path = text.dropFirst("unix:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            guard path.hasPrefix("/"), path.utf8.count <= 107 else {
                throw fault("'\(text)' names no socket: its path begins with / and has at most 107 bytes")
            }
            self.init(base: "http://localhost", socket: String(path))
            return
        }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false
        else { throw fault("the text is no address") }
        guard parts.user == nil, parts.password == nil else {
            throw fault("an address holds no password; give a token with OFFPEAK_TOKEN")
        }
        guard parts.query == nil, parts.fragment == nil else { throw fault("'\(text)' goes on behind its path") }
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        self.init(base: base, socket: nil)
    }

    /// The usual place: the packaged hub's socket where this user may open it, otherwise the usual port of this machine.
    package static func usual(socket: String = usualSocket) -> HubAddress {
        FileManager.default.isWritableFile(atPath: socket)
            ? HubAddress(base: "http://localhost", socket: socket) : HubAddress(base: usualURL, socket: nil)
    }

    /// Whether the hub is on this machine: then no proxy of the environment, which is for the internet, lies between.
    package var isOnThisMachine: Bool {
        let host = URLComponents(string: base)?.host ?? ""
        return socket != nil || ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
    }

    /// For people.
    package var description: String { socket.map { "unix:\($0)" } ?? base }
}
