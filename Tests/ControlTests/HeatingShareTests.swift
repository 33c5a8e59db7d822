import Foundation
import HubKit
import Storage
import TestSupport
import Testing

@testable import Control

/// A limit from outside reaches heating and cooling as well as chargers (field case C-6).
@Suite(.timeLimit(.minutes(2))) struct HeatingShareTests {
    private let start: Date

    init() throws { start = try utc("2026-11-30T18:00:00Z") }

    private func device(
        _ id: DeviceID = "pump", range: ClosedRange<Double>? = nil, states: [ReduceState] = [.reduced],
        full: Double? = nil, watts: Double? = nil, room: Double? = 21, rod: Bool = false
    ) throws -> DeviceState {
        var hvac = HVACCapabilities(reduce: states)
        hvac.powerLimitWatts = range
        hvac.fullPowerWatts = full
        hvac.drawsOnlySurplus = rod
        let board = DeviceBoard()
        board.add(
            DeviceConfiguration(id: id, name: id.rawValue, venueID: UUID(), driver: "hvac", connection: .none),
            kind: .hvac, capabilities: DeviceCapabilities(hvac: hvac), health: DeviceHealth(.ok, since: start))
        var reading = DeviceReading(at: start)
        reading[.powerWatts] = watts
        reading[.roomCelsius] = room
        board.post(reading, for: id)
        return try #require(board[id])
    }

    private func limits(_ watts: Double?, isFailSafe: Bool = false) -> HomeLimits {
        var limits = HomeLimits(externalWatts: watts)
        limits.isFailSafe = isFailSafe
        return limits
    }

    @Test("without a limit nothing is shared") func none() throws {
        let shares = HeatingShares([try device(range: 1000...9000)], limits(nil))
        #expect(shares.shares.isEmpty && shares.drawnWatts == 0)
    }

    @Test(
        "a pump that can be limited gets what is there, and is locked below its least",
        arguments: [
            (4200.0, 4200.0, false), (20_000, 9000, false), (1000, 1000, false), (999, 1000, true), (0, 1000, true),
        ] as [(Double, Double?, Bool)])
    func limited(limit: Double, watts: Double?, isLocked: Bool) throws {
        let share = HeatingShares([try device(range: 1000...9000, watts: 600)], limits(limit)).shares["pump"]
        #expect(share?.watts == watts && share?.isLocked == isLocked)
    }

    @Test(
        "a pump that can only be locked runs where its whole power fits",
        arguments: [
            (3000.0, nil, 4200.0, false, 2000.0), (5000, nil, 4200, true, 0), (nil, nil, 4200, true, 0),
            (nil, 3000, 4200, false, 2000), (nil, 4300, 4200, true, 0),
        ] as [(Double?, Double?, Double, Bool, Double)])
    func locked(full: Double?, seen: Double?, limit: Double, isLocked: Bool, drawn: Double) throws {
        let pump = try device(full: full, watts: 2000)
        let shares = HeatingShares([pump], limits(limit), seen: seen.map { ["pump": $0] } ?? [:])
        #expect(shares.shares["pump"]?.isLocked == isLocked)
        #expect(shares.drawnWatts == drawn)
    }

    @Test(
        "comfort is not broken by a lost connection, nor a house left to the frost",
        arguments: [
            (true, 21.0, false), (false, 21, true), (false, 9.9, false), (false, nil, true),
        ] as [(Bool, Double?, Bool)])
    func kept(isFailSafe: Bool, room: Double?, isLocked: Bool) throws {
        let pump = try device(full: 5000, watts: 3000, room: room)
        let shares = HeatingShares([pump], limits(4200, isFailSafe: isFailSafe))
        #expect(shares.shares["pump"]?.isLocked == isLocked)
        // What runs all the same is taken off what chargers share.
        #expect(shares.drawnWatts == (isLocked ? 0 : 3000))
    }

    @Test("the second pump gets what the first leaves; rods and what can't be limited get no share") func several()
        throws
    {
        let pumps = [
            try device("a", range: 1000...9000, watts: 2500), try device("b", range: 1000...9000, watts: 100),
            try device("c", states: []), try device("d", states: [], rod: true),
        ]
        let shares = HeatingShares(pumps, limits(4200))
        #expect(shares.shares["a"]?.watts == 4200 && shares.shares["b"]?.watts == 1700)
        #expect(shares.shares["c"] == nil && shares.shares["d"] == nil)
        #expect(shares.drawnWatts == 2600)
    }

    @Test("the hub locks a pump, leaves the charger the rest, and lifts it") func wholeHub() async throws {
        let lab = try await ControllerLab(at: start)
        var hvac = HVACCapabilities(mode: true, temperatures: [.room, .outdoor], reduce: [.reduced])
        hvac.powerLimitWatts = 1000...9000
        let pump = FakeDevice(DeviceCapabilities(hvac: hvac), clock: lab.clock)
        try await lab.add(pump, "limited", .hvac)
        try await lab.controller.setMode(.now, for: "wallbox")
        try await lab.controller.setExternalLimit(watts: 8000, seconds: nil, at: lab.venue.id)
        var reading = HeatPumpLab.reading(start, reduce: nil)
        reading[.powerWatts] = 2000
        lab.board.post(reading, for: "limited")
        lab.plugIn()
        var charger = lab.wallbox.arrivals.makeAsyncIterator()
        lab.start()
        // 6000 W on three phases are 8.7 A.
        #expect(await charger.next() == .limitCurrent(amps: 8))
        #expect(await eventually { await pump.commands.contains(.limitPower(watts: 8000)) })
        try await lab.controller.setExternalLimit(watts: 500, seconds: nil, at: lab.venue.id)
        #expect(await charger.next() == .limitCurrent(amps: 0))
        #expect(await eventually { await pump.commands.contains(.lock) })
        #expect(lab.board["limited"]?.reason == "locked by the grid operator's limit")
        try await lab.controller.setExternalLimit(watts: nil, seconds: nil, at: lab.venue.id)
        #expect(await eventually { await pump.commands.contains(.limitPower(watts: nil)) })
        #expect(await eventually { await pump.commands.contains(.release) })
        await lab.stop()
    }
}

