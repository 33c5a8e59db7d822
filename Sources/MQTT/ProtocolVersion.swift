import CMosquitto

/// The version of MQTT that a connection speaks.
///
/// Version 5 tells why a message was not taken; version 3.1.1 acknowledges also what an access list refuses. A broker that
/// does not know version 5 answers that it does not, or closes the connection without an answer.
enum ProtocolVersion: Sendable {
    case five, three

    /// The number by which libmosquitto knows it.
    var number: Int32 { self == .five ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311 }

    /// Whether the broker's answer to a connection says that it does not speak version 5: in the form of version 3.1.1
    /// (1) or of version 5 (0x84).
    static func isUnknown(_ code: Int) -> Bool { code == 1 || code == 0x84 }

    /// The answer to a connection in the codes of version 3.1.1: 4 for a wrong user or password, 5 for no right.
    static func refusal(_ code: Int) -> (code: Int, text: String) {
        let known = [0x86: 4, 0x87: 5][code] ?? code
        let text =
            known < 0x80 ? mosquitto_connack_string(Int32(known)) : mosquitto_reason_string(Int32(known))
        return (known, text.map { String(cString: $0) } ?? "code \(code)")
    }

    /// Which version the next connection is to speak.
    struct Choice: Sendable {
        /// Whether the broker said that it does not speak version 5.
        private var isRefused = false
        /// Whether the broker closed the last connection where its answer was due.
        private var wasWithoutAnswer = false
        private let first: ProtocolVersion

        /// - Parameter isCleanSession: in version 5 a session that is to be kept has another form, which nothing here needs.
        init(isCleanSession: Bool) { first = isCleanSession ? .five : .three }

        var next: ProtocolVersion { isRefused || wasWithoutAnswer ? .three : first }

        mutating func noteRefusal() { isRefused = true }

        /// Notes how a connection ended: after one without an answer the other version is tried, for one time.
        mutating func noteEnd(of version: ProtocolVersion, withoutAnswer: Bool) {
            wasWithoutAnswer = withoutAnswer && version == .five
        }
    }
}
