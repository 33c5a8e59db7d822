import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

/// The machine's clock is set while a car charges or a pump runs: no session has times of two clocks, and no energy is
/// lost.
@Suite("Sessions when the clock is set")
struct ClockSetTests {
    private let device = ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle)

    @Test(
        "a charging session is cut in two that add up to the counter",
        arguments: [-3600, 3600, -60, -34_560_000, 1_766_016_000] as [Double], [1, 10, 60] as [Double])
    func charging(set: Double, pace: Double) {
        var charger = Charger()
        charger.read(0, watts: 0, counter: 1000)
        var counter = 1000.0
        var second = 0.0
        func run(_ seconds: Double, offset: Double) {
            let end = second + seconds
            while second < end {
                second += pace
                counter += 7200 * pace / 3600
                charger.read(second + offset, watts: 7200, counter: counter)
            }
        }
        run(1800, offset: 0)
        charger.events += charger.machine.clockWasSet(device: device, vehicle: nil)
        run(1800, offset: set)
        second += pace
        charger.read(second + set, watts: 0, counter: counter, plug: .unplugged)

        let sessions = Dictionary(grouping: charger.events) { $0.sessionID }
        #expect(sessions.count == 2)
        let ends = charger.events.filter { $0.stateName == "end" }
        #expect(ends.count == 2 && !charger.machine.isOpen)
        let total = ends.reduce(0) { $0 + energy($1) }
        #expect(abs(total - (counter - 1000)) < 0.01, "\(total) of \(counter - 1000) Wh")
        for events in sessions.values {
            #expect(events.map(\.timestamp) == events.map(\.timestamp).sorted())
            let span = events.map(\.timestamp)
            #expect((span.max() ?? noon).timeIntervalSince(span.min() ?? noon) <= 1800 + 2 * pace)
        }
    }

    @Test("nothing is said of a car that does not charge", arguments: [-3600, 3600] as [Double])
    func idle(set: Double) {
        var charger = Charger()
        for second in stride(from: 0.0, to: 600, by: 10) { charger.read(second, watts: 0, counter: 1000) }
        charger.events += charger.machine.clockWasSet(device: device, vehicle: nil)
        for second in stride(from: 600.0, to: 1200, by: 10) { charger.read(second + set, watts: 0, counter: 1000) }
        #expect(charger.events.isEmpty)
        // And the car that charges then is recorded at once.
        charger.read(1200 + set, watts: 7200, counter: 1020)
        #expect(charger.events.first?.stateName == "begin")
    }

    @Test("a run of a pump is cut in two", arguments: [-3600, 3600] as [Double])
    func heating(set: Double) {
        var pump = HVACSessionMachineTests.Pump()
        for second in stride(from: 0.0, to: 600, by: 10) { pump.read(second, stage: 60) }
        pump.events += pump.machine.clockWasSet(device: device)
        for second in stride(from: 600.0, to: 1200, by: 10) { pump.read(second + set, stage: 60) }
        pump.read(1200 + set, stage: 0)
        #expect(
            pump.events.map(line) == ["begin 0", "active 60", "end 0", "begin 0", "active 60", "end 0"].filled(pump))
        for events in Dictionary(grouping: pump.events, by: { $0.sessionID }).values {
            #expect(events.map(\.timestamp) == events.map(\.timestamp).sorted())
        }
    }

    @Test("a recorder that was kept before this release can be taken up")
    func kept() throws {
        let text = try #require(SessionMachine.ev(EVSessionMachine(maximumWatts: 11_000)).text)
        #expect(!text.contains("isClockNew") && !text.contains("carriedOver"))
        #expect(try SessionMachine(text: text).fits(.ev))
    }

    private func energy(_ event: AnyLoadEvent) -> Double {
        guard case .electricVehicle(let event) = event else { return 0 }
        return event.measurement.energy.wattHours
    }
}

extension [String] {
    /// With the quarter-hour marks that a run met, which depend on where the clock was set to.
    fileprivate func filled(_ pump: HVACSessionMachineTests.Pump) -> [String] {
        let marks = pump.events.count - count
        return marks > 0 ? Array(prefix(5)) + Array(repeating: "active 60", count: marks) + Array(suffix(1)) : self
    }
}
