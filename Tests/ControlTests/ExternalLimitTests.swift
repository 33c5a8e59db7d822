import Foundation
import HubKit
import Storage
import TestSupport
import Testing

@testable import Control

/// Field case C-6: limits from outside.
@Suite(.timeLimit(.minutes(2))) struct ExternalLimitTests {
    let start: Date

    init() throws { start = try utc("2026-11-30T18:00:00Z") }

    private func after(_ seconds: Double) -> Date { start.addingTimeInterval(seconds) }

    private func allowed(
        _ limit: ExternalLimit?, _ rules: ExternalLimitRules? = nil, after seconds: Double
    ) -> AllowedPower {
        AllowedPower(limit, rules, since: start, at: after(seconds))
    }

    @Test func aLimitWithoutADurationDoesNotExpire() {
        let limit = ExternalLimit(powerWatts: 4200, receivedAt: start)
        #expect(allowed(limit, after: 0).watts == 4200)
        #expect(allowed(limit, after: 1e7).watts == 4200)
    }

    @Test func aDurationEndsIt() {
        let limit = ExternalLimit(powerWatts: 4200, receivedAt: start, until: after(3600))
        #expect(allowed(limit, after: 3599).watts == 4200)
        #expect(allowed(limit, after: 3600).watts == nil)
    }

    @Test func inSilenceTheFailSafeLimitHolds() {
        let rules = ExternalLimitRules(failSafeWatts: 3000)
        let limit = ExternalLimit(powerWatts: nil, receivedAt: after(50))
        #expect(allowed(limit, rules, after: 170) == AllowedPower(nil, nil, since: start, at: start))
        #expect(allowed(limit, rules, after: 171).watts == 3000)
        #expect(allowed(limit, rules, after: 171).isFailSafe)
        // Nobody was ever heard: that counts from the start.
        #expect(!allowed(nil, rules, after: 120).isFailSafe)
        #expect(allowed(nil, rules, after: 121).isFailSafe)
        // One that was heard before a restart gets the same time again.
        let old = ExternalLimit(powerWatts: 5000, receivedAt: after(-9000))
        #expect(allowed(old, rules, after: 100).watts == 5000)
    }

    private func lab(_ folder: TemporaryFolder? = nil, venue: UUID = UUID()) async throws -> ControllerLab {
        var settings = ControlSettings()
        settings.externalLimits[venue] = ExternalLimitRules(failSafeWatts: 0)
        let lab = try await ControllerLab(at: start, folder: folder, venueID: venue, settings: settings)
        try await lab.controller.resumeExternalLimits()
        try await lab.controller.setMode(.now, for: "wallbox")
        return lab
    }

    @Test func theChargerKeepsToItAndFallsBackInSilence() async throws {
        let lab = try await lab()
        var arrivals = lab.wallbox.arrivals.makeAsyncIterator()
        try await lab.controller.setExternalLimit(watts: 5600, seconds: nil, at: lab.venue.id)
        lab.start()
        lab.plugIn()
        // 5600 W on three phases are 8.1 A.
        #expect(await arrivals.next() == .limitCurrent(amps: 8))
        #expect(
            await eventually { lab.board["wallbox"]?.reason?.contains("limited by the grid operator's limit") == true })
        await lab.clock.waitForSleepers(1)
        await lab.clock.advance(by: 121, keeping: 1)
        #expect(await arrivals.next() == .limitCurrent(amps: 0))
        #expect(await lab.controller.externalLimit(at: lab.venue.id).allowed.isFailSafe)
        // Heard again, without a limit.
        try await lab.controller.setExternalLimit(watts: nil, seconds: nil, at: lab.venue.id)
        await lab.clock.waitForSleepers(1)
        await lab.clock.advance(by: 61, keeping: 1)
        #expect(await arrivals.next() == .limitCurrent(amps: 16))
        await lab.stop()
    }

    @Test func itOutlivesARestart() async throws {
        let folder = try TemporaryFolder()
        let venue = UUID()
        let first = try await lab(folder, venue: venue)
        try await first.controller.setExternalLimit(watts: 4200, seconds: 7200, at: venue)
        await first.stop()
        let second = try await lab(folder, venue: venue)
        let limit = await second.controller.externalLimit(at: venue)
        #expect(limit.said?.powerWatts == 4200 && limit.said?.until == after(7200))
        #expect(limit.allowed.watts == 4200)
        await second.stop()
    }

    @Test(arguments: [(-1.0, nil), (.nan, nil), (2e6, nil), (4200, -5.0), (4200, 0)] as [(Double, Double?)])
    func whatIsNoLimitIsRefused(watts: Double, seconds: Double?) async throws {
        let lab = try await lab()
        await #expect(throws: HubError.self) {
            try await lab.controller.setExternalLimit(watts: watts, seconds: seconds, at: lab.venue.id)
        }
        #expect(await lab.controller.externalLimit(at: lab.venue.id).said == nil)
        await lab.stop()
    }
}
