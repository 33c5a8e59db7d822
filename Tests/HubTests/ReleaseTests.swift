import Foundation
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// A device that the hub lets go of runs as it would by itself, also a moment after it was put into another state.
    @Suite struct ReleaseTests {
        enum Way: String, CaseIterable, Sendable {
            case terminated, interrupted, switchedOff, goalCleared
        }

        @Test(.timeLimit(.minutes(2)), arguments: Way.allCases)
        func aReducedHeatPumpRunsAsUsualAfterwards(way: Way) async throws {
            let pump = try VirtualDevice.stiebel()
            pump.set(.input, 507, [210])
            let home = try Household(
                devices: [
                    "id: pump, driver: hvac, profile: stiebel-isg, poll_seconds: 1, mode: guided, "
                        + "goal: {setpoint_celsius: 21, comfort_band_kelvin: 2}, "
                        + "connection: {host: 127.0.0.1, port: \(pump.server.port)}"
                ], venue: "guidance: {price: {file: price.json}}")
            try home.folder.write(Self.dearNow(), to: "price.json")
            let token = try await home.token()
            let hub = try await home.run()
            let isReduced = await eventually(within: .seconds(60)) { pump.written.contains(.init(4002, [1])) }
            let said = await hub.output
            #expect(isReduced, "\(said)")
            let client = try await hub.client().with(token: token)
            switch way {
            case .terminated: #expect(await hub.terminate(with: SIGTERM).status == 0)
            case .interrupted: #expect(await hub.terminate(with: SIGINT).status == 0)
            case .switchedOff:
                #expect(
                    try await client.send("PUT", "/api/v1/devices/pump/mode", body: "{\"mode\":\"off\"}").status < 300)
            case .goalCleared:
                #expect(try await client.send("DELETE", "/api/v1/devices/pump/goal").status < 300)
            }
            // Lock and boost are open again, well before the ten minutes that a state lasts otherwise.
            let normal = [VirtualDevice.Written(4000, [1]), .init(4002, [0]), .init(4001, [0])]
            #expect(
                await eventually { pump.written.filter { $0.address != 1501 }.suffix(3) == normal[...] },
                "\(pump.written)")
            #expect(pump.server.words(.holding, unit: 1, address: 4001, count: 2) == [0, 0])
            if way == .switchedOff || way == .goalCleared { #expect(await hub.terminate().status == 0) }
        }

        /// A week of cheap hours, then half an hour that is dear, from a minute ago.
        private static func dearNow() -> String {
            let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 60).rounded(.down))
            var slots = (1...168).reversed().map { slot(start.addingTimeInterval(-3600 * Double($0)), 3600, 80) }
            slots.append(slot(start, 1800, 900))
            slots += (0..<12).map { slot(start.addingTimeInterval(1800 + 3600 * Double($0)), 3600, 80) }
            return """
                {"source": "test", "kind": "price", "unit": "EUR/MWh", "slots": [\(slots.joined(separator: ", "))]}
                """
        }

        private static func slot(_ start: Date, _ seconds: Double, _ value: Double) -> String {
            let end = start.addingTimeInterval(seconds)
            return "{\"start\": \"\(start.ISO8601Format())\", \"end\": \"\(end.ISO8601Format())\", \"value\": \(value)}"
        }
    }
}
