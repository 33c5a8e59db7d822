import Foundation
import TestSupport
import Testing

extension HubTests {
    /// A whole day of the demo with two power cuts in it, judged from outside: by the charger's own counter and by prices
    /// that the test reads itself.
    @Suite struct DemoDayTests {
        static let start = "2024-04-05T09:00:00+02:00"

        @Test(.timeLimit(.minutes(3))) func aDayWithTwoPowerCutsIsCheapestAndAddsUp() async throws {
            let folder = try TemporaryFolder()
            let data = folder.file("data")
            let begin = try Date(Self.start, strategy: .iso8601)
            let hub = try await HubProcess.demo(data: data, speed: 900, start: Self.start)
            let watch = HouseWatch(data)
            #expect(await watch.wait { $0.now > begin })
            let first = try #require(watch.states.first?.charger.countedWattHours)
            let planned = try await PlannedWindows.of("car", try await hub.client())
            for energy in [8_000.0, 19_000] {
                #expect(await watch.wait { $0.charger.countedWattHours - first > energy }, "never \(energy) Wh")
                await hub.kill()
                try await hub.restart()
            }
            let deadline = begin.addingTimeInterval(9 * 3600)
            #expect(await watch.wait { $0.now >= deadline })
            let atDeadline = try #require(watch.states.last { $0.now < deadline })
            let gain = atDeadline.charger.countedWattHours - first
            #expect(gain >= 29_990 && gain < 30_300, "\(gain) Wh by 18:00")

            // At 18:30 the car leaves, and what was open is closed.
            let client = try await hub.client()
            let ended = await eventually { () -> [JSONValue]? in
                let sessions = try await client.get("/api/v1/sessions?device=car").json["sessions"].array
                return !sessions.isEmpty && sessions.allSatisfy { $0["ended"].date != nil } ? sessions : nil
            }
            let sessions = try #require(ended)
            let final = try #require(watch.states.last).charger.countedWattHours - first
            let events = try await HubEvents.all(of: "car", client)
            #expect(abs(HubEvents.energy(events) - final) <= 0.2, "\(HubEvents.energy(events)) of \(final) Wh")
            let summed = sessions.compactMap { $0["energyWattHours"].number }.reduce(0, +)
            #expect(abs(summed - final) <= 0.2, "\(summed) of \(final) Wh in \(sessions.count) sessions")
            try judgeCost(watch, sessions, final, begin, deadline)
            judgeHours(watch, planned)
            #expect(await hub.terminate().status == 0)
            let stored = try await HubProcess.offpeak("events", "--data", data.path, "--device", "car")
            #expect(JSONValue(text: stored.standardOutput)?.array == events)
        }

        private func judgeCost(
            _ watch: HouseWatch, _ sessions: [JSONValue], _ energy: Double, _ begin: Date, _ deadline: Date
        ) throws {
            let prices = try DemoPrices()
            let least = prices.leastCost(wattHours: energy, watts: 3 * 16 * 230, from: begin, to: deadline)
            let paid = watch.steps.map { $0.wattHours / 1000 * (prices.price(at: $0.at) ?? .infinity) }.reduce(0, +)
            #expect(paid <= least * 1.001 && paid >= least * 0.999, "paid \(paid), least \(least)")
            let booked = sessions.compactMap { $0["cost"].number }.reduce(0, +)
            #expect(abs(booked - least) <= least * 0.001, "booked \(booked), least \(least)")
        }

        private func judgeHours(_ watch: HouseWatch, _ planned: [Range<Date>]) {
            #expect(!planned.isEmpty)
            let outside = watch.steps.filter { step in !planned.contains { $0.contains(step.at) } }
            // A command takes a moment of real time, which is some minutes of the house's.
            let stray = outside.map(\.wattHours).reduce(0, +)
            #expect(stray < 1_500, "\(stray) Wh outside \(planned), such as \(outside.prefix(3))")
            let offered = Set(watch.states.filter(\.charger.isEnabled).map(\.charger.limitAmps))
            #expect(offered.contains(16), "\(offered)")
        }
    }
}

/// What a device was going to do.
enum PlannedWindows {
    /// The spans of a device's plan in which it draws something; waits until there is a plan.
    static func of(_ device: String, _ client: HTTPClient) async throws -> [Range<Date>] {
        await eventually { () -> [Range<Date>]? in
            let plan = try await client.get("/api/v1/devices/\(device)").json["plan"]
            let windows = plan["intervals"].array.compactMap { interval -> Range<Date>? in
                guard let start = interval["start"].date, let end = interval["end"].date,
                    (interval["powerWatts"].number ?? 0) > 0
                else { return nil }
                return start..<end
            }
            return windows.isEmpty ? nil : windows
        } ?? []
    }
}
