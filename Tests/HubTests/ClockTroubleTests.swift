import Foundation
import TestSupport
import Testing

/// A clock of one process's own that a test sets, by libfaketime.
struct FalseClock {
    private let folder: TemporaryFolder

    /// The library, where it is installed.
    static let library: String? = {
        let root = "/usr/lib"
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return folders.map { "\(root)/\($0)/faketime/libfaketimeMT.so.1" }.first {
            FileManager.default.fileExists(atPath: $0)
        }
    }()

    /// Makes a clock.
    /// - Parameter text: as libfaketime reads it: `+0`, `-3600`, `@1970-01-02 00:00:00`.
    init(_ text: String) throws {
        folder = try TemporaryFolder()
        try set(text)
    }

    /// Sets the clock for everyone who goes by it.
    func set(_ text: String) throws { try folder.write(text + "\n", to: "clock") }

    /// What a process needs to go by this clock; only the time of day is false, as when a person sets it.
    var environment: [String: String] {
        [
            "LD_PRELOAD": FalseClock.library ?? "", "FAKETIME_TIMESTAMP_FILE": folder.file("clock").path,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1", "TZ": "UTC",
        ]
    }
}

extension HubTests {
    /// The machine's clock is wrong, or is set while the hub runs.
    @Suite(.enabled(if: FalseClock.library != nil, "faketime is not installed")) struct ClockTroubleTests {
        @Test(.timeLimit(.minutes(3)), arguments: [("-3600", "back"), ("+3600", "forward"), ("-34560000", "back")])
        func aClockThatIsSetIsSaidAndNothingWaits(set: String, way: String) async throws {
            let meter = try Inverter(watts: 900)
            let home = try Household(devices: [Household.meter("meter", meter.port)])
            let clock = try FalseClock("+0")
            let hub = try await HubProcess.run(home.configuration, environment: clock.environment)
            let client = try await hub.client()
            #expect(await Self.watts(client, are: 900))
            try clock.set(set)
            let line = try await hub.said("clock was set \(way) by")
            #expect(line.contains("warning"), "\(line)")
            meter.set(watts: 950)
            #expect(await Self.watts(client, are: 950), "the meter is no longer read")
            let reading = try await client.get("/api/v1/devices/meter").json["reading"]["at"].string ?? ""
            let offset = try Date(reading.prefix(19) + "Z", strategy: .iso8601).timeIntervalSinceNow
            #expect(abs(offset - (Double(set) ?? 0)) < 600, "\(reading)")
            #expect(try await client.get("/readyz").status == 200)
            #expect(await hub.output.filter { $0.contains("clock was set") }.count == 1)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func aClockOf1970IsSaidUntilItIsSet() async throws {
            let meter = try Inverter(watts: 900)
            let home = try Household(devices: [Household.meter("meter", meter.port)])
            let clock = try FalseClock("@1970-01-02 00:00:00")
            let hub = try await HubProcess.run(home.configuration, environment: clock.environment)
            try await hub.said("which can't be; set it")
            let client = try await hub.client()
            #expect(await Self.watts(client, are: 900))
            let health = try await client.get("/api/v1/health").json
            #expect(health["state"].string == "degraded" && health["notices"].array.count == 1, "\(health)")
            try clock.set("+0")
            try await hub.said("clock was set forward by")
            #expect(try await client.get("/api/v1/health").json["state"].string == "ok")
            meter.set(watts: 950)
            #expect(await Self.watts(client, are: 950))
            #expect(await hub.terminate().status == 0)
        }

        private static func watts(_ client: HTTPClient, are watts: Double) async -> Bool {
            await eventually {
                try await client.get("/api/v1/devices/meter").json["reading"]["powerWatts"].number == watts
            }
        }
    }
}
