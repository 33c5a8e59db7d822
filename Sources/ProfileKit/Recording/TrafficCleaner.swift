import Foundation
package import HubKit

/// Takes out of a device's traffic what tells whose device it is, or lets others in: a recording is made to be given
/// away.
///
/// Logins are never in it: headers, the broker's user and the address are not recorded. What devices say of themselves
/// is searched for: values of keys such as `ssid`, `serial` or `token`, addresses of networks, mail and hardware, and
/// the names that the configuration gives the device and its topics at the broker.
package struct TrafficCleaner: Sendable {
    /// What stands for the device's topic.
    package static let topicMark = "{topic}"
    private let topic: String?
    private let hidden: [String]
    private let parameters: ParameterMarks?
    private let names: NameMarks

    /// Cleans the traffic of one device.
    /// - Parameters:
    ///   - topic: what the device is called at its broker.
    ///   - hidden: words that nobody else is to see, such as the names of machines.
    ///   - parameters: what its parameters name.
    package init(topic: String? = nil, hiding hidden: [String] = [], _ parameters: ParameterMarks? = nil) {
        self.topic = topic.flatMap { $0.isEmpty ? nil : $0 }
        self.parameters = parameters
        names = NameMarks(topic: self.topic, parameters)
        // A word of a letter or two is in every text, and tells nobody anything.
        self.hidden = hidden.filter { $0.count > 2 }.sorted { $0.count > $1.count }
    }

    /// Cleans the traffic of a device: hides what its configuration says of machines, users and secrets.
    /// - Parameters:
    ///   - device: its configuration.
    ///   - profile: its profile, whose own name for the device is no secret.
    package init(of device: DeviceConfiguration, _ profile: DeviceProfile?) {
        switch device.connection {
        case .modbusTCP(let host, _, _): self.init(hiding: [host])
        case .modbusRTU, .none: self.init()
        case .ocpp(let connection): self.init(hiding: [connection.chargePoint, connection.password ?? ""])
        case .mqtt(let topic):
            var own: String?
            if case .mqtt(let topics)? = profile?.link { own = topics.topic }
            self.init(
                topic: topic.topic ?? own, hiding: [topic.host, topic.user, topic.password].compactMap(\.self),
                ParameterMarks(of: device, profile))
        case .http(let address):
            let host = URL(string: address.base)?.host()
            self.init(
                hiding: [host, address.user, address.password, address.token].compactMap(\.self),
                ParameterMarks(of: device, profile))
        }
    }

    /// The exchange without secrets.
    package func cleaned(_ exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        if var message = exchange.message {
            message.topic = cleaned(topic: message.topic)
            message.payload = cleaned(message.payload)
            exchange.message = message
        }
        if var request = exchange.request {
            request.path = cleaned(parameters?.places[request.path] ?? request.path)
            request.body = request.body.map { cleaned($0) }
            request.answer = request.answer.map { cleaned($0) }
            request.failure = request.failure.map { cleaned($0) }
            exchange.request = request
        }
        if let failure = exchange.registers?.failure {
            exchange.registers?.failure = cleaned(failure)
        }
        return exchange
    }

    /// A topic in which the device's own name and those of its parameters are marks.
    private func cleaned(topic place: String) -> String {
        if let known = parameters?.places[place] { return Self.withoutHardware(known) }
        guard let topic, let range = place.range(of: topic) else { return Self.withoutHardware(place) }
        return place.replacingCharacters(in: range, with: Self.topicMark)
    }

    /// A text without secrets.
    package func cleaned(_ text: String) -> String {
        var text = text
        for word in hidden { text = text.replacing(word, with: "removed") }
        text = names.put(into: text)
        text = text.replacing(/"([^"\\]{1,64})"(\s*:\s*)("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+\-]*)/) { match in
            guard Self.isSecret(String(match.1)) else { return String(match.0) }
            let isText = match.3.hasPrefix("\"")
            return "\"\(match.1)\"\(match.2)" + (isText ? "\"removed\"" : "0")
        }
        text = text.replacing(/([?&])([^=&?\s]{1,64})=([^&\s"]*)/) { match in
            Self.isSecret(String(match.2)) ? "\(match.1)\(match.2)=removed" : String(match.0)
        }
        return Self.withoutAddresses(text)
    }

    /// Whether the value of a key is nobody's business.
    static func isSecret(_ key: String) -> Bool {
        let plain = key.lowercased().filter { $0.isLetter || $0.isNumber }
        return names.contains(plain) || parts.contains { plain.contains($0) }
    }

    /// Keys, in lower case and without signs.
    private static let names: Set<String> = [
        "auth", "authorization", "bssid", "cardid", "email", "friendlyname", "gasuniqueid", "hostname", "idtag", "ip",
        "ipaddress", "ipaddr", "ipv4", "ipv6", "key", "lanip", "lat", "latitude", "lng", "localip", "location", "lon",
        "longitude", "mac", "macaddress", "owner", "pass", "psk", "pwd", "rfid", "sn", "staip", "uid", "uniqueid",
        "user",
        "username", "wifiip", "wlanip",
    ]
    /// What keys of secrets have in them.
    private static let parts = ["apikey", "passw", "secret", "serial", "ssid", "token"]

    private static func withoutAddresses(_ text: String) -> String {
        var text = withoutHardware(text)
        text = text.replacing(/(?:[0-9]{1,3}\.){3}[0-9]{1,3}/, with: "192.0.2.1")
        return text.replacing(/[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}/, with: "removed")
    }

    /// A text without addresses of network cards, which many devices have in their names.
    private static func withoutHardware(_ text: String) -> String {
        let text = text.replacing(
            /[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}/, with: "00:00:00:00:00:00")
        return text.replacing(/[0-9A-Fa-f]{12,}/) { match in
            let run = match.0
            // Digits alone are mostly a number that is measured.
            let isAddress = run.count == 12 && run.contains(where: \.isLetter)
            return isAddress ? "000000000000" : String(run)
        }
    }
}
