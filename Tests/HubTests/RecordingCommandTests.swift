import Foundation
import MQTT
import Modbus
import TestSupport
import Testing
import WebServer

extension HubTests {
    /// `offpeak probe`, `record`, `replay` and `report` against virtual devices on real protocols.
    @Suite(.timeLimit(.minutes(3))) struct RecordingCommandTests {
        /// What `offpeak read` shows of a device: value and raw words by point.
        private static func read(_ id: String, _ configuration: URL) async throws -> [String: String] {
            let outcome = try await HubProcess.offpeak("read", id, "--config", configuration.path, "--json")
            let rows = JSONValue(text: outcome.standardOutput)?.array ?? []
            #expect(outcome.status == 0 && !rows.isEmpty, "\(outcome)")
            return Dictionary(
                rows.map { ($0["name"].string ?? "", "\($0["value"].string ?? "nothing") \($0["raw"].string ?? "")") }
            ) { first, _ in first }
        }

        /// A running `offpeak replay`, and a home with what it says of itself.
        private struct Replay {
            let child: ChildProcess
            let home: Household

            init(_ arguments: [String], more: String = "") async throws {
                child = try ChildProcess(HubProcess.executable, ["replay"] + arguments)
                try await child.waitForLine(containing: "answering from", timeout: .seconds(60))
                // The other stream may be behind.
                try await child.waitForLine(containing: "  connection: ", timeout: .seconds(60))
                let lines = child.output.filter { $0.hasPrefix("  ") || $0.hasPrefix("devices:") }
                home = try Household(more: lines.joined(separator: "\n") + "\n" + more)
            }
        }

        private static func recorded(_ id: String, _ home: Household) async throws -> (path: String, text: String) {
            let path = home.folder.file("\(id).jsonl").path
            let outcome = try await HubProcess.offpeak(
                "record", id, path, "--config", home.configuration.path, "--seconds", "0")
            #expect(outcome.status == 0, "\(outcome)")
            return (path, try String(contentsOfFile: path, encoding: .utf8))
        }

        @Test func aModbusDeviceIsProbedRecordedAndReplayed() async throws {
            let charger = try VirtualDevice.alfen()
            let probe = try await HubProcess.offpeak("probe", "tcp://127.0.0.1:\(charger.server.port)", "--json")
            let unit = try #require(JSONValue(text: probe.standardOutput)?.array.first, "\(probe)")
            #expect(unit["unit"].number == 1 && unit["profiles"].array.first?["profile"].string == "alfen-eve")
            let home = try Household(more: try #require(unit["configuration"].string))
            let check = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(check.status == 0, "\(check)")
            let before = try await Self.read("alfen-eve", home.configuration)

            let (path, text) = try await Self.recorded("alfen-eve", home)
            #expect(!text.contains("127.0.0.1"))
            charger.server.stop()
            let replay = try await Replay([path])
            #expect(try await Self.read("replayed", replay.home.configuration) == before)
            #expect(charger.writes == [])
            // A recording is never written over.
            let again = try await HubProcess.offpeak("record", "alfen-eve", path, "--config", home.configuration.path)
            #expect(again.status == 2 && again.standardError.contains("there already"), "\(again)")
            replay.child.terminate()
            #expect(await replay.child.waitUntilExit() == 0)
        }

        @Test func anHTTPDeviceIsReplayedAndItsSecretsAreNot() async throws {
            let server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
                guard request.headers["Authorization"] == "Bearer very-secret-token" else { return .status(401) }
                return .json(
                    Array(
                        #"{"wifi_ssid":"HomeNet","unique_id":"aabbccddeeff","power_w":417.5,"energy_import_kwh":13.5}"#
                            .utf8))
            }
            try await server.start()
            let port = try #require(await server.boundPort)
            let home = try Household(devices: [
                "id: load, driver: meter, profile: homewizard-v2, role: load, "
                    + "connection: {url: \"http://localhost:\(port)\", token: very-secret-token}"
            ])
            let (path, text) = try await Self.recorded("load", home)
            let report = try await HubProcess.offpeak("report", "load", "--config", home.configuration.path)
            #expect(report.status == 0 && report.standardOutput.contains("417.5 W"), "\(report)")
            for secret in ["HomeNet", "aabbccddeeff", "very-secret-token", "localhost"] {
                #expect(!text.contains(secret), "\(secret)")
                #expect(!report.standardOutput.contains(secret), "\(secret): \(report.standardOutput)")
            }
            await server.stop(within: .zero)
            let replay = try await Replay([path])
            let rows = try await Self.read("replayed", replay.home.configuration)
            #expect(rows["power"]?.hasPrefix("417.5 W") == true, "\(rows)")
        }

        @Test(.enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"))
        func aDeviceAtABrokerIsReplayedUnderAnotherName() async throws {
            let broker = try await MosquittoBroker()
            let client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
            for await state in await client.states() where state == .connected { break }
            let saying = Task {
                while !Task.isCancelled {
                    _ = try? await client.publish(
                        #"{"SML":{"power_curr":-740.5,"total_in":4321.125,"total_out":12.5}}"#,
                        to: "tele/owners-house/SENSOR")
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            let home = try Household(
                devices: [
                    "id: grid, driver: meter, profile: tasmota-sml, role: grid, "
                        + "connection: {topic: owners-house, parameters: {meter: SML}}"
                ], more: "mqtt: {host: 127.0.0.1, port: \(broker.port)}")
            let (path, text) = try await Self.recorded("grid", home)
            saying.cancel()
            #expect(text.contains("{topic}") && !text.contains("owners-house"), "\(text)")
            let replay = try await Replay([path, "--broker", "127.0.0.1:\(broker.port)", "--topic", "other"])
            // It says everything again every few seconds.
            let isRead = await eventually {
                let file = replay.home.configuration.path
                return try await HubProcess.offpeak("read", "replayed", "--config", file).standardOutput
                    .contains("-740.5 W")
            }
            #expect(isRead)
        }

        /// Devices whose topics all come from their parameters, and a point that tells what they said.
        static let relays: [(line: String, said: [(topic: String, payload: String)], point: String, value: String)] = [
            (
                "driver: hvac, profile: sg-ready-relays-mqtt, connection: {parameters: {lock_command_topic: attic/jane/lock/set, "
                    + "lock_state_topic: attic/jane/lock, boost_command_topic: attic/jane/boost/set, boost_state_topic: janes_boost}}",
                [("attic/jane/lock", "ON"), ("janes_boost", "OFF")], "lock", "1"
            ),
            (
                "driver: hvac, profile: heating-rods-mqtt, limits: {max_watts: 3000}, connection: {parameters: "
                    + "{rod_1_command_topic: attic/jane/set, rod_1_state_topic: attic/jane}}",
                [("attic/jane", "ON")], "stage", "100"
            ),
            (
                "driver: meter, profile: ha-statestream, role: grid, connection: {topic: janes-ha, "
                    + "parameters: {power: janes_power, import: janes_import}}",
                [
                    ("homeassistant/status", "online"), ("janes-ha/sensor/janes_power/state", "1234"),
                    ("janes-ha/sensor/janes_import/state", "5"),
                ], "power", "1234"
            ),
        ]

        @Test(.enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), arguments: 0..<3)
        func topicsOfParametersAreInNoReportAndNoRecording(index: Int) async throws {
            let device = Self.relays[index]
            let broker = try await MosquittoBroker()
            let client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
            for await state in await client.states() where state == .connected { break }
            for said in device.said { try await client.publish(said.payload, to: said.topic, isRetained: true) }
            let home = try Household(
                devices: ["id: relays, \(device.line)"], more: "mqtt: {host: 127.0.0.1, port: \(broker.port)}")
            let (path, text) = try await Self.recorded("relays", home)
            let report = try await HubProcess.offpeak("report", "relays", "--config", home.configuration.path)
            #expect(report.status == 0 && report.standardOutput.contains("What was said"), "\(report)")
            for text in [text, report.standardOutput] {
                #expect(!text.contains("jane") && !text.contains("attic"), "\(text)")
            }
            let replay = try await Replay([path, "--broker", "127.0.0.1:\(broker.port)"])
            let isRead = await eventually {
                let rows = try await Self.read("replayed", replay.home.configuration)
                return rows[device.point]?.hasPrefix(device.value) == true
            }
            #expect(isRead, "\(replay.child.output) \(text)")
        }

        @Test func pathsOfParametersAreInNoReportAndNoRecording() async throws {
            let server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
                switch request.path {
                case "/janes/lock/state": .json(Array(#"{"output":true,"of":"/janes/lock/state"}"#.utf8))
                case "/janes/boost": .json(Array(#"{"output":false}"#.utf8))
                default: .notFound
                }
            }
            try await server.start()
            let port = try #require(await server.boundPort)
            let home = try Household(devices: [
                "id: relays, driver: hvac, profile: sg-ready-relays-http, connection: {url: \"http://localhost:\(port)\", "
                    + "parameters: {lock_on_path: /janes/lock/on, lock_off_path: /janes/lock/off, "
                    + "lock_state_path: /janes/lock/state, boost_on_path: /janes/boost/on, "
                    + "boost_off_path: /janes/boost/off, boost_state_path: /janes/boost}}"
            ])
            let (path, text) = try await Self.recorded("relays", home)
            let report = try await HubProcess.offpeak("report", "relays", "--config", home.configuration.path)
            for text in [text, report.standardOutput] { #expect(!text.contains("janes"), "\(text)") }
            await server.stop(within: .zero)
            let replay = try await Replay([path])
            let rows = try await Self.read("replayed", replay.home.configuration)
            #expect(rows["lock"]?.hasPrefix("1") == true && rows["boost"]?.hasPrefix("0") == true, "\(rows)")
        }

        @Test func heatingThatDoesNotTellItsPowerIsPrintedWithIt() async throws {
            let rods = try VirtualDevice(
                unit: 1, holding: [319: [0]], input: [317: [2250], 325: [0x4242, 0], 640: [60]])
            let probe = try await HubProcess.offpeak("probe", "tcp://127.0.0.1:\(rods.server.port)", "--unit", "1")
            #expect(probe.standardOutput.contains("limits: {max_watts: "), "\(probe)")
            let home = try Household(devices: [
                "id: rods, driver: hvac, profile: askoheat, limits: {max_watts: 4500}, "
                    + "connection: {host: 127.0.0.1, port: \(rods.server.port)}"
            ])
            let (path, _) = try await Self.recorded("rods", home)
            let replay = try await Replay([path])
            #expect(replay.child.output.contains { $0.contains("limits: {max_watts: 4500}") })
            #expect(try await Self.read("replayed", replay.home.configuration)["power"]?.hasPrefix("2250 W") == true)
        }

        @Test func whatDoesNotAnswerEndsWithAReasonAndLeavesNothing() async throws {
            let port = try LoopbackPort.free()
            let probe = try await HubProcess.offpeak("probe", "tcp://127.0.0.1:\(port)")
            #expect(probe.status == 75 && probe.standardError.contains("cannot connect"), "\(probe)")
            let home = try Household(devices: [Household.meter("gone", UInt16(port))])
            let path = home.folder.file("gone.jsonl").path
            let record = try await HubProcess.offpeak(
                "record", "gone", path, "--config", home.configuration.path, "--seconds", "0")
            #expect(record.status == 75 && record.standardError.contains("cannot connect"), "\(record)")
            let report = try await HubProcess.offpeak("report", "gone", "--config", home.configuration.path)
            #expect(report.status == 0 && report.standardOutput.contains("It failed: cannot connect"), "\(report)")
            let other = home.folder.file("other.jsonl").path
            let unknown = try await HubProcess.offpeak("record", "car", other, "--config", home.configuration.path)
            #expect(unknown.status == 2 && !FileManager.default.fileExists(atPath: other), "\(unknown)")
        }
    }
}
