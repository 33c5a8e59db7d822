import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

/// A home with a heat pump.
struct HeatPumpLab {
    static let id: DeviceID = "heatpump"
    static let setpoint = 21.0
    static let band = 1.0
    let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt)
    let board = DeviceBoard()
    let start: Date

    init(
        at start: Date, reduce: [ReduceState] = [.reduced], setpoint: ClosedRange<Double>? = nil, setback: Double? = nil
    ) {
        self.start = start
        var configuration = DeviceConfiguration(
            id: HeatPumpLab.id, name: "Heat pump", venueID: venue.id, driver: "hvac", connection: .none)
        configuration.awaySetbackKelvin = setback
        board.add(
            configuration, kind: .hvac,
            capabilities: DeviceCapabilities(
                hvac: HVACCapabilities(
                    mode: true, temperatures: [.room, .outdoor], setpointCelsius: setpoint, reduce: reduce)),
            health: DeviceHealth(.ok, since: start))
    }

    static var use: DeviceUse {
        var use = DeviceUse.mode(.guided)
        use.comfort = ComfortGoal(setpointCelsius: setpoint, comfortBandKelvin: band)
        return use
    }

    static func reading(
        _ now: Date, room: Double? = 21, outdoor: Double? = 5, reduce: ReduceState? = .normal,
        mode: HVACMode = .heating
    ) -> DeviceReading {
        var reading = DeviceReading(at: now)
        reading[.roomCelsius] = room
        reading[.outdoorCelsius] = outdoor
        reading.reduce = reduce
        reading.hvacMode = mode
        return reading
    }

    func inputs(_ now: Date, _ reading: DeviceReading?, _ guidance: ElectricityGuidance?) throws -> TickInputs {
        if let reading { board.post(reading, for: HeatPumpLab.id) }
        guard let device = board[HeatPumpLab.id] else { throw HubError(.notFound, "no heat pump") }
        return TickInputs(now: now, device: device, venue: venue, guidance: guidance, carbonPricePerKg: 0)
    }

    /// A day of hours, the given ones bad.
    func day(_ bad: [Int: Double], token: UUID = UUID()) -> ElectricityGuidance {
        guidance(
            from: start, prices: [Double?](repeating: nil, count: 24), ratings: (0..<24).map { bad[$0] ?? 0.3 },
            action: .reduce, token: token)
    }
}

@Suite struct HeatPumpControlTests {
    let start: Date
    let lab: HeatPumpLab

    init() throws {
        start = try utc("2026-11-30T00:00:00Z")
        lab = HeatPumpLab(at: start)
    }

    private func hour(_ hour: Double) -> Date { start.addingTimeInterval(hour * 3600) }

    private func decide(
        _ control: inout HeatPumpControl, _ moment: Double, room: Double? = 21, outdoor: Double? = 5,
        reduce: ReduceState? = .normal, mode: HVACMode = .heating, _ guidance: ElectricityGuidance?
    ) throws -> HeatPumpDecision {
        let now = hour(moment)
        let reading = HeatPumpLab.reading(now, room: room, outdoor: outdoor, reduce: reduce, mode: mode)
        return try control.decide(lab.inputs(now, reading, guidance))
    }