/// At the end of the hub nothing is left that only the hub would end.
@Suite(.timeLimit(.minutes(2))) struct HeatingEndTests {
    @Test(
        "surplus and shifts end with the hub",
        arguments: [
            (
                [ReduceState.boosted], true, true,
                [DeviceCommand.release, .shiftSetpoint(kelvin: 0), .offerSurplus(watts: 0)]
            ),
            ([], false, true, [.offerSurplus(watts: 0)]), ([], true, false, [.shiftSetpoint(kelvin: 0)]),
        ])
    func ends(states: [ReduceState], shifts: Bool, surplus: Bool, last: [DeviceCommand]) async throws {
        let lab = try await ControllerLab(at: utc("2026-11-30T18:00:00Z"))
        var hvac = HVACCapabilities(reduce: states)
        if shifts { hvac.offsetKelvin = -5...5 }
        if surplus { hvac.surplusWatts = 0...3000 }
        let pump = FakeDevice(DeviceCapabilities(hvac: hvac), clock: lab.clock)
        try await lab.add(pump, "pump", .hvac)
        lab.board.post(DeviceReading(at: lab.clock.now), for: "pump")
        await lab.controller.release(within: .seconds(10))
        #expect(await pump.commands == last)
        await lab.store.close()
    }
}

/// Two rods on the same sun.
@Suite(.timeLimit(.minutes(2))) struct TwoRodsTests {
    @Test("what one rod was offered is not offered to the other as well") func shared() async throws {
        let lab = try await ControllerLab(at: utc("2026-06-21T10:00:00Z"))
        var hvac = HVACCapabilities()
        hvac.surplusWatts = 0...3000
        hvac.drawsOnlySurplus = true
        let rods = [
            FakeDevice(DeviceCapabilities(hvac: hvac), clock: lab.clock), .init(.init(hvac: hvac), clock: lab.clock),
        ]
        for (rod, id) in zip(rods, ["one", "two"] as [DeviceID]) {
            try await lab.add(rod, id, .hvac)
            lab.board.post(DeviceReading(at: lab.clock.now), for: id)
        }
        lab.board.post(grid(lab.clock.now, watts: -4000), for: "meter")
        lab.start()
        #expect(await eventually { await rods[0].commands.last == .offerSurplus(watts: 3000) })
        #expect(await eventually { await rods[1].commands.last == .offerSurplus(watts: 1000) })
        await lab.stop()
    }
}

