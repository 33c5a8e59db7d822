import Foundation
import TestSupport
import Testing

extension HubTests {
    /// How a hub ends when it is asked to.
    @Suite struct EndTests {
        @Test(arguments: [SIGTERM, SIGINT]) func aHubThatIsAskedToEndsQuicklyAndWell(signal: Int32) async throws {
            let meter = try Inverter(watts: 500)
            let home = try Household(devices: [
                Household.meter("meter", meter.port), Household.meter("dead", UInt16(try LoopbackPort.free())),
            ])
            let hub = try await home.run()
            let end = await hub.terminate(with: signal)
            // Far above the three seconds that it gives itself: a dead device must not hold it up for ever.
            #expect(end.status == 0 && end.took < .seconds(25), "\(end)")
        }

        @Test(arguments: [SIGTERM, SIGINT]) func aDemoThatIsAskedToEndsForgetsItsFolder(signal: Int32) async throws {
            let folder = try TemporaryFolder()
            let hub = try await HubProcess.start(
                ["demo", "--port", "0", "--speed", "60"], environment: ["TMPDIR": folder.path])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
            let stream = try await hub.client().events("/api/v1/stream")
            let end = await hub.terminate(with: signal)
            #expect(end.status == 0 && end.took < .seconds(25), "\(end)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            // A reader is let go, with a farewell or without.
            do { for try await _ in stream {} } catch is HTTPClient.Failure {}
        }
    }
}
