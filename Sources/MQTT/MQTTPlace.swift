/// Where a broker listens.
package struct MQTTPlace: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address.
    package var host: String
    /// The port.
    package var port: Int

    /// Names a place.
    package init(host: String, port: Int = 1883) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST`, `HOST:PORT`, or an IPv6 address in square brackets with or without a port.
    /// - Parameters:
    ///   - text: what people wrote.
    ///   - standard: the port where none is given.
    package init?(_ text: String, standard: Int = 1883) {
        var host = Substring(text)
        var port: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        guard let port else {
            self.init(host: String(host), port: standard)
            return
        }
        guard let number = UInt16(port), number > 0 else { return nil }
        self.init(host: String(host), port: Int(number))
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
