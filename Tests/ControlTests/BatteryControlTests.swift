import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

/// What a home battery is told, tick by tick.
@Suite struct BatteryControlTests {
    let start: Date
    let board = DeviceBoard()
    private let id: DeviceID = "battery"

    init() throws { start = try utc("2026-11-30T18:00:00Z") }

    private func inputs(
        _ now: Date, percent: Double? = 20, watts: Double = 0, grid: DeviceReading?, prices: [Double?]? = nil,
        fuse: GridConnection? = GridConnection(phases: 3, amps: 25), token: UUID = UUID()
    ) throws -> TickInputs {
        var configuration = DeviceConfiguration(
            id: id, name: "Battery", venueID: UUID(), driver: "meter", connection: .none)
        configuration.role = .battery
        configuration.battery = BatteryConfiguration(capacityWattHours: 10_000, chargeWatts: 5000, dischargeWatts: 5000)
        var capabilities = DeviceCapabilities()
        capabilities.battery = BatteryCapabilities(hold: true, charge: true)
        board.add(configuration, kind: .meter, capabilities: capabilities, health: DeviceHealth(.ok, since: start))
        var reading = DeviceReading(at: now)
        reading[.stateOfChargePercent] = percent
        reading[.powerWatts] = watts
        board.post(reading, for: id)
        var inputs = TickInputs(
            now: now, device: try #require(board[id]),
            venue: Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR", connection: fuse), grid: grid,
            guidance: prices.map { guidance(from: start, prices: $0, token: token) }, carbonPricePerKg: 0)
        inputs.house = HouseLoad(watts: 1400)
        if grid == nil { inputs.gridFault = "the grid meter does not answer" }
        return inputs
    }

    private func control(_ mode: DeviceMode = .guided) -> BatteryControl { BatteryControl(use: .mode(mode)) }

    /// The first hour is cheap, those after the second dear.
    private let valley: [Double?] = [0.1, 0.3, 0.5, 0.5, 0.5, 0.5]

    private func quiet(_ now: Date, amps: Double = 2) -> DeviceReading {
        grid(now, amps: [amps, amps, amps], watts: amps * 690)
    }

