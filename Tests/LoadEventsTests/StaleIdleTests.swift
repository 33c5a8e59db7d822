import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

/// A reading that came long after the last idle one: when the flow began is worked out, and nothing counted is lost.
@Suite struct StaleIdleTests {
    static let start = Date(timeIntervalSince1970: 1_712_313_000)

    /// Lets a charger with a counter be read, and gives the events that come of it.
    private struct Life {
        var machine = EVSessionMachine(maximumWatts: 12_696)

        mutating func read(_ seconds: Double, watts: Double, counter: Double) -> [AnyLoadEvent] {
            var reading = DeviceReading(at: start + seconds)
            reading[.powerWatts] = watts
            reading[.importWattHours] = counter
            reading.plug = .plugged
            let input = SessionInput(
                reading: reading, userActed: false,
                guidance: FollowedGuidance(token: UUID(), isFollowing: true), now: start + seconds)
            let device = ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle)
            return machine.step(input, device: device, vehicle: nil)
        }
    }

    @Test func theBeginQuotesTheGuidanceOfTheLastIdleReading() throws {
        var machine = EVSessionMachine(maximumWatts: 12_696)
        let old = FollowedGuidance(token: UUID(), isFollowing: true)
        let new = FollowedGuidance(token: UUID(), isFollowing: true)
        func step(_ seconds: Double, watts: Double, _ guidance: FollowedGuidance, now: Double) -> [AnyLoadEvent] {
            var reading = DeviceReading(at: Self.start + seconds)
            reading[.powerWatts] = watts
            reading[.importWattHours] = 1_000 + watts * 5 / 3600
            reading.plug = .plugged
            let input = SessionInput(reading: reading, guidance: guidance, now: Self.start + now)
            let device = ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle)
            return machine.step(input, device: device, vehicle: nil)
        }
        #expect(step(0, watts: 0, old, now: 0).isEmpty)
        // New guidance makes the recorder look again, at the same reading.
        #expect(step(0, watts: 0, new, now: 3).isEmpty)
        let events = step(5, watts: 11_040, new, now: 5)
        try #require(events.count == 2)
        #expect(events[0].guidanceToken == old.token && events[1].guidanceToken == new.token)
    }

    @Test(arguments: [60.0, 301, 900, 7200]) func allThatWasCountedIsInTheSession(gap: Double) throws {
        var life = Life()
        #expect(life.read(0, watts: 0, counter: 1_000).isEmpty)
        // It has charged at 11.04 kW for the last 34 seconds.
        let energy = 11_040 * 34.0 / 3600
        let events = life.read(gap, watts: 11_040, counter: 1_000 + energy)
        try #require(events.count == 2)
        #expect(events[0].stateName == "begin" && events[0].energyWattHours == 0)
        #expect(abs((events[1].energyWattHours ?? 0) - energy) < 0.001)
        let begin = gap <= 300 ? 0 : gap - 34
        #expect(abs(events[0].timestamp.timeIntervalSince(Self.start) - begin) < 0.01)
    }

    @Test(
        "a counter that was read after the flow began, and the power before",
        arguments: [[11.2], [2.5, 20], [0.1, 0.2]])
    func whatTheCounterSawBeforeThePowerIsInTheSession(seen: [Double]) throws {
        var life = Life()
        #expect(life.read(0, watts: 0, counter: 1_000).isEmpty)
        #expect(life.read(10, watts: 0, counter: 1_000).isEmpty)
        for (index, energy) in seen.enumerated() {
            #expect(life.read(20 + 10 * Double(index), watts: 0, counter: 1_000 + energy).isEmpty)
        }
        let events = life.read(50, watts: 11_040, counter: 1_060)
        try #require(events.count == 2)
        #expect(events[0].timestamp == Self.start + 10 && events[0].energyWattHours == 0)
        #expect(events[1].energyWattHours == 60)
    }

    @Test("a meter that counts the charger's own standby") func whatCreepsInIdlenessIsNoSessionsEnergy() throws {
        var life = Life()
        var counter = 1_000.0
        for second in stride(from: 0.0, through: 36_000, by: 10) {
            #expect(life.read(second, watts: 5, counter: counter).isEmpty)
            counter += 5 * 10.0 / 3600
        }
        let events = life.read(36_010, watts: 11_040, counter: counter + 20)
        try #require(events.count == 2)
        let energy = try #require(events[1].energyWattHours)
        #expect(energy >= 20 && energy < 20.5, "\(energy) Wh")
    }

    @Test("a flow that came and went while the device was away")
    func whatFlowedUnseenBeforeAnIdleReadingStaysOutside() throws {
        var life = Life()
        #expect(life.read(0, watts: 0, counter: 1_000).isEmpty)
        #expect(life.read(36_000, watts: 0, counter: 21_000).isEmpty)
        let events = life.read(36_010, watts: 11_040, counter: 21_015)
        try #require(events.count == 2)
        #expect(events[1].energyWattHours == 15)
    }
}
