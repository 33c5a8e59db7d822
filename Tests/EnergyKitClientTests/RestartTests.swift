import EnergyKit
import Foundation
import TestSupport
import Testing

/// A hub that goes away and comes back, by socket and by HTTP.
@Suite(.timeLimit(.minutes(5))) struct RestartTests {
    @Test(arguments: Backing.remote) func guidanceOutlivesItsHub(backing: Backing) async throws {
        let house = try TestHome()
        let token = try await house.token()
        let hub = try await HubProcess.run(house.configuration)
        let client = try EnergyKitClient(try house.settings(backing, token: token))
        try await EnergyKitSystem.withBackend(client) {
            let home = try await TestHome.home()
            let (arrivals, arrival) = AsyncStream<ElectricityGuidance>.makeStream()
            let task = Task {
                for try await guidance in ElectricityGuidance.sharedService.guidance(
                    using: .init(suggestedAction: .shift), at: home.id)
                {
                    arrival.yield(guidance)
                }
            }
            var received = arrivals.makeAsyncIterator()
            let first = try #require(await received.next())
            // A power cut leaves the socket's file behind.
            await hub.kill()
            try house.write(plan: TestHome.morning)
            try await hub.restart()
            let second = try #require(await received.next())
            #expect(second.guidanceToken != first.guidanceToken)
            #expect(second.energyVenueID == first.energyVenueID)
            // The old token still counts for the session that began with it.
            let receipt = try await home.submit(SampleEvents(first).hour.map { .electricVehicle($0) })
            #expect(receipt.accepted == 3)
            task.cancel()
            try await task.value
        }
        _ = await hub.terminate()
    }

    @Test(arguments: Backing.remote) func aProgramThatOnlyImportsEnergyKitWorks(backing: Backing) async throws {
        let house = try TestHome()
        let token = try await house.token()
        let hub = try await HubProcess.run(house.configuration)
        let program = URL(fileURLWithPath: HubProcess.executable).deletingLastPathComponent()
            .appendingPathComponent("EnergyKitTour").path
        let environment =
            backing == .socket
            ? ["OFFPEAK_URL": "unix:\(house.socket)", "OFFPEAK_TOKEN": ""]
            : ["OFFPEAK_URL": "http://127.0.0.1:\(house.port)", "OFFPEAK_TOKEN": token]
        let tour = try ChildProcess(program, environment: environment)
        try await tour.waitForLine(containing: "ready for a restart", timeout: .seconds(90))
        try house.write(plan: TestHome.morning)
        try await hub.restart()
        let status = await tour.waitUntilExit()
        #expect(status == 0, "\(tour.output.joined(separator: "\n"))")
        #expect(tour.output.contains("the tour is complete"))
        _ = await hub.terminate()
    }
}
