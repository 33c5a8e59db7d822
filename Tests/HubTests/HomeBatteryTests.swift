import Foundation
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// A home battery in the running hub: what a person asks for reaches its registers, and the hub's end ends it.
    @Suite struct HomeBatteryTests {
        /// The register of the remote control's mode at a SolarEdge inverter: 7 follows the house, 3 charges from the grid too.
        private static let mode: UInt16 = 57_357

        private static func battery() throws -> VirtualDevice {
            try VirtualDevice(
                unit: 1,
                holding: [
                    57_348: [1], 57_354: [7, 0, 0, 7, 0, 0, 0, 0],
                    // At rest, half full.
                    57_716: [0, 0], 57_718: [0x57E4, 0x007D, 0, 0], 57_722: [0x9E42, 0x004C, 0, 0],
                    57_732: [0, 0x4248],
                ])
        }

        /// A grid meter that imports 600 W, evenly.
        private static func grid() throws -> VirtualDevice {
            try VirtualDevice(
                unit: 1,
                input: [
                    0: [
                        0x4366, 0, 0x4366, 0, 0x4366, 0, 0x3F5E, 0, 0x3F5E, 0, 0x3F5E, 0, 0x4348, 0, 0x4348, 0, 0x4348,
                        0,
                    ] + Array(repeating: 0, count: 34),
                    52: [0x4416, 0] + Array(repeating: 0, count: 16),
                    70: [0x4247, 0xEB85, 0x4600, 0x5A00, 0x459C, 0xEA00],
                ])
        }

        private static func words(_ battery: VirtualDevice) -> UInt16? {
            battery.server.words(.holding, unit: 1, address: mode, count: 1)?.first
        }

        @Test(.timeLimit(.minutes(3))) func whatIsAskedForReachesTheRegisterAndEndsWithTheHub() async throws {
            let battery = try Self.battery(), grid = try Self.grid()
            let home = try Household(
                devices: [
                    "id: grid, driver: meter, profile: eastron-sdm630, role: grid, poll_seconds: 0.5, "
                        + "connection: {host: 127.0.0.1, port: \(grid.server.port)}",
                    "id: store, driver: meter, profile: solaredge-battery, role: battery, poll_seconds: 0.5, "
                        + "connection: {host: 127.0.0.1, port: \(battery.server.port)}, "
                        + "battery: {capacity_kwh: 10, charge_watts: 2000, discharge_watts: 5000}",
                ], venue: "rate_plan: {flat: 0.30}, connection: {phases: 3, amps: 25}")
            #expect(try await HubProcess.offpeak("check", home.configuration.path).status == 0)
            let token = try await home.token()
            let hub = try await home.run()
            var client = try await hub.client()
            // With one price for all hours there is nothing to save: it follows the house.
            #expect(
                await eventually {
                    try await client.get("/api/v1/devices/store").json["reason"].string?.hasPrefix("follows the house")
                        == true
                })
            #expect(Self.words(battery) == 7)
            client.token = token
            let answer = try await client.send("PUT", "/api/v1/devices/store/mode", body: #"{"mode":"now"}"#)
            #expect((200...204).contains(answer.status), "\(answer.text)")
            #expect(await eventually { Self.words(battery) == 3 })
            let power = battery.server.words(.holding, unit: 1, address: 57_358, count: 2)
            #expect(power == [0, 0x44FA], "2000 W")
            let refused = try await client.send("PUT", "/api/v1/devices/store/mode", body: #"{"mode":"solar"}"#)
            #expect(refused.status >= 400)
            // The meter falls silent: nobody knows what the connection bears.
            grid.server.stop()
            #expect(await eventually(within: .seconds(150)) { Self.words(battery) == 7 })
            let reason = try await client.get("/api/v1/devices/store").json["reason"].string ?? ""
            #expect(reason.contains("the grid meter does not answer"), "\(reason)")
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func theEndOfTheHubGivesItBack() async throws {
            let battery = try Self.battery(), grid = try Self.grid()
            let home = try Household(
                devices: [
                    "id: grid, driver: meter, profile: eastron-sdm630, role: grid, poll_seconds: 0.5, "
                        + "connection: {host: 127.0.0.1, port: \(grid.server.port)}",
                    "id: store, driver: meter, profile: solaredge-battery, role: battery, poll_seconds: 0.5, mode: now, "
                        + "connection: {host: 127.0.0.1, port: \(battery.server.port)}, "
                        + "battery: {capacity_kwh: 10, charge_watts: 2000, discharge_watts: 5000}",
                ], venue: "rate_plan: {flat: 0.30}, connection: {phases: 3, amps: 25}")
            let hub = try await home.run()
            #expect(await eventually { Self.words(battery) == 3 })
            #expect(await hub.terminate().status == 0)
            #expect(Self.words(battery) == 7)
        }
    }
}
