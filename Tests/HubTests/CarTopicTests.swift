import Foundation
import MQTT
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// The charge of a car that another system tells over the broker.
    @Suite(
        .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
    struct CarTopicTests {
        @Test(arguments: [
            ("vehicle: {capacity_kwh: 50, state_of_charge_topic: ha/sensor/car/state}", "ha/sensor/car/state", "41"),
            (
                "vehicle: {state_of_charge_topic: car/status, state_of_charge_path: battery.level}", "car/status",
                #"{"battery":{"level":41}}"#
            ),
        ])
        func isShownAndRubbishIsNot(vehicle: String, topic: String, payload: String) async throws {
            let broker = try await MosquittoBroker()
            let client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
            for await state in await client.states() where state == .connected { break }
            let alfen = try VirtualDevice.alfen()
            // The newest that is kept counts: such systems speak only when something changes.
            try await client.publish(payload, to: topic, isRetained: true)
            let home = try Household(
                devices: [
                    "id: car, driver: ev, profile: alfen-eve, mode: \"off\", poll_seconds: 0.5, "
                        + "connection: {host: 127.0.0.1, port: \(alfen.server.port)}, \(vehicle)"
                ], more: "mqtt: {host: 127.0.0.1, port: \(broker.port)}")
            let hub = try await home.run()
            let api = try await hub.client()
            func charge() async throws -> Double? {
                try await api.get("/api/v1/devices/car").json["reading"]["stateOfCharge"].number
            }
            let isShown = await eventually { try await charge() == 41 }
            #expect(isShown)
            for rubbish in [
                "full", "101", "-1", "nan", "[]", "unavailable", #"{"battery":{"level":null}}"#,
                #"{"battery":{"level":500}}"#,
            ] {
                try await client.publish(rubbish, to: topic)
            }
            try await hub.said("which is no charge")
            #expect(try await charge() == 41)
            // Home Assistant shows it as the charger's own.
            for await message in try await client.messages(matching: "homeassistant/device/offpeak_car/config") {
                #expect(message.text.contains(#""unique_id":"offpeak_car_charge""#))
                break
            }
            #expect(await hub.terminate().status == 0)
        }
    }
}
