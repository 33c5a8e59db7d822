import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

/// A reading that came long after the last idle one: when the flow began is worked out, and nothing counted is lost.
@Suite struct StaleIdleTests {
    static let start = Date(timeIntervalSince1970: 1_712_313_000)

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
        var machine = EVSessionMachine(maximumWatts: 12_696)
        func step(_ seconds: Double, watts: Double, counter: Double) -> [AnyLoadEvent] {
            var reading = DeviceReading(at: Self.start + seconds)
            reading[.powerWatts] = watts
            reading[.importWattHours] = counter
            reading.plug = .plugged
            let input = SessionInput(
                reading: reading, userActed: false,
                guidance: FollowedGuidance(token: UUID(), isFollowing: true), now: Self.start + seconds)
            let device = ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle)
            return machine.step(input, device: device, vehicle: nil)
        }
        #expect(step(0, watts: 0, counter: 1_000).isEmpty)
        // It has charged at 11.04 kW for the last 34 seconds.
        let energy = 11_040 * 34.0 / 3600
        let events = step(gap, watts: 11_040, counter: 1_000 + energy)
        try #require(events.count == 2)
        #expect(events[0].stateName == "begin" && events[0].energyWattHours == 0)
        #expect(abs((events[1].energyWattHours ?? 0) - energy) < 0.001)
        let begin = gap <= 300 ? 0 : gap - 34
        #expect(abs(events[0].timestamp.timeIntervalSince(Self.start) - begin) < 0.01)
    }
}
