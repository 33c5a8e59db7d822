import Foundation
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// A device can never stop the hub, nor another device (field cases D-1, D-3, R-4).
    @Suite struct DeviceTroubleTests {
        @Test(.timeLimit(.minutes(3))) func otherDevicesGoOnBesideDeadSlowAndBabblingOnes() async throws {
            let good = try Inverter(watts: 1_000)
            let slow = try Inverter(watts: 2_000)
            slow.device.server.setReplyDelay(.seconds(3))
            let babbling = try BabblingServer()
            let home = try Household(devices: [
                Household.meter("good", good.port),
                Household.meter("slow", slow.port),
                Household.meter("babbling", babbling.port),
                Household.meter("dead", UInt16(try LoopbackPort.free())),
                Household.meter("undriven", 502, driver: "nosuch"),
                Household.meter("unprofiled", 502, profile: "nosuch"),
            ])
            let hub = try await home.run()
            let client = try await hub.client()
            for id in ["slow", "babbling", "dead"] {
                let state = try #require(await Self.health(of: id, client) { ["offline", "degraded"].contains($0) })
                #expect(state["reason"].string?.isEmpty == false, "\(id): \(state)")
            }
            for (id, word) in [("undriven", "no driver 'nosuch'"), ("unprofiled", "no profile 'nosuch'")] {
                let state = try #require(await Self.health(of: id, client) { $0 == "disabled" })
                #expect(state["reason"].string?.contains(word) == true, "\(id): \(state)")
            }
            for watts: UInt16 in [1_100, 1_200, 1_300] {
                good.set(watts: watts)
                #expect(
                    await eventually {
                        try await client.get("/api/v1/devices/good").json["reading"]["powerWatts"].number
                            == Double(watts)
                    }, "\(watts) W did not come")
            }
            // In counts and not by the clock: at its pace of half a second it is read far more often than the others are
            // waited for.
            let (before, waited) = (good.device.server.requestCount, slow.device.server.requestCount)
            #expect(await eventually { slow.device.server.requestCount >= waited + 2 })
            #expect(good.device.server.requestCount - before >= 4)
            #expect(try await client.get("/readyz").status == 200)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func aDeviceThatComesLaterIsPickedUp() async throws {
            let late = try Inverter(watts: 700)
            late.device.server.refuseConnections(true)
            let home = try Household(devices: [Household.meter("late", late.port)])
            let hub = try await home.run()
            let client = try await hub.client()
            #expect(await Self.health(of: "late", client) { $0 == "offline" } != nil)
            late.device.server.refuseConnections(false)
            #expect(await Self.health(of: "late", client) { $0 == "ok" } != nil)
            #expect(try await client.get("/api/v1/devices/late").json["reading"]["powerWatts"].number == 700)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func whatADeviceDrawsThatHasGoneIsNoFigure() async throws {
            let meter = try Inverter(watts: 700)
            let home = try Household(devices: [Household.meter("gone", meter.port)])
            let hub = try await home.run()
            let client = try await hub.client()
            let figure = "offpeak_device_power_watts{device=\"gone\"} 700"
            #expect(await eventually { try await client.get("/metrics").text.contains(figure) })
            meter.device.server.stop()
            #expect(await Self.health(of: "gone", client) { $0 == "offline" } != nil)
            let metrics = try await client.get("/metrics").text
            #expect(!metrics.contains("offpeak_device_power_watts{device=\"gone\"}"))
            #expect(metrics.contains("offpeak_device_up{device=\"gone\"} 0"))
            #expect(await hub.terminate().status == 0)
        }

        private static func health(of id: String, _ client: HTTPClient, _ isWanted: (String) -> Bool) async
            -> JSONValue?
        {
            await eventually { () -> JSONValue? in
                let health = try await client.get("/api/v1/devices/\(id)").json["health"]
                return health["state"].string.map(isWanted) == true ? health : nil
            }
        }
    }
}
