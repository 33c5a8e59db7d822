import WebServer

extension Gate {
    /// The header field by which a program names itself.
    static let clientField = "Offpeak-Client"

    /// Who asks, for limits and for the memory of who fetched which guidance: the credential, and behind a slash the
    /// program where it names itself, since one socket or one token may serve several.
    ///
    /// A name is believed: with many names a program gets round its own allowance, but not round its credential's.
    func client(of request: HTTPRequest) -> String {
        let credential = credential(of: request)
        return Self.program(of: request).map { "\(credential)/\($0)" } ?? credential
    }

    /// The name that a program gives itself; nil where it gives none, or one that can't stand in a key.
    static func program(of request: HTTPRequest) -> String? {
        request.headers[clientField].flatMap { isName($0) ? $0 : nil }
    }

    private static func isName(_ text: String) -> Bool {
        let isGood = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
        }
        return (1...64).contains(text.utf8.count) && text.allSatisfy(isGood)
    }
}