    @Test func itChargesInTheValleyAndSaysWhy() throws {
        var control = control()
        let decision = control.decide(try inputs(start, grid: quiet(start), prices: valley), beside: ChargersBeside())
        guard case .charge(let watts) = try #require(decision.order) else {
            Issue.record("\(decision)")
            return
        }
        #expect(watts > 1000 && watts <= 5000)
        #expect(decision.reason.contains("charging 18:00–20:00 at 0.11 €"), "\(decision.reason)")
        #expect(decision.guidance?.isFollowing == true)
        let evening = start.addingTimeInterval(3 * 3600)
        let later = control.decide(
            try inputs(evening, percent: 90, grid: quiet(evening), prices: valley), beside: ChargersBeside())
        #expect(later.order == .automatic)
    }

    @Test("whatever is not known, it follows the house", arguments: ["grid", "charge", "guidance", "off"])
    func fallback(missing: String) throws {
        var control = control(missing == "off" ? .off : .guided)
        let inputs = try inputs(
            start, percent: missing == "charge" ? nil : 20, grid: missing == "grid" ? nil : quiet(start),
            prices: missing == "guidance" ? nil : valley)
        var decision = control.decide(inputs, beside: ChargersBeside())
        if missing == "guidance" {
            #expect(decision.order == nil, "the first guidance is worth a moment")
            let later = start.addingTimeInterval(120)
            decision = control.decide(try self.inputs(later, grid: quiet(later)), beside: ChargersBeside())
        }
        #expect(decision.order == .automatic)
        #expect(decision.reason.hasPrefix("follows the house"))
        #expect(decision.guidance?.isFollowing != true)
    }

    @Test func theMeterThatFallsSilentEndsACharge() throws {
        var control = control()
        let token = UUID()
        _ = control.decide(
            try inputs(start, grid: quiet(start), prices: valley, token: token), beside: ChargersBeside())
        #expect(control.lastOrder != .automatic)
        let later = start.addingTimeInterval(60)
        let decision = control.decide(
            try inputs(later, watts: -4000, grid: nil, prices: valley, token: token), beside: ChargersBeside())
        #expect(decision.order == .automatic)
        #expect(decision.reason.contains("does not answer"))
    }

    @Test("never more than the fuse leaves", arguments: [2.0, 10, 15, 20, 23, 25, 30], [0.0, 6, 16])
    func fuse(amps: Double, pending: Double) throws {
        var control = control(.now)
        let beside = ChargersBeside(pendingAmps: pending)
        let decision = control.decide(
            try inputs(start, grid: grid(start, amps: [1, amps, 0], watts: (amps + 1) * 230)), beside: beside)
        let free = max(0, 25 - amps - pending) * 690
        guard case .charge(let watts) = try #require(decision.order) else {
            #expect(decision.order == .hold)
            #expect(free * 0.9 < 400)
            return
        }
        #expect(watts <= free && watts <= 5000)
    }

    @Test func aLimitFromOutsideEndsBuying() throws {
        var control = control(.now)
        var inputs = try inputs(start, grid: quiet(start))
        inputs.limits.externalWatts = 4200
        let decision = control.decide(inputs, beside: ChargersBeside())
        #expect(decision.order == .automatic)
        #expect(decision.reason.contains("grid operator"))
    }

    @Test func itKeepsItsChargeFromACarInCheapHours() throws {
        var control = control()
        let car = DevicePlan.Interval(start: start, end: start.addingTimeInterval(7200), powerWatts: 11_000)
        let decision = control.decide(
            try inputs(start, percent: 60, grid: quiet(start), prices: [0.3, 0.3, 0.5, 0.5, 0.5, 0.5]),
            beside: ChargersBeside(intervals: [car], drawnWatts: 0))
        #expect(decision.order == .hold)
        #expect(decision.reason.contains("keeping the charge"), "\(decision.reason)")
    }

    @Test func whatABatteryTakesByItselfIsNoSurplus() {
        let hour = 3600.0
        let expected = ExpectedSurplus(
            forecast: (0..<4).map { index in
                (
                    start: start.addingTimeInterval(Double(index) * hour),
                    end: start.addingTimeInterval(Double(index + 1) * hour), watts: index < 3 ? 4500.0 : 0
                )
            }, baseLoadWatts: 500, feedInPerKWh: 0.08)
        var battery = BatteryConfiguration(capacityWattHours: 6000, chargeWatts: 3000, dischargeWatts: 3000)
        battery.efficiency = 1
        battery.minimumStateOfCharge = 0
        let left = expected.beside(battery, stateOfCharge: 0, at: start)
        #expect(left.slots.map(\.watts) == [1000, 1000, 4000, 0])
        #expect(left.slots.map(\.netWatts) == [-1000, -1000, -4000, 0])
    }

    /// At its end the hub leaves no battery behind that fills or rests.
    @Test func theEndOfTheHubReleasesIt() async throws {
        let lab = try await ControllerLab(at: start, guidance: guidance(from: start, prices: valley))
        var capabilities = DeviceCapabilities()
        capabilities.battery = BatteryCapabilities(hold: true, charge: true)
        let device = FakeDevice(capabilities, clock: lab.clock)
        var configuration = DeviceConfiguration(
            id: id, name: "Battery", venueID: lab.venue.id, driver: "fake", connection: .none)
        configuration.role = .battery
        configuration.battery = BatteryConfiguration(capacityWattHours: 10_000, chargeWatts: 5000, dischargeWatts: 5000)
        lab.board.add(
            configuration, kind: .meter, capabilities: capabilities, health: DeviceHealth(.ok, since: start))
        try await lab.controller.adopt(device, id: id, firstGoal: nil)
        lab.board.post(grid(start, amps: [1, 1, 1], watts: 690), for: "meter")
        var reading = DeviceReading(at: start)
        reading[.stateOfChargePercent] = 20
        lab.board.post(reading, for: id)
        var arrivals = device.arrivals.makeAsyncIterator()
        lab.start()
        guard case .battery(.charge)? = await arrivals.next() else {
            Issue.record("it was not charged")
            return
        }
        #expect(lab.plans[id]?.intervals.isEmpty == false)
        #expect(lab.board[id]?.mode == .guided)
        await #expect(throws: HubError.self) { try await lab.controller.setMode(.solar, for: id) }
        await #expect(throws: HubError.self) {
            try await lab.controller.setGoal(.comfort(ComfortGoal(setpointCelsius: 20, comfortBandKelvin: 1)), for: id)
        }
        await lab.stop()
        #expect(await device.commands.last == .battery(.automatic))
    }
}
