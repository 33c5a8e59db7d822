import Foundation
import Hub
import HubKit
import TestSupport
import Testing
import ThreadKit

/// A hub in this process, whose clock on the wall a test sets.
private struct ClockHouse {
    /// The wall's clock: the real one, set by as much as a test says.
    final class Wall: Sendable {
        private let offset: Locked<Double>

        init(offset: Double) { self.offset = Locked(offset) }

        func set(to seconds: Double) { offset.withLock { $0 = seconds } }

        var now: Date { Date().addingTimeInterval(offset.current) }
    }

    let wall: Wall
    let meter: Inverter
    let log = CollectingLog()
    let hub: HubRuntime
    let client: HTTPClient
    private let home: Household

    /// Starts a hub with one meter.
    init(offset: Double = 0) async throws {
        let wall = Wall(offset: offset)
        self.wall = wall
        meter = try Inverter(watts: 900)
        home = try Household(devices: [Household.meter("meter", meter.port)])
        let share = try Share.find(Checkout.folder.appendingPathComponent("etc").path)
        let options = HubOptions(share: share, clock: SystemClock { wall.now }, log: log.log)
        hub = try await HubRuntime(ConfigurationReader.read(home.configuration), options: options)
        await hub.start()
        client = HTTPClient(port: try #require(await hub.port))
    }

    /// Whether the meter's power comes to be this.
    func shows(_ watts: UInt16) async -> Bool {
        meter.set(watts: watts)
        return await eventually {
            try await client.get("/api/v1/devices/meter").json["reading"]["powerWatts"].number == Double(watts)
        }
    }

    /// Whether a line comes to be said.
    func says(_ text: String) async -> Bool { await eventually { log.texts().contains { $0.contains(text) } } }
}

extension HubTests {
    /// The machine's clock is wrong, or is set while the hub runs.
    @Suite struct ClockTroubleTests {
        @Test(
            .timeLimit(.minutes(3)),
            arguments: [(-3600, "back by 60 min"), (3600, "forward by 60 min"), (-34_560_000, "back by 400 days")]
                as [(Double, String)])
        func aClockThatIsSetIsSaidAndNothingWaits(seconds: Double, said: String) async throws {
            let house = try await ClockHouse()
            #expect(await house.shows(910))
            house.wall.set(to: seconds)
            #expect(await house.says("the machine's clock was set \(said)"), "\(house.log.texts())")
            #expect(await house.shows(920), "the meter is no longer read")
            let reading = try await house.client.get("/api/v1/devices/meter").json["reading"]["at"].string ?? ""
            let age = try Date(reading.prefix(19) + "Z", strategy: .iso8601).timeIntervalSince(house.wall.now)
            #expect(abs(age) < 600, "\(reading)")
            #expect(try await house.client.get("/readyz").status == 200)
            #expect(house.log.texts().filter { $0.contains("clock was set") }.count == 1)
            await house.hub.stop()
        }

        @Test(.timeLimit(.minutes(3))) func aClockOf1970IsSaidUntilItIsSet() async throws {
            let house = try await ClockHouse(offset: 86_400 - Date().timeIntervalSince1970)
            #expect(await house.says("which can't be; set it"))
            #expect(await house.shows(910), "the meter is read all the same")
            let health = try await house.client.get("/api/v1/health").json
            #expect(health["state"].string == "degraded" && health["notices"].array.count == 1, "\(health)")
            house.wall.set(to: 0)
            #expect(await house.says("the machine's clock was set forward by"))
            #expect(try await house.client.get("/api/v1/health").json["state"].string == "ok")
            #expect(await house.shows(920))
            await house.hub.stop()
        }
    }
}
