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
        guard let name = request.headers[Self.clientField], Self.isName(name) else { return credential }
        return "\(credential)/\(name)"
    }

    private static func isName(_ text: String) -> Bool {
        let isGood = { (character: Character) in
            character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
        }
        return (1...64).contains(text.utf8.count) && text.allSatisfy(isGood)
    }
}
