import Bridge
import Control
import EnergyKit
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing
import ThreadKit

/// The files of `etc/mosquitto` on a real broker: the hub works wholly with them, and everyone else is held to their own.
@Suite(
    "The access list for mosquitto",
    .enabled(
        if: MosquittoBroker.isInstalled && CertificateAuthority.isInstalled,
        "the mosquitto broker or openssl is not installed"), .timeLimit(.minutes(3)))
struct AccessListTests {
    private static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("etc/mosquitto")
    private static let users = ["offpeak", "homeassistant", "charger", "reader", "cabin"]

    private let folder: TemporaryFolder
    private let house: BridgeHouse
    private let broker: MosquittoBroker
    private let encryptedPort: Int
    private let authority: CertificateAuthority

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
        authority = try await CertificateAuthority(in: folder)
        let server = try await authority.issue("broker")
        let passwords = try folder.write(
            Self.users.map { "\($0):secret of \($0)\n" }.joined(), to: "offpeak.passwords")
        let hashed = try await ChildProcess.run("mosquitto_passwd", ["-U", passwords.path])
        try #require(hashed.status == 0, "\(hashed.standardError)")
        let list = try String(contentsOf: Self.shipped.appendingPathComponent("offpeak.acl"), encoding: .utf8)
        try folder.write(list, to: "offpeak.acl")
        encryptedPort = try LoopbackPort.free()
        // Nothing is changed but where files lie and which ports are free.
        let settings = try String(contentsOf: Self.shipped.appendingPathComponent("offpeak.conf"), encoding: .utf8)
            .replacing("/etc/mosquitto/certs/authority.pem", with: authority.certificate)
            .replacing("/etc/mosquitto/certs/broker.pem", with: server.certificate)
            .replacing("/etc/mosquitto/certs/broker.key", with: server.key)
            .replacing("/etc/mosquitto/", with: "\(folder.path)/")
            .replacing("listener 8883", with: "listener \(encryptedPort) 127.0.0.1")
        let lines = settings.split(separator: "\n").map(String.init)
        try #require(lines.contains("listener 1883 127.0.0.1"))
        broker = try await MosquittoBroker(
            isOpen: false,
            settings: lines.filter { $0 != "listener 1883 127.0.0.1" && $0 != "allow_anonymous false" })
    }

    private func login(_ user: String) -> (inout MQTTConfiguration) -> Void {
        { settings in
            settings.userName = user
            settings.password = "secret of \(user)"
        }
    }

    private func withHub(_ body: (Watcher) async throws -> Void) async throws {
        house.guidance.issue(guidance(.shift, at: house.venue.id, from: house.clock.now))
        house.read("car") { $0[.powerWatts] = 1 }
        try await house.running(
            port: broker.port, homeAssistant: HomeAssistantLink(version: "1"), settings: login("offpeak")
        ) { _, _ in
            let assistant = try await Watcher(port: broker.port, settings: login("homeassistant"))
            try await assistant.wait("offpeak/status") { $0 == "online" }
            try await body(assistant)
        }
    }

    @Test("the hub and Home Assistant work wholly")
    func works() async throws {
        try await withHub { assistant in
            try await assistant.wait("homeassistant/device/offpeak_car/config") { !$0.isEmpty }
            try await assistant.waitJSON("offpeak/devices/car/state") { $0["powerWatts"] == 1 }
            try await assistant.wait("offpeak/venues/\(house.venue.id)/guidance/shift") { !$0.isEmpty }
            #expect(
                try await assistant.result("21.5", to: "setpoint", of: "pump")
                    == ["command": "setpoint", "accepted": true])
            let limits = try await assistant.client.messages(matching: "offpeak/venues/+/result")
            try await assistant.client.publish("4200", to: "offpeak/venues/\(house.venue.id)/set/limit")
            for await message in limits {
                #expect(try members(of: message.text)["accepted"] == true)
                break
            }
            // Its birth makes the hub tell everything again.
            let told = try await assistant.client.messages(matching: "homeassistant/device/offpeak_car/config")
            try await assistant.client.publish("online", to: "homeassistant/status")
            for await message in told where !message.isRetained { break }
        }
        #expect(house.collecting.texts().filter { $0.contains("refused") || $0.contains("can't") } == [])
        // Nothing that the hub sent was refused by the broker.
        #expect(await broker.log.filter { $0.contains("Denied") } == [])
    }

    /// Somebody who tries what the list does not allow.
    struct Attempt: Sendable, CustomTestStringConvertible {
        var user: String
        var topic: String
        var testDescription: String { "\(user) to \(topic)" }
    }

    @Test(
        "who may not write is refused, and nothing changes",
        arguments: [
            Attempt(user: "reader", topic: "offpeak/devices/car/set/mode"),
            Attempt(user: "charger", topic: "offpeak/devices/car/set/mode"),
            Attempt(user: "cabin", topic: "offpeak/devices/car/set/mode"),
            Attempt(user: "reader", topic: "offpeak/venues/VENUE/set/limit"),
            Attempt(user: "homeassistant", topic: "offpeak/devices/car/state"),
            Attempt(user: "homeassistant", topic: "offpeak/status"),
            Attempt(user: "homeassistant", topic: "offpeak/events"),
            Attempt(user: "charger", topic: "offpeak/devices/car/state"),
            Attempt(user: "charger", topic: "openWB/set/isss/Current"),
            Attempt(user: "cabin", topic: "homeassistant/device/offpeak_car/config"),
            Attempt(user: "offpeak", topic: "cabin/status"),
            Attempt(user: "offpeak", topic: "openWB/lp/1/W"),
        ])
    func mayNotWrite(attempt: Attempt) async throws {
        try await withHub { assistant in
            var before: [String: String] = [:]
            // What the hub has to say: of itself and its name, two devices, a home; and three announcements.
            while before.count < 11 { before = try await everything() }
            let other = try await Watcher(port: broker.port, settings: login(attempt.user))
            let topic = attempt.topic.replacing("VENUE", with: house.venue.id.uuidString)
            do {
                try await other.client.publish("now", to: topic, isRetained: false)
                Issue.record("it was taken")
            } catch MQTTError.publishRefused(_, let code, _) {
                #expect(code == 0x87)
            }
            // A command that comes later is answered first: the other never came.
            let answer = try await assistant.result("?", to: "mode")
            #expect(answer["accepted"] == false)
            #expect(house.board["car"]?.mode == .off)
            #expect(try await everything() == before)
        }
    }

    /// All that Home Assistant, who may read it all, is told.
    private func everything() async throws -> [String: String] {
        try await Watcher.retained(port: broker.port, marker: "homeassistant", settings: login("homeassistant"))
    }

    @Test("a reader sees the house and no load event; another home and a charger see nothing of it")
    func mayNotRead() async throws {
        try await withHub { assistant in
            try await assistant.wait("offpeak/venues/\(house.venue.id)/guidance/shift") { !$0.isEmpty }
            var heard: [String: AsyncStream<MQTTMessage>] = [:]
            var clients: [Watcher] = []
            for user in ["reader", "cabin", "charger"] {
                let watcher = try await Watcher(port: broker.port, settings: login(user))
                clients.append(watcher)
                heard[user] = try await watcher.client.messages(matching: "#", bufferingNewest: 4096)
            }
            // The hub says an event, and after it something for each of them.
            let hub = try await Watcher(port: broker.port, settings: login("offpeak"))
            try await hub.client.publish("{}", to: "offpeak/events")
            try await hub.client.publish("marker", to: "offpeak/devices/marker/availability")
            try await hub.client.publish("marker", to: "openWB/set/isss/Current")
            let cabin = try await Watcher(port: broker.port, settings: login("cabin"))
            try await cabin.client.publish("marker", to: "cabin/status")
            var topics: [String: Set<String>] = [:]
            for (user, messages) in heard {
                for await message in messages {
                    topics[user, default: []].insert(message.topic)
                    if message.text == "marker" { break }
                }
            }
            let reader = try #require(topics["reader"])
            #expect(reader.isSuperset(of: ["offpeak/status", "offpeak/devices/car/state"]))
            #expect(!reader.contains { $0.hasSuffix("/events") || $0.hasPrefix("homeassistant") })
            #expect(topics["cabin"] == ["cabin/status"])
            #expect(topics["charger"] == ["openWB/set/isss/Current"])
            withExtendedLifetime(clients) {}
        }
    }

    @Test("nobody without a user comes in, and over TLS a right password is needed too", arguments: [false, true])
    func login(isEncrypted: Bool) async throws {
        for (user, isIn) in [("offpeak", true), ("", false), ("stranger", false)] {
            var settings = quick(port: isEncrypted ? encryptedPort : broker.port)
            if isEncrypted {
                settings.host = "localhost"
                settings.tls = .init(authorityFile: authority.certificate)
            }
            if !user.isEmpty { login(user)(&settings) }
            let client = try MQTTClient(settings)
            await client.start()
            try await client.become { state in
                switch state {
                case .connected: isIn
                case .disconnected(.refused, _): !isIn
                default: false
                }
            }
            await client.close()
        }
    }

    @Test("a message that is longer than anyone's here is not taken")
    func tooLong() async throws {
        try await withHub { assistant in
            let payload = [UInt8](repeating: 32, count: 400_000)
            do {
                try await assistant.client.publish(
                    MQTTMessage(topic: "offpeak/devices/car/set/mode", payload: payload))
                Issue.record("it was taken")
            } catch is MQTTError {}
            #expect(house.board["car"]?.mode == .off)
        }
    }
}
