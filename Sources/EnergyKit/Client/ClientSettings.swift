import Foundation

/// How a program reaches its hub, as its environment says.
///
/// | variable | meaning |
/// |---|---|
/// | `OFFPEAK_URL` | `http://HOST:PORT`, `https://HOST` or `unix:/PATH`; by itself the socket of a packaged hub if this user may open it, otherwise `http://127.0.0.1:8484` |
/// | `OFFPEAK_TOKEN` | an access token |
/// | `OFFPEAK_TOKEN_FILE` | a file with an access token; read at every call, so that a new token needs no restart |
/// | `OFFPEAK_CLIENT` | the name by which the hub tells programs apart; by itself the program's own name |
package struct ClientSettings: Sendable {
    /// Where an access token comes from.
    package enum Token: Sendable, Equatable {
        /// There is none; the hub may still answer, such as on its socket.
        case none
        /// This one.
        case text(String)
        /// What stands in the file at that path.
        case file(String)
    }

    /// Where the hub answers; nil for the usual place, looked up at every call.
    package var address: HubAddress?
    /// Where the token comes from.
    package var token: Token
    /// The program's name: letters, digits, `.`, `_` and `-`, 64 at most.
    package var name: String
    /// The pauses before a call that failed for the moment is tried again.
    package var pauses = PatientCall.pauses

    /// Makes settings.
    package init(address: HubAddress?, token: Token = .none, name: String = ProcessInfo.processInfo.processName) {
        self.address = address
        self.token = token
        self.name = Self.tidy(name)
    }

    /// Reads settings from an environment.
    /// - Throws: `EnergyKitFailure` for an `OFFPEAK_URL` that is none.
    package init(environment: [String: String]) throws(EnergyKitFailure) {
        let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        var address: HubAddress?
        if let text = value("OFFPEAK_URL") {
            do throws(EnergyKitFailure) {
                address = try HubAddress(text)
            } catch {
                throw EnergyKitFailure(error.error, detail: "OFFPEAK_URL: \(error.detail)")
            }
        }
        var token = Token.none
        if let path = value("OFFPEAK_TOKEN_FILE") { token = .file(path) }
        if let text = value("OFFPEAK_TOKEN") { token = .text(text) }
        self.init(
            address: address, token: token, name: value("OFFPEAK_CLIENT") ?? ProcessInfo.processInfo.processName)
    }

    /// Where the hub answers now.
    package var place: HubAddress { address ?? HubAddress.usual() }

    /// The token as it is now.
    /// - Throws: `EnergyKitFailure` of `permissionDenied` for a file that can't be read, and for a text that is no token.
    package func currentToken() throws(EnergyKitFailure) -> String? {
        switch token {
        case .none: return nil
        case .text(let text): return try Self.checked(text, "the access token")
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw EnergyKitFailure(.permissionDenied, detail: "the token file \(path) can't be read")
            }
            guard !data.isEmpty else {
                throw EnergyKitFailure(.permissionDenied, detail: "the token file \(path) is empty")
            }
            return try Self.checked(String(decoding: data, as: UTF8.self), "what stands in \(path)")
        }
    }

    /// A token is one word; its text is never shown, since it may be a slip of one letter away from a real one.
    private static func checked(_ text: String, _ place: String) throws(EnergyKitFailure) -> String {
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.count <= 1_000, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw EnergyKitFailure(
                .permissionDenied, detail: "\(place) is no token: one word, as 'offpeak token create' prints it")
        }
        return token
    }

    /// A name that can stand in a header field and in a key.
    private static func tidy(_ name: String) -> String {
        let isGood = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let bytes = name.utf8.prefix(64).map { isGood($0) ? $0 : UInt8(ascii: "-") }
        return bytes.isEmpty ? "program" : String(decoding: bytes, as: UTF8.self)
    }
}
