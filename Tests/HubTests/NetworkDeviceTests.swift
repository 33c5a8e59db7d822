import Foundation
import MQTT
import TestSupport
import Testing
import ThreadKit
import WebServer

extension HubTests {
    /// Devices over MQTT and HTTP in a whole hub (field cases D-1, D-3).
    @Suite(.enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"))
    struct NetworkDeviceTests {
        /// A meter and a charger at a broker that say something five times a second.
        private static func saying(_ client: MQTTClient) -> Task<Void, Never> {
            let messages = [
                "tele/head/SENSOR": #"{"SML":{"power_curr":-740.5,"total_in":4321.125,"total_out":12.5}}"#,
                "openWB/lp/1/boolPlugStat": "1", "openWB/lp/1/boolChargeStat": "1", "openWB/lp/1/W": "3600",
                "openWB/lp/1/kWhCounter": "12.5", "openWB/lp/1/APhase1": "5.2", "openWB/lp/1/APhase2": "5.2",
                "openWB/lp/1/APhase3": "5.2",
            ]
            return Task {
                while !Task.isCancelled {
                    for (topic, payload) in messages { _ = try? await client.publish(payload, to: topic) }
                    try? await Task.sleep(for: .milliseconds(200))
                }
            }
        }

        private static func server() async throws -> WebServer {
            let server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
                switch request.path {
                case "/api/v1/data":
                    .json(Array(#"{"active_power_w":417.5,"total_power_import_kwh":13.5}"#.utf8))
                default: .text("noise")
                }
            }
            try await server.start()
            return server
        }

        @Test(.timeLimit(.minutes(3))) func areReadAndToldBesideOnesThatAreDead() async throws {
            let broker = try await MosquittoBroker()
            let client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
            for await state in await client.states() where state == .connected { break }
            let told = try await client.messages(matching: "openWB/set/isss/Current")
            let saying = Self.saying(client)
            defer { saying.cancel() }
            let server = try await Self.server()
            let url = "http://127.0.0.1:\(try #require(await server.boundPort))"
            let sml = "driver: meter, profile: tasmota-sml, poll_seconds: 0.5"
            let dead = "http://127.0.0.1:\(try LoopbackPort.free())"
            let home = try Household(
                devices: [
                    "id: grid, \(sml), role: grid, connection: {topic: head, parameters: {meter: SML}}",
                    "id: quiet, \(sml), role: load, connection: {topic: nobody, parameters: {meter: SML}}",
                    "id: car, driver: ev, profile: openwb-secondary, mode: now, limits: {max_amps: 16}, connection: {topic: openWB}",
                    "id: load, driver: meter, profile: homewizard, role: load, poll_seconds: 0.5, connection: {url: \"\(url)\"}",
                    "id: away, driver: meter, profile: homewizard, role: load, connection: {url: \"\(dead)\"}",
                    "id: noise, driver: meter, profile: shelly-3em, role: load, connection: {url: \"\(url)\"}",
                ], more: "mqtt: {host: 127.0.0.1, port: \(broker.port)}")
            let read = try await HubProcess.offpeak("read", "grid", "--config", home.configuration.path, "--json")
            let rows = JSONValue(text: read.standardOutput)?.array ?? []
            #expect(rows.first { $0["name"].string == "power" }?["value"].string == "-740.5 W", "\(read)")
            #expect(rows.first { $0["name"].string == "(sensor)" }?["raw"].string?.contains("power_curr") == true)
            let hub = try await home.run()
            let api = try await hub.client()
            for (id, watts) in [("grid", -740.5), ("load", 417.5), ("car", 3600)] {
                let isRead = await eventually {
                    try await api.get("/api/v1/devices/\(id)").json["reading"]["powerWatts"].number == watts
                }
                let device = try await api.get("/api/v1/devices/\(id)").json
                #expect(isRead, "\(id): \(device)")
            }
            for (id, reason) in [("quiet", "nobody"), ("away", "no connection"), ("noise", "is no JSON")] {
                let isSaid = await eventually {
                    let health = try await api.get("/api/v1/devices/\(id)").json["health"]
                    return health["state"].string == "offline" && health["reason"].string?.contains(reason) == true
                }
                let device = try await api.get("/api/v1/devices/\(id)").json
                #expect(isSaid, "\(id): \(device)")
            }
            for await message in told {
                #expect(Int(message.text).map { (6...16).contains($0) } == true, "\(message.text)")
                break
            }
            #expect(await hub.terminate().status == 0)
            await server.stop(within: .zero)
        }
    }
}
