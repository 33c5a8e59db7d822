/// The packets of MQTT 3.1.1 that a reader sends and receives.
///
/// <https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html>, chapters 2 and 3.
enum WirePacket {
    /// What a broker says to a reader.
    enum Incoming: Equatable {
        /// The answer to a connection: 0 for yes, else the reason (3.2.2.3).
        case connected(code: Int)
        /// The answer to a subscription, for each filter: from 0x80 on a refusal (3.9.3).
        case subscribed([UInt8])
        /// A message; its number is wanted back where it has one.
        case message(MQTTArrival)
        case pong
        /// Nothing that a reader has to do with.
        case other
    }

    /// What no broker may send.
    struct Malformed: Error {}

    /// More than any broker of load events sends at once.
    static let longest = 16 << 20

    // MARK: - Outgoing

    /// Asks for a session that the broker keeps while the reader is away (3.1).
    static func connect(clientID: String, user: String?, password: String?, keepAliveSeconds: UInt16) -> [UInt8] {
        var flags: UInt8 = 0
        if user != nil { flags |= 0x80 }
        if user != nil, password != nil { flags |= 0x40 }
        var body = text("MQTT") + [4, flags] + number(keepAliveSeconds) + text(clientID)
        if let user { body += text(user) }
        if user != nil, let password { body += text(password) }
        return packet(0x10, body)
    }

    /// Asks for messages at QoS 1 (3.8).
    static func subscribe(_ filter: String, number id: UInt16) -> [UInt8] {
        packet(0x82, number(id) + text(filter) + [1])
    }

    /// Says that a message is safe here, and need not come again (3.4).
    static func acknowledge(_ id: UInt16) -> [UInt8] { [0x40, 2] + number(id) }

    /// Asks whether the broker is there (3.12).
    static let ping: [UInt8] = [0xC0, 0]
    /// Good-bye (3.14).
    static let disconnect: [UInt8] = [0xE0, 0]

    private static func packet(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = body.count
        repeat {
            length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return [kind] + length + body
    }

    private static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    private static func text(_ value: String) -> [UInt8] {
        let bytes = Array(value.utf8.prefix(65_535))
        return number(UInt16(bytes.count)) + bytes
    }

    // MARK: - Incoming

    /// Takes the first packet off the bytes that came.
    /// - Returns: nil where it is not whole yet.
    /// - Throws: `Malformed`.
    static func take(from bytes: inout [UInt8]) throws(Malformed) -> Incoming? {
        var length = 0
        var index = 1
        while true {
            guard index < bytes.count else { return nil }
            guard index <= 4 else { throw Malformed() }
            length |= Int(bytes[index] & 0x7F) << (7 * (index - 1))
            index += 1
            if bytes[index - 1] < 0x80 { break }
        }
        guard length <= longest else { throw Malformed() }
        guard bytes.count >= index + length else { return nil }
        let (kind, body) = (bytes[0], Array(bytes[index..<index + length]))
        bytes.removeFirst(index + length)
        return try read(kind, body)
    }

    private static func read(_ kind: UInt8, _ body: [UInt8]) throws(Malformed) -> Incoming {
        switch kind >> 4 {
        case 2:
            guard body.count == 2 else { throw Malformed() }
            return .connected(code: Int(body[1]))
        case 3: return .message(try message(flags: kind & 0x0F, body))
        case 9:
            guard body.count > 2 else { throw Malformed() }
            return .subscribed(Array(body[2...]))
        case 13: return .pong
        default: return .other
        }
    }

    private static func message(flags: UInt8, _ body: [UInt8]) throws(Malformed) -> MQTTArrival {
        guard body.count >= 2 else { throw Malformed() }
        let end = 2 + (Int(body[0]) << 8 | Int(body[1]))
        let qos = flags >> 1 & 3
        guard body.count >= end + (qos > 0 ? 2 : 0), qos < 3 else { throw Malformed() }
        let id = qos > 0 ? UInt16(body[end]) << 8 | UInt16(body[end + 1]) : nil
        return MQTTArrival(
            topic: String(decoding: body[2..<end], as: UTF8.self), payload: Array(body[(end + (qos > 0 ? 2 : 0))...]),
            number: id, isRepeated: flags & 8 != 0)
    }
}

/// A message that its reader has not acknowledged yet.
package struct MQTTArrival: Sendable, Equatable {
    /// The topic.
    package let topic: String
    /// Any bytes.
    package let payload: [UInt8]
    /// The broker's number for it, by which it is acknowledged; none for messages at QoS 0.
    let number: UInt16?
    /// Whether the broker says that it sent it before.
    package let isRepeated: Bool
}
