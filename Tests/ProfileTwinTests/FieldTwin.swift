import Foundation
import HubKit
import MQTT
import TestSupport
import Testing
import ThreadKit
import WebServer

/// A virtual device that speaks in messages or answers, on a real broker or a real HTTP server.
protocol FieldTwin: Sendable {
    /// How the hub reaches it.
    var connection: DeviceConnection { get }
    /// Says what it has to say, once the hub listens; an answer is there when it is asked for.
    func begin() async throws
    /// Says something else.
    func say(_ messages: [FieldTwinFile.Message]) async throws
    /// What it was told so far, in order: a topic with a payload, or a request with a body.
    var told: [String] { get async }
}

/// One at a real mosquitto.
final class BrokerTwin: FieldTwin {
    private let file: FieldTwinFile
    private let broker: MosquittoBroker
    private let client: MQTTClient
    private let heard = Locked<[String]>([])
    private let listening: Task<Void, Never>

    init(_ file: FieldTwinFile) async throws {
        self.file = file
        broker = try await MosquittoBroker()
        var settings = MQTTConfiguration(host: broker.host, port: broker.port)
        settings.backoff = MQTTBackoff(initial: .milliseconds(50), maximum: .milliseconds(200))
        let client = try MQTTClient(settings)
        self.client = client
        await client.start()
        for await state in await client.states() where state == .connected { break }
        let own = Set((file.said + file.steps.flatMap(\.changes)).map(\.topic))
        let stream = try await client.messages(matching: "#")
        let heard = heard
        listening = Task {
            for await message in stream where !own.contains(message.topic) {
                heard.withLock { $0.append("\(message.topic) \(message.text)") }
            }
        }
        for message in file.said where message.isRetained { try await publish(message) }
    }

    deinit { listening.cancel() }

    var connection: DeviceConnection {
        .mqtt(
            DeviceTopic(file.topic, host: "127.0.0.1", port: UInt16(broker.port), parameters: file.parameters))
    }

    private func publish(_ message: FieldTwinFile.Message) async throws {
        _ = try await client.publish(message.payload, to: message.topic, isRetained: message.isRetained)
    }

    func begin() async throws {
        for message in file.said where !message.isRetained {
            try await broker.waitForLog(containing: "\(message.topic) (QoS 1)")
        }
        for message in file.said where !message.isRetained { try await publish(message) }
    }

    func say(_ messages: [FieldTwinFile.Message]) async throws {
        for message in messages { try await publish(message) }
    }

    var told: [String] {
        get async {
            // What was published before this mark is heard before it.
            let mark = "mark/\(UUID().uuidString)"
            _ = try? await client.publish("", to: mark)
            let heard = heard
            _ = await eventually { heard.withLock { $0.contains("\(mark) ") } }
            return heard.withLock { heard in
                heard.removeAll { $0 == "\(mark) " }
                return heard.filter { !$0.hasPrefix("mark/") && !$0.contains("/get ") }
            }
        }
    }
}

/// One at a real HTTP server.
final class ServerTwin: FieldTwin {
    private struct State: Sendable {
        var answers: [String: String]
        var told: [String] = []
    }

    private let file: FieldTwinFile
    private let server: WebServer
    private let port: Int
    private let state: Locked<State>

    init(_ file: FieldTwinFile) async throws {
        self.file = file
        let answers = Dictionary(file.said.map { ($0.topic, $0.payload) }) { _, last in last }
        let state = Locked(State(answers: answers))
        self.state = state
        let profile = try #require(try ProfileLibrary.shipped.profile(file.profile, options: file.options))
        var reads: Set<String> = []
        if case .http(let requests) = profile.filled(parameters: file.parameters).link {
            reads = Set(requests.requests.map { "\($0.method) \($0.path)" })
        }
        let token = file.token
        let isRead = reads
        server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
            if let token, request.headers["Authorization"]?.hasSuffix(token) != true { return .status(401) }
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let target = "\(request.method) \(request.path)" + (query.isEmpty ? "" : "?" + query)
            let body = String(decoding: request.body, as: UTF8.self)
            return state.withLock { state in
                if !isRead.contains(target) { state.told.append(body.isEmpty ? target : "\(target) \(body)") }
                // A command with another number is taken as well.
                let answer = state.answers[target] ?? request.query.first.map { "{\"\($0.name)\":true}" }
                guard let answer else { return .notFound }
                return .json(Array(answer.utf8))
            }
        }
        try await server.start()
        port = try #require(await server.boundPort)
    }

    var connection: DeviceConnection {
        var address = DeviceAddress("http://127.0.0.1:\(port)", parameters: file.parameters)
        address.token = file.token
        return .http(address)
    }

    func begin() async throws {}

    func say(_ messages: [FieldTwinFile.Message]) async throws {
        state.withLock { state in
            for message in messages { state.answers[message.topic] = message.payload }
        }
    }

    var told: [String] { get async { state.withLock { $0.told } } }
}
