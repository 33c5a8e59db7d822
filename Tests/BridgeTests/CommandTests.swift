import Control
import EnergyKit
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

/// What the broker brings.
///
/// Without the mosquitto broker on the machine nothing here can be tried.
@Suite(
    "Commands over the broker",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct CommandTests {
    private let folder: TemporaryFolder
    private let house: BridgeHouse
    private let broker: MosquittoBroker

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
        broker = try await ownBroker()
    }

    /// A watcher of a hub that is online, while the body runs.
    private func withHub(
        alongside: @escaping @Sendable () async -> Void = {},
        settings: (inout MQTT.MQTTConfiguration) -> Void = { _ in }, _ body: (Watcher) async throws -> Void
    ) async throws {
        try await house.running(port: broker.port, alongside: alongside, settings: settings) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            try await watcher.wait("offpeak/status") { $0 == "online" }
            try await body(watcher)
        }
    }

    @Test(
        "a mode reaches the device once and is answered once",
        arguments: ["now", " now\n", #""now""#, #"{"mode":"now"}"#])
    func mode(payload: String) async throws {
        house.read("car") { $0.plug = .plugged }
        let controller = house.controller
        try await withHub(alongside: { await controller.run() }) { watcher in
            var commands = house.charger.commands.makeAsyncIterator()
            // It is off at first.
            let before = await commands.next()
            #expect(before == .limitCurrent(amps: 0))
            let results = try await watcher.client.messages(matching: "offpeak/devices/car/result")
            try await watcher.send(payload, to: "mode")
            let after = await commands.next()
            #expect(after == .limitCurrent(amps: 16))
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["mode"] == "now" }
            // The next command's answer comes behind every answer to the first.
            try await watcher.send("?", to: "mode")
            var answers: [[String: JSONValue]] = []
            for await message in results {
                answers.append(try members(of: message.text))
                if answers.last?["accepted"] == false { break }
            }
            #expect(answers.count == 2)
            #expect(answers.first == ["command": "mode", "accepted": true])
            #expect(house.charger.performed == [.limitCurrent(amps: 0), .limitCurrent(amps: 16)])
            #expect(house.collecting.texts().count { $0 == "car: mode now" } == 1)
        }
    }

    @Test("a charging goal is set as it was sent")
    func chargingGoal() async throws {
        try await withHub { watcher in
            let payload = #"{"energyWattHours": 9500, "readyBy": "2026-05-29T07:00:00+02:00", "minimumAmps": 6}"#
            #expect(try await watcher.result(payload, to: "goal") == ["command": "goal", "accepted": true])
            let expected = ChargingGoal(
                amount: .energy(wattHours: 9500), readyBy: try moment("2026-05-29T05:00:00Z"), minimumAmps: 6,
                setAt: house.clock.now)
            #expect(house.board["car"]?.goal == .charge(expected))
            let state = try await watcher.waitJSON("offpeak/devices/car/state") { $0["energyWattHours"] == 9500 }
            #expect(state["readyBy"] == "2026-05-29T05:00:00Z")
        }
    }

    @Test(
        "a setpoint is a number or JSON, and keeps the comfort band",
        arguments: ["21.5", #"{"setpointCelsius": 21.5}"#])
    func setpoint(payload: String) async throws {
        try await withHub { watcher in
            let answer = try await watcher.result(payload, to: "setpoint", of: "pump")
            #expect(answer == ["command": "setpoint", "accepted": true])
            let expected = ComfortGoal(setpointCelsius: 21.5, comfortBandKelvin: 1)
            #expect(house.board["pump"]?.goal == .comfort(expected))
            try await watcher.waitJSON("offpeak/devices/pump/state") { $0["goalSetpointCelsius"] == 21.5 }
        }
    }

    @Test(
        "a price limit is a number or JSON, zero is one, and an empty payload clears it (M-3)",
        arguments: ["0", "0.0", #"{"pricePerKWh": 0}"#])
    func limit(payload: String) async throws {
        try await withHub { watcher in
            #expect(try await watcher.result(payload, to: "limit") == ["command": "limit", "accepted": true])
            #expect(house.board["car"]?.limit == PriceLimit(pricePerKWh: 0))
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["limitPricePerKWh"] == 0 }
            for clear in ["", "none", "null"] {
                _ = try await watcher.result("0.3", to: "limit")
                #expect(house.board["car"]?.limit == PriceLimit(pricePerKWh: 0.3))
                #expect(try await watcher.result(clear, to: "limit") == ["command": "limit", "accepted": true])
                #expect(house.board["car"]?.limit == nil)
            }
        }
    }

    /// A command that is refused, and what the reason names.
    struct Refused: Sendable, CustomTestStringConvertible {
        var device = "car"
        var command: String
        var payload: String
        var reason: String
        var testDescription: String { "\(device)/\(command) \(payload.prefix(40))" }
    }

    @Test(
        "what can't be done is refused with a reason, and changes nothing",
        arguments: [
            Refused(device: "boat", command: "mode", payload: "now", reason: "no device 'boat'"),
            Refused(device: "my car", command: "mode", payload: "now", reason: "no device 'my car'"),
            Refused(device: "", command: "mode", payload: "now", reason: "no device ''"),
            Refused(command: "colour", payload: "red", reason: "use mode, goal, setpoint or limit"),
            Refused(command: "mode", payload: "fast", reason: "off, now, guided, solar"),
            Refused(command: "mode", payload: #"{"mood":"now"}"#, reason: "unknown key 'mood'; did you mean 'mode'?"),
            Refused(device: "pump", command: "mode", payload: "solar", reason: "off, now and guided"),
            Refused(command: "goal", payload: "{", reason: "line 1, column 2"),
            Refused(command: "goal", payload: "0", reason: "an object with comfortBandKelvin"),
            Refused(command: "goal", payload: "[]", reason: "not a list"),
            Refused(command: "goal", payload: #"{"energyWattHours":"much"}"#, reason: "a number is needed here"),
            Refused(command: "mode", payload: #"{"mode":"off","mode":"now"}"#, reason: "'mode' stands twice"),
            Refused(command: "mode", payload: #"{"mode":"off","mod\u0065":"now"}"#, reason: "'mode' stands twice"),
            Refused(
                command: "goal", payload: #"{"energyWattHours":1,"energyWattHours":2}"#,
                reason: "'energyWattHours' stands twice"),
            Refused(command: "limit", payload: #"{"pricePerKWh":0.1,"pricePerKWh":9}"#, reason: "stands twice"),
            Refused(
                device: "pump", command: "setpoint", payload: #"{"setpointCelsius":20,"setpointCelsius":30}"#,
                reason: "stands twice"),
            Refused(
                command: "goal", payload: String(repeating: #"{"a":"#, count: 700), reason: "32 deep"),
            Refused(command: "mode", payload: #"{"mode":null}"#, reason: "the payload"),
            Refused(command: "mode", payload: #"{"mode":["now"]}"#, reason: "a text is needed here, not a list"),
            Refused(command: "mode", payload: "no\u{1B}[2Jw", reason: #"'no\u{1b}[2Jw' is not a mode"#),
            Refused(command: "mode", payload: String(repeating: "x", count: 4000), reason: "x…' is not a mode"),
            Refused(command: "goal", payload: "{}", reason: "energyWattHours or stateOfCharge"),
            Refused(
                command: "goal", payload: #"{"energyWattHours":1,"readyBy":"2020-01-01T00:00:00Z"}"#, reason: "readyBy"),
            Refused(
                command: "goal", payload: #"{"stateOfCharge":80,"readyBy":"2026-05-29T05:00:00Z"}"#, reason: "capacity"),
            Refused(command: "goal", payload: #"{"setpointCelsius":20}"#, reason: "does not take a comfort goal"),
            Refused(command: "setpoint", payload: "21", reason: "has no setpoint"),
            Refused(command: "limit", payload: "cheap", reason: "a price for each kWh"),
            Refused(command: "limit", payload: "nan", reason: "a price for each kWh"),
            Refused(command: "limit", payload: "0x10", reason: "a price for each kWh"),
            Refused(
                command: "goal", payload: #"{"energyWattHours":1,"readBy":"x"}"#, reason: "did you mean 'readyBy'?"),
            Refused(command: "mode", payload: #"{"mode":"now","sentAt":"rubbish"}"#, reason: "sentAt is a time"),
            Refused(
                command: "mode", payload: #"{"mode":"now","sentAt":"2020-01-01 00:00:00Z"}"#, reason: "sentAt is a time"
            ),
            Refused(command: "mode", payload: #"{"mode":"now","sentAt":1577836800}"#, reason: "sentAt is a time"),
            Refused(command: "mode", payload: #"{"mode":"now","sentAt":null}"#, reason: "sentAt is a time"),
            Refused(command: "limit", payload: "10001", reason: "an empty payload clears it"),
            Refused(command: "limit", payload: #"{"price":1}"#, reason: "unknown key 'price'"),
            Refused(device: "pump", command: "limit", payload: "0.2", reason: "only chargers"),
            Refused(command: "setpoint", payload: "none", reason: "has no setpoint"),
            Refused(device: "pump", command: "setpoint", payload: "warm", reason: "a number in °C"),
            Refused(device: "pump", command: "setpoint", payload: "nan", reason: "a number in °C"),
            Refused(device: "pump", command: "setpoint", payload: "1e999", reason: "a number in °C"),
            Refused(device: "pump", command: "setpoint", payload: "0", reason: "from 5 to 35 °C"),
            Refused(
                command: "mode", payload: "now" + String(repeating: " ", count: 4094), reason: "longer than 4096 bytes"),
        ])
    func refuses(_ refused: Refused) async throws {
        let goal = ChargingGoal(
            amount: .energy(wattHours: 5000), readyBy: house.clock.now.addingTimeInterval(3600), setAt: house.clock.now)
        try await house.controller.setGoal(.charge(goal), for: "car")
        try await withHub { watcher in
            let answer = try await watcher.result(refused.payload, to: refused.command, of: refused.device)
            #expect(Set(answer.keys) == ["command", "accepted", "reason"])
            #expect(answer["command"] == .text(refused.command))
            #expect(answer["accepted"] == false)
            #expect(answer["reason"]?.asText?.contains(refused.reason) == true, "\(answer)")
            #expect(try #require(answer["reason"]?.asText).count <= 500)
            #expect(house.board["car"]?.mode == .off)
            #expect(house.board["car"]?.goal == .charge(goal))
            #expect(house.board["pump"]?.mode == .guided)
            #expect(house.board["pump"]?.goal == .comfort(ComfortGoal(setpointCelsius: 20, comfortBandKelvin: 1)))
        }
    }

    @Test("4096 bytes are not too many")
    func longestPayload() async throws {
        try await withHub { watcher in
            let payload = "now" + String(repeating: " ", count: 4093)
            let answer = try await watcher.result(payload, to: "mode")
            #expect(answer["accepted"] == true)
        }
    }

    @Test("a retained command is refused at every connection and never carried out (field case M-2)")
    func retainedCommand() async throws {
        let before = try await Watcher(port: broker.port)
        try await before.send("now", to: "mode", isRetained: true)
        let results = try await before.client.messages(matching: "offpeak/devices/car/result")
        for _ in 1...2 {
            try await withHub { _ in
                let message = await first(of: results)
                let answer = try members(of: #require(message).text)
                #expect(answer["accepted"] == false)
                #expect(answer["reason"]?.asText?.contains("must not be retained") == true)
                #expect(house.board["car"]?.mode == .off)
            }
        }
    }

    @Test(
        "a command that is published to be retained is refused also while the hub is there, and is no clearing (M-2)",
        arguments: ["now", "", #"{"mode":"now"}"#])
    func retainedWhileThere(payload: String) async throws {
        house.read("car") { $0.plug = .plugged }
        try await house.controller.setMode(.solar, for: "car")
        try await withHub { watcher in
            let results = try await watcher.client.messages(matching: "offpeak/devices/car/result")
            try await watcher.send(payload, to: "mode", isRetained: true)
            let answer = try members(of: #require(await first(of: results)).text)
            #expect(answer["accepted"] == false)
            #expect(answer["reason"]?.asText?.contains("must not be retained") == true)
            #expect(house.board["car"]?.mode == .solar)
            let venue = "offpeak/venues/\(house.venue.id)"
            let limits = try await watcher.client.messages(matching: "\(venue)/result")
            try await watcher.client.publish("0", to: "\(venue)/set/limit", isRetained: true)
            let limited = try members(of: #require(await first(of: limits)).text)
            #expect(limited["accepted"] == false)
            #expect(await house.controller.externalLimit(at: house.venue.id).said == nil)
            // The same as a plain message is carried out.
            #expect(try await watcher.result("now", to: "mode")["accepted"] == true)
            #expect(house.board["car"]?.mode == .now)
        }
    }

    @Test("empty, none and null take back what was set (field case M-3)", arguments: ["", "none", "null", " None\n"])
    func clears(payload: String) async throws {
        let goal = ChargingGoal(
            amount: .energy(wattHours: 5000), readyBy: house.clock.now.addingTimeInterval(3600), setAt: house.clock.now)
        try await house.controller.setGoal(.charge(goal), for: "car")
        try await house.controller.setMode(.now, for: "car")
        try await house.controller.setMode(.off, for: "pump")
        try await withHub { watcher in
            let answer = try await watcher.result(payload, to: "goal")
            #expect(answer == ["command": "goal", "accepted": true])
            #expect(try #require(house.board["car"]).goal == nil)
            #expect(try await watcher.result(payload, to: "setpoint", of: "pump")["accepted"] == true)
            #expect(try #require(house.board["pump"]).goal == nil)
            // Back to the configuration's mode, or to guided where that names none.
            #expect(try await watcher.result(payload, to: "mode")["accepted"] == true)
            #expect(house.board["car"]?.mode == .off)
            #expect(try await watcher.result(payload, to: "mode", of: "pump")["accepted"] == true)
            #expect(house.board["pump"]?.mode == .guided)
        }
    }

    @Test("0 is a value and clears nothing (field case M-3)")
    func zero() async throws {
        try await withHub { watcher in
            let payload = #"{"energyWattHours": 0, "readyBy": "2026-05-29T05:00:00Z"}"#
            #expect(try await watcher.result(payload, to: "goal")["accepted"] == true)
            guard case .charge(let goal)? = house.board["car"]?.goal else {
                Issue.record("there is no goal")
                return
            }
            #expect(goal.amount == .energy(wattHours: 0))
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["energyWattHours"] == 0 }
        }
    }

    @Test(
        "a command that says when it was sent is refused when it comes late, and a late limit of a home too",
        arguments: [(-61.0, false), (-3600, false), (-59, true), (0, true), (3600, true), (90_000, false)])
    func late(seconds: Double, isTaken: Bool) async throws {
        try await withHub { watcher in
            let sent = house.clock.now.addingTimeInterval(seconds).formatted(.iso8601)
            let answer = try await watcher.result(#"{"mode": "now", "sentAt": "\#(sent)"}"#, to: "mode")
            #expect(answer["accepted"] == .bool(isTaken))
            #expect(house.board["car"]?.mode == (isTaken ? .now : .off))
            let venue = "offpeak/venues/\(house.venue.id)"
            let results = try await watcher.client.messages(matching: "\(venue)/result")
            try await watcher.client.publish(#"{"powerWatts": 0, "sentAt": "\#(sent)"}"#, to: "\(venue)/set/limit")
            let limited = try members(of: #require(await first(of: results)).text)
            #expect(limited["accepted"] == .bool(isTaken))
            #expect(isTaken || limited["reason"]?.asText?.contains(seconds < 0 ? "is late" : "ahead") == true)
            #expect(await house.controller.externalLimit(at: house.venue.id).said?.powerWatts == (isTaken ? 0 : nil))
        }
    }

    @Test("a command that is sent while the hub is away is not carried out when it comes back")
    func sentWhileAway() async throws {
        try await withHub { _ in }
        let other = try await Watcher(port: broker.port)
        try await other.send("now", to: "mode")
        try await withHub { watcher in
            // Answers come in the order of the commands; this is the first of all.
            let answer = try await watcher.result("?", to: "mode")
            #expect(answer["accepted"] == false)
            #expect(house.board["car"]?.mode == .off)
        }
    }

    @Test("nor where the broker keeps the hub's session: it keeps what tells of devices, and no command")
    func sentWhileAwayFromAKeptSession() async throws {
        func keep(_ settings: inout MQTT.MQTTConfiguration) {
            settings.clientID = "offpeak"
            settings.isCleanSession = false
        }
        let other = try await Watcher(port: broker.port)
        let limit = "offpeak/venues/\(house.venue.id)/set/limit"
        // Its own status is what a hub always listens to at QoS 1: the broker does keep the session.
        try await withHub(settings: keep) { watcher in
            let answer = try await watcher.result("off", to: "mode")
            #expect(answer["accepted"] == true)
        }
        for _ in 1...3 { try await other.send("now", to: "mode") }
        try await other.client.publish("0", to: limit)
        try await other.client.publish("offline", to: "offpeak/status")
        try await withHub(settings: keep) { watcher in
            try await broker.waitForLog(containing: "Sending PUBLISH to offpeak (d0, q1")
            let answer = try await watcher.result("?", to: "mode")
            #expect(answer["accepted"] == false)
            #expect(house.board["car"]?.mode == .off)
            #expect(await house.controller.externalLimit(at: house.venue.id).said == nil)
        }
    }

    @Test("of a burst of 1,000 commands each is answered once, and what counts is the last that was accepted")
    func burst() async throws {
        let count = 1000
        try await withHub { watcher in
            let results = try await watcher.client.messages(
                matching: "offpeak/devices/car/result", bufferingNewest: 2 * count)
            let commands = (1...count).map {
                MQTTMessage(topic: "offpeak/devices/car/set/limit", text: "\($0)", qos: .atLeastOnce)
            }
            let sent = await watcher.client.publish(all: commands)
            #expect(sent.allSatisfy { (try? $0.get()) == .acknowledged })
            var answers: [[String: JSONValue]] = []
            for await message in results {
                answers.append(try members(of: message.text))
                if answers.count == count { break }
            }
            // Answers come in the order of the commands.
            let last = try #require(answers.lastIndex { $0["accepted"] == true })
            #expect(house.board["car"]?.limit == PriceLimit(pricePerKWh: Double(last + 1)))
            #expect(last == count - 1)
            for answer in answers where answer["accepted"] != true {
                #expect(answer["reason"]?.asText?.contains("faster than they can be carried out") == true)
            }
            // The next answer is that of the next command.
            try await watcher.send("?", to: "limit")
            let next = try members(of: #require(await first(of: results)).text)
            #expect(next["reason"]?.asText?.contains("a price for each kWh") == true)
        }
    }

    private func first(of messages: AsyncStream<MQTTMessage>) async -> MQTTMessage? {
        for await message in messages { return message }
        return nil
    }

    private func moment(_ text: String) throws -> Date {
        try #require(EnergyKitJSON.date(from: text))
    }
}