    @Test func theWorstHourIsReducedAndTheOthersAreNot() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let day = lab.day([18: 0.95, 12: 0.5])
        #expect(try decide(&control, 12.5, day).state == .normal)
        let worst = try decide(&control, 18.2, day)
        #expect(worst.state == .reduced)
        #expect(worst.guidance == FollowedGuidance(token: day.guidanceToken, isFollowing: true))
        #expect(try decide(&control, 19.1, reduce: .reduced, day).state == .normal)
    }

    @Test(arguments: [DeviceMode.off, .now]) func otherModesLeaveItAlone(mode: DeviceMode) throws {
        var use = HeatPumpLab.use
        use.mode = mode
        var control = HeatPumpControl(use: use)
        #expect(try decide(&control, 18.2, lab.day([18: 0.95])).state == .normal)
    }

    @Test func nothingIsCommandedBeforeTheFirstReading() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let decision = try control.decide(lab.inputs(start, nil, lab.day([0: 0.95])))
        #expect(decision.state == nil && decision.setpointCelsius == nil)
    }

    @Test func withoutARoomTemperatureReductionsAreShortAndFewer() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let day = lab.day([17: 0.9, 18: 0.95, 19: 0.93, 20: 0.9])
        #expect(try decide(&control, 17.1, room: nil, day).state == .normal)
        #expect(try decide(&control, 18.1, room: nil, day).state == .reduced)
        #expect(try decide(&control, 19.1, room: nil, reduce: .reduced, day).state == .normal)
        #expect(try decide(&control, 20.1, room: nil, day).state == .normal)
    }

    @Test func comfortIsBrokenOffForTheRestOfTheSpanAndDoesNotFlicker() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let day = lab.day([18: 0.95])
        #expect(try decide(&control, 18.1, room: 21, day).state == .reduced)
        #expect(try decide(&control, 18.2, room: 19.95, reduce: .reduced, day).state == .normal)
        #expect(try decide(&control, 18.3, room: 20.05, day).state == .normal)
        let newToken = lab.day([18: 0.95])
        #expect(try decide(&control, 18.4, room: 20.05, newToken).state == .normal)
    }

    @Test func aCoolingPlanIsBrokenOffWhenTheRoomGetsTooWarm() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let day = lab.day([14: 0.95])
        #expect(try decide(&control, 14.1, room: 21, outdoor: 31, mode: .cooling, day).state == .reduced)
        // At rest it is still a cooler.
        #expect(
            try decide(&control, 14.2, room: 21.5, outdoor: 31, reduce: .reduced, mode: .idle, day).state == .reduced)
        #expect(
            try decide(&control, 14.3, room: 22.1, outdoor: 31, reduce: .reduced, mode: .idle, day).state == .normal)
    }

    /// Field case C-7.
    @Test func aRunningReductionGoesOnAfterARestartBeforeGuidanceIsThere() throws {
        let day = lab.day([18: 0.95])
        var before = HeatPumpControl(use: HeatPumpLab.use)
        #expect(try decide(&before, 18.1, day).state == .reduced)
        var after = HeatPumpControl(use: before.use, resuming: before.plan)
        #expect(try decide(&after, 18.2, reduce: .reduced, nil).state == .reduced)
        #expect(try decide(&after, 18.21, reduce: .reduced, lab.day([18: 0.95])).state == .reduced)
    }

    @Test func withoutGuidanceItRunsAsUsualAfterAMoment() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        #expect(try decide(&control, 18, nil).state == nil)
        #expect(try decide(&control, 18.1, nil).state == .normal)
    }

    @Test func theBudgetHoldsOverARestart() throws {
        var use = HeatPumpLab.use
        use.reductions = [
            DateInterval(start: hour(8), end: hour(10)), DateInterval(start: hour(13), end: hour(15)),
        ]
        var control = HeatPumpControl(use: use)
        #expect(try decide(&control, 18.2, lab.day([18: 0.95])).state == .normal)
        #expect(control.plan?.reason.contains("used up") == true)
    }

    @Test func reductionsAreNotedForTheDaysBudget() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let day = lab.day([18: 0.95])
        _ = try decide(&control, 18.1, day)
        _ = try decide(&control, 18.2, reduce: .reduced, day)
        #expect(control.use.reducedSince == hour(18.2))
        _ = try decide(&control, 19.1, day)
        #expect(control.use.reductions == [DateInterval(start: hour(18.2), end: hour(19.1))])
        _ = try decide(&control, 47, day)
        #expect(control.use.reductions?.isEmpty == true)
    }

    @Test func aDeviceThatTellsNoLoadStateIsTakenAtItsWord() throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let day = lab.day([18: 0.95])
        _ = try decide(&control, 18.1, reduce: nil, day)
        _ = try decide(&control, 18.2, reduce: nil, day)
        #expect(control.use.reducedSince == hour(18.2))
    }

    @Test func heatIsStoredBeforeABadTimeWhereThePumpCan() throws {
        let lab = HeatPumpLab(at: start, reduce: [.reduced, .boosted])
        var control = HeatPumpControl(use: HeatPumpLab.use)
        // Two hours in a row at 0 °C are more than the band bears without storing ahead.
        let day = lab.day([17: 0.9, 18: 0.95])
        let reading = HeatPumpLab.reading(hour(12), outdoor: 0)
        _ = try control.decide(lab.inputs(hour(12), reading, day))
        let plan = try #require(control.plan)
        let boost = try #require(plan.intervals.first { $0.reduce == .boosted })
        let reduction = try #require(plan.intervals.first { $0.reduce == .reduced })
        #expect(boost.end == reduction.start)
        // A car whose deadline leaves little time has the connection to itself.
        var inputs = try lab.inputs(boost.start, HeatPumpLab.reading(boost.start, outdoor: 0), day)
        inputs.carsHurry = true
        let held = control.decide(inputs)
        #expect(held.state == .normal && held.reason == "a car needs the connection first")
        inputs.carsHurry = false
        #expect(control.decide(inputs).state == .boosted)
        let hot = HeatPumpLab.reading(boost.start, room: 22.2, outdoor: 0)
        #expect(try control.decide(lab.inputs(boost.start, hot, day)).state == .normal)
    }

    @Test(arguments: [(nil, nil), (5.0...30.0, 21.0)])
    func theSetpointIsWrittenWhereItCanBe(range: ClosedRange<Double>?, expected: Double?) throws {
        let lab = HeatPumpLab(at: start, setpoint: range)
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let decision = try control.decide(lab.inputs(start, HeatPumpLab.reading(start), lab.day([:])))
        #expect(decision.setpointCelsius == expected)
    }

    /// Two winter days in a house of first order, with new guidance each hour and readings each 30 s.
    @Test(arguments: [5.0, -8.0, 14.0]) func aVirtualDayStaysWithinItsBand(outdoor: Double) throws {
        var control = HeatPumpControl(use: HeatPumpLab.use)
        var room = 21.0
        var state = ReduceState.normal
        var changes = 0
        var reduced = [Int: Double]()
        var lowest = room
        let bad = [7: 0.8, 8: 0.85, 17: 0.9, 18: 0.97, 19: 0.95, 20: 0.8]
        var day = lab.day(bad)
        for step in 0..<(24 * 120) {
            let now = start.addingTimeInterval(Double(step) * 30)
            if step.isMultiple(of: 120) { day = lab.day(bad) }
            let reading = HeatPumpLab.reading(now, room: (room * 100).rounded() / 100, outdoor: outdoor, reduce: state)
            let wanted = try control.decide(lab.inputs(now, reading, day)).state ?? state
            if wanted != state { changes += 1 }
            state = wanted
            if state == .reduced { reduced[step / 120, default: 0] += 30 }
            // 40 h, 12 K for each kW, 3 kW: a thermostat holds the setpoint while nothing is reduced.
            let power = state == .reduced ? 0 : room < 21 ? 3.0 : 0
            room += (outdoor + 12 * power - room) / 40 * 30 / 3600
            lowest = min(lowest, room)
        }
        #expect(lowest >= 20 - 0.02)
        #expect(reduced.values.reduce(0, +) <= 4 * 3600 + 60)
        #expect(reduced.keys.allSatisfy { bad[$0] != nil })
        #expect((reduced[18] ?? 0) >= 1800)
        #expect(changes <= 2 * 4)
    }
}
