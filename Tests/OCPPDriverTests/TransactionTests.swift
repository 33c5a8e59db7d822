import Foundation
import HubKit
import TestSupport
import Testing
import ThreadKit

/// Transactions over reconnects and restarts.
@Suite struct TransactionTests {
    private let energy = "Energy.Active.Import.Register"

    @Test func aTransactionGoesOnOverARestartOfTheHub_D10() async throws {
        let book = Site.Book()
        let clock = ManualClock()
        let before = try await Site(store: book, clock: clock)
        let charger = try await before.connect(status: "Charging")
        let id = await charger.start(meter: 10_000, at: clock.now)
        await before.end()

        let after = try await Site(store: book, clock: clock)
        let same = try await VirtualCharger.connect(port: after.port)
        await same.say("Charging")
        await same.measure([(energy, "14000", "Wh")], at: clock.now, transaction: id)
        #expect(await after.shows { $0.reading?[.sessionWattHours] == 4_000 })
        #expect(await same.stop(id, meter: 15_000, at: clock.now)[2]["idTagInfo"]["status"].string == "Accepted")
        await after.end()
    }

    @Test func oneThatTheHubKnowsNothingOfIsAdopted_D10() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure([(energy, "14000", "Wh")], at: site.clock.now, transaction: 4711)
        #expect(await site.shows { $0.reading?[.importWattHours] == 14_000 })
        // From when it counts is not known.
        #expect(site.running.reading?[.sessionWattHours] == nil)
        let points = try await site.running.device.inspect()
        #expect(points.first { $0.name == "transaction" }?.value == "4711")
        await site.end()
    }

    @Test func aStopOfAnUnknownTransactionIsAccepted_D10() async throws {
        let site = try await Site()
        let charger = try await site.connect()
        for id in [4711, 0, -1] {
            let answer = await charger.stop(id, meter: 10, at: site.clock.now)
            #expect(answer[0].number == 3 && answer[2]["idTagInfo"]["status"].string == "Accepted")
        }
        await site.end()
    }

    @Test func aNewConnectionReplacesTheOldAndIsHeard_D10() async throws {
        let site = try await Site()
        let old = try await site.connect(status: "Charging")
        let id = await old.start(meter: 1_000, at: site.clock.now)
        // Its network dropped it, and the old connection is still there.
        let new = try await VirtualCharger.connect(port: site.port)
        await new.say("Charging")
        await new.measure([(energy, "3000", "Wh")], at: site.clock.now, transaction: id)
        #expect(await site.shows { $0.reading?[.sessionWattHours] == 2_000 && $0.health.state == .ok })
        #expect(try await site.running.perform(.limitCurrent(amps: 10)) == .applied)
        #expect(await new.call(1, of: "SetChargingProfile") != nil)
        #expect(await old.calls("SetChargingProfile").isEmpty)
        // What ends now is the old one.
        #expect(site.running.health?.state == .ok)
        await site.end()
    }

    @Test func aRepeatedStartIsTheSameTransactionAlsoOverARestart() async throws {
        let book = Site.Book()
        let clock = ManualClock()
        let before = try await Site(store: book, clock: clock)
        let charger = try await before.connect()
        let began = clock.now
        let id = await charger.start(meter: 10_000, at: began)
        await before.end()
        let after = try await Site(store: book, clock: clock)
        let same = try await VirtualCharger.connect(port: after.port)
        #expect(await same.start(meter: 10_000, at: began) == id)
        #expect(await same.start(meter: 10_500, at: began.addingTimeInterval(60)) > id)
        await after.end()
    }

    @Test func whatWasKeptAndCannotBeReadStopsNothing() async throws {
        let book = Site.Book()
        book.text.withLock { $0 = "{not JSON" }
        let site = try await Site(store: book)
        let charger = try await site.connect()
        #expect(await charger.start(meter: 0, at: site.clock.now) > 0)
        #expect(book.text.current?.contains("meterStart") == true)
        await site.end()
    }

    @Test func anotherConnectorsTransactionIsNotThisOnes() async throws {
        let site = try await Site()
        let charger = try await site.connect(status: "Charging")
        await charger.measure([(energy, "500", "Wh")], at: site.clock.now)
        await charger.say("Faulted", connector: 2)
        await charger.call(
            "MeterValues",
            #"{"connectorId":2,"transactionId":9,"meterValue":[{"sampledValue":[{"value":"99999"}]}]}"#)
        #expect(await site.shows { $0.reading?[.importWattHours] == 500 && $0.reading?.charging == .charging })
        await site.end()
    }
}