/// What home batteries do to the own surplus.
@Suite(.timeLimit(.minutes(2))) struct BatterySurplusTests {
    @Test(
        "what it gives never counts as sun, what it takes counts once it has its own part",
        arguments: [
            (1500.0, 50.0, 100.0, 0.0, 1500.0), (-1500, 50, 100, 0, 0), (-1500, 50, 40, 0, -1500),
            (-1500, 40, 40, 0, -1500), (-1500, nil, 40, 0, 0), (nil, 50, 40, 0, nil), (-1500, 50, 40, 120, nil),
        ] as [(Double?, Double?, Double, Double, Double?)])
    func counted(watts: Double?, charge: Double?, priority: Double, age: Double, counted: Double?) async throws {
        let lab = try await ControllerLab(at: utc("2026-06-21T10:00:00Z"))
        var configuration = DeviceConfiguration(
            id: "battery", name: "Battery", venueID: lab.venue.id, driver: "meter", connection: .none)
        configuration.role = .battery
        var battery = BatteryConfiguration(capacityWattHours: 10_000, chargeWatts: 3000, dischargeWatts: 3000)
        battery.priorityStateOfCharge = priority
        configuration.battery = battery
        lab.board.add(
            configuration, kind: .meter, capabilities: DeviceCapabilities(),
            health: DeviceHealth(.ok, since: lab.clock.now))
        var reading = DeviceReading(at: lab.clock.now.addingTimeInterval(-age))
        reading[.powerWatts] = watts
        reading[.stateOfChargePercent] = charge
        lab.board.post(reading, for: "battery")
        await lab.controller.noteHomes(lab.clock.now)
        #expect(await lab.controller.homes[lab.venue.id]?.batteryWatts(within: 60, at: lab.clock.now) == counted)
        await lab.store.close()
    }
}

/// What pumps that can't be held leave, and what more than one may draw.
@Suite struct HeatingReserveTests {
    private func pump(
        _ id: DeviceID, states: [ReduceState] = [], full: Double? = nil, watts: Double?
    ) throws -> DeviceState {
        var hvac = HVACCapabilities(reduce: states)
        hvac.fullPowerWatts = full
        let board = DeviceBoard()
        let now = Date(timeIntervalSince1970: 0)
        board.add(
            DeviceConfiguration(id: id, name: id.rawValue, venueID: UUID(), driver: "hvac", connection: .none),
            kind: .hvac, capabilities: DeviceCapabilities(hvac: hvac), health: DeviceHealth(.ok, since: now))
        var reading = DeviceReading(at: now)
        reading[.powerWatts] = watts
        board.post(reading, for: id)
        return try #require(board[id])
    }

    @Test("what can't be held is counted with what it draws, before others get their share")
    func unheld() throws {
        let pumps = try [
            pump("a", states: [.reduced], full: 3000, watts: 900), pump("b", watts: 1800), pump("c", watts: nil),
        ]
        let shares = HeatingShares(pumps, HomeLimits(externalWatts: 5000))
        #expect(shares.shares["a"]?.isLocked == false && shares.drawnWatts == 2700)
        #expect(HeatingShares(pumps, HomeLimits(externalWatts: 4700)).shares["a"]?.isLocked == true)
    }

    @Test(
        "two that may only be locked run where both can draw their whole power",
        arguments: [(5000.0, false), (4999, true)])
    func both(limit: Double, isSecondLocked: Bool) throws {
        let pumps = try [
            pump("a", states: [.reduced], full: 2500, watts: 800),
            pump("b", states: [.reduced], full: 2500, watts: 700),
        ]
        let shares = HeatingShares(pumps, HomeLimits(externalWatts: limit))
        #expect(shares.shares["a"]?.isLocked == false && shares.shares["b"]?.isLocked == isSecondLocked)
        #expect(shares.drawnWatts == (isSecondLocked ? 800 : 1500))
        // A rod may not have what these begin to draw in a moment.
        #expect(shares.reservedWatts == (isSecondLocked ? 2500 : 5000))
    }
}

/// A rod knows no room.
@Suite(.timeLimit(.minutes(2))) struct RodGoalTests {
    @Test(
        "a comfort goal is for a rod only where it knows a room",
        arguments: [([], true), ([.room], false)] as [([HVACCapabilities.Temperature], Bool)])
    func goals(temperatures: [HVACCapabilities.Temperature], isRefused: Bool) async throws {
        let lab = try await ControllerLab(at: utc("2026-06-21T10:00:00Z"))
        var hvac = HVACCapabilities(temperatures: temperatures)
        hvac.surplusWatts = 0...3000
        hvac.drawsOnlySurplus = true
        try await lab.add(FakeDevice(DeviceCapabilities(hvac: hvac), clock: lab.clock), "rod", .hvac)
        let goal = DeviceGoal.comfort(ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1))
        if isRefused {
            await #expect(throws: HubError.self) { try await lab.controller.setGoal(goal, for: "rod") }
        } else {
            try await lab.controller.setGoal(goal, for: "rod")
        }
        // What is there can be cleared all the same.
        try await lab.controller.setGoal(nil, for: "rod")
        await lab.store.close()
    }
}
