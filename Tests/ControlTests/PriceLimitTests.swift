import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

@Suite struct PriceLimitTests {
    let now: Date
    let lab: ChargerLab

    init() throws {
        now = try utc("2026-11-30T18:00:00Z")
        lab = ChargerLab(at: now)
    }

    private func hours(_ count: Double) -> Date { now.addingTimeInterval(count * 3600) }

    private func limited(_ limit: Double?, mode: DeviceMode = .guided) -> DeviceUse {
        var use = DeviceUse.mode(mode)
        use.limit = limit.map { PriceLimit(pricePerKWh: $0) }
        return use
    }

    private func amps(_ use: DeviceUse, price: Double?, plug: PlugState = .plugged) throws -> Double? {
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [price, 0.5], ratings: [0.9, 0.9])
        return try control.decide(lab.inputs(now, charger(now, plug: plug), guidance: prices)).amps
    }

    @Test(
        arguments: [
            (nil, []), (0, [-0.40, -0.05, 0.00]), (-0.10, [-0.40]), (-0.41, []), (0.10, [-0.40, -0.05, 0.00, 0.10]),
        ] as [(Double?, [Double])])
    func noLimitSelectsNothingAndZeroIsALimit_G4(limit: Double?, cheap: [Double]) throws {
        let selected = try [-0.40, -0.05, 0.00, 0.10].filter { try amps(limited(limit), price: $0) == 16 }
        #expect(selected == cheap)
    }

    @Test(
        arguments: [
            (0.24004, true), (0.24, true), (0.2404, true), (0.2405, false), (0.241, false), (0.23999, true),
        ])
    func aPriceShownAsTheLimitIsWithinIt_G5(price: Double, isCheap: Bool) throws {
        #expect(PriceLimit(pricePerKWh: 0.24).includes(price) == isCheap)
        #expect(try amps(limited(0.24), price: price) == (isCheap ? 16 : 0))
    }

    @Test(arguments: [nil, Double.nan, .infinity, -.infinity] as [Double?])
    func aPriceThatIsNotKnownIsNotCheap(price: Double?) throws {
        #expect(!PriceLimit(pricePerKWh: 9000).includes(price))
        if price == nil { #expect(try amps(limited(9000), price: price) == 0) }
    }

    @Test func theSunsChargerTakesCheapPowerFromTheGridToo() throws {
        #expect(try amps(limited(0.2, mode: .solar), price: 0.1) == 16)
        #expect(try amps(limited(0.2, mode: .solar), price: 0.3) == 0)
        #expect(try amps(limited(0.2, mode: .off), price: 0.1) == 0)
    }

    @Test func anUnpluggedCarIsOfferedNothing() throws {
        #expect(try amps(limited(0.2), price: 0.1, plug: .unplugged) == 0)
    }

    @Test func aGoalIsReachedEarlierAtACheapPriceAndEndsIt() throws {
        var use = DeviceUse.goal(5000, by: hours(6), setAt: now)
        use.charging?.baselineWattHours = 1000
        use.limit = PriceLimit(pricePerKWh: 0.2)
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [0.2, 0.3, 0.05, 0.3, 0.3, 0.3])
        let early = try control.decide(lab.inputs(now, charger(now), guidance: prices))
        #expect(early.amps == 16)
        #expect(early.guidance?.isFollowing == false)
        #expect(early.reason.contains("0.200 EUR/kWh"))
        let dear = try control.decide(lab.inputs(hours(1.5), charger(hours(1.5)), guidance: prices))
        #expect(dear.amps == 0)
        // The cheap hour, minute by minute, with a car that takes what it is offered.
        var (counter, watts) = (1000.0, 0.0)
        for minute in 0..<60 {
            let then = hours(2).addingTimeInterval(Double(minute) * 60)
            let reading = charger(then, watts: watts, counter: counter)
            let decision = try control.decide(lab.inputs(then, reading, guidance: prices))
            watts = (decision.amps ?? 0) * 690
            counter += watts / 60
        }
        #expect(abs(counter - 6000) < 200)
        #expect(watts == 0)
    }

    @Test(arguments: [nil, 0, -0.1] as [Double?])
    func aLimitAndItsAbsenceOutliveARestart_G4(price: Double?) async throws {
        let folder = try TemporaryFolder()
        let limit = price.map { PriceLimit(pricePerKWh: $0) }
        let first = try await ControllerLab(at: now, folder: folder)
        try await first.controller.setLimit(PriceLimit(pricePerKWh: 1), for: "wallbox")
        try await first.controller.setLimit(limit, for: "wallbox")
        #expect(first.board["wallbox"]?.limit == limit)
        await first.stop()
        let second = try await ControllerLab(at: now, folder: folder)
        #expect(second.board["wallbox"]?.limit == limit)
        await second.stop()
    }
}
