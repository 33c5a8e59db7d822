import Foundation
import MQTT
import TestSupport
import Testing

/// Another program at the broker, such as a home automation.
struct Watcher: Sendable {
    private struct Ended: Error {}

    let client: MQTTClient

    /// Connects to a running broker.
    init(port: Int, settings: (inout MQTTConfiguration) -> Void = { _ in }) async throws {
        var configuration = quick(port: port)
        settings(&configuration)
        client = try MQTTClient(configuration)
        await client.start()
        try await client.become { $0 == .connected }
    }

    /// Waits until a topic says what is wanted, also where that is retained already.
    @discardableResult
    func wait(_ topic: String, until isWanted: (String) -> Bool) async throws -> String {
        for await message in try await client.messages(matching: topic) where isWanted(message.text) {
            return message.text
        }
        throw Ended()
    }

    /// Waits until a topic's JSON is what is wanted.
    @discardableResult
    func waitJSON(_ topic: String, until isWanted: ([String: JSONValue]) -> Bool) async throws -> [String: JSONValue] {
        try members(of: await wait(topic) { text in (try? members(of: text)).map(isWanted) == true })
    }

    /// Sends a command.
    func send(_ payload: String, to command: String, of device: String = "car", isRetained: Bool = false) async throws {
        try await client.publish(
            payload, to: "\(BridgeHouse.base)/devices/\(device)/set/\(command)", isRetained: isRetained)
    }

    /// Sends a command and waits for its answer.
    func result(_ payload: String, to command: String, of device: String = "car") async throws -> [String: JSONValue] {
        let results = try await client.messages(matching: "\(BridgeHouse.base)/devices/\(device)/result")
        try await send(payload, to: command, of: device)
        for await message in results { return try members(of: message.text) }
        throw Ended()
    }

    /// All that a program that comes new to the broker is told: what is retained, by topic.
    static func retained(
        port: Int, marker place: String = "marker", settings: (inout MQTTConfiguration) -> Void = { _ in }
    ) async throws -> [String: String] {
        let newcomer = try await Watcher(port: port, settings: settings)
        let messages = try await newcomer.client.messages(matching: "#", bufferingNewest: 4096)
        // The broker keeps the order, so this comes after all that was retained.
        let marker = "\(place)/\(UUID())"
        try await newcomer.client.publish("", to: marker)
        var found: [String: String] = [:]
        for await message in messages {
            if message.topic == marker { break }
            if message.isRetained { found[message.topic] = message.text }
        }
        await newcomer.client.close()
        return found
    }
}

extension MQTTClient {
    /// Waits for a state, also the present one.
    func become(_ isWanted: (MQTTState) -> Bool) async throws {
        for await state in states() where isWanted(state) { return }
        throw MQTTError.closed
    }
}

/// Any JSON value, to compare whole messages.
enum JSONValue: Equatable, Decodable, ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let array = try? value.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    init(stringLiteral value: String) { self = .text(value) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }

    /// The text, where it is one.
    var asText: String? { if case .text(let text) = self { text } else { nil } }
    /// The number, where it is one.
    var asNumber: Double? { if case .number(let number) = self { number } else { nil } }
}

/// The members of a JSON object.
func members(of text: String) throws -> [String: JSONValue] {
    try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
}
