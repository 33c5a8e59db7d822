import EnergyKit
import Foundation
import Insights
import Storage
import Testing

/// What the service finds in a real store, range by range.
@Suite(.timeLimit(.minutes(3))) struct InsightReadingTests {
    @Test func aSessionThatBeganBeforeTheRangeCountsFromTheRangesStart() async throws {
        let hub = try await ServiceUnderTest()
        try await hub.add(chargingSession(from: -60, quarters: 12, watts: 4000))
        // Within a quarter hour, so that no event lies in the range.
        #expect(try await hub.energy(hub.request(minutes(2), hours: 0.1)) == [400_000])
        #expect(try await hub.energy(hub.request(minutes(-7.5), hours: 1)) == [500_000, 3_500_000])
        #expect(try await hub.energy(hub.request(minutes(110), hours: 0.5)) == [666_667, 0])
        #expect(try await hub.energy(hub.request(minutes(-120), hours: 6, .daily)) == [12_000_000])
    }

    @Test func nothingIsKnownBeforeTheFirstAndAfterTheLastEvent() async throws {
        let hub = try await ServiceUnderTest()
        try await hub.add(chargingSession(from: 0, quarters: 4, watts: 4000))
        try await hub.add(chargingSession(from: 180, quarters: 2, watts: 4000))
        #expect(
            try await hub.energy(hub.request(minutes(-60), hours: 6)) == [nil, 4_000_000, 0, 0, 2_000_000, nil])
        #expect(try await hub.energy(hub.request(minutes(-60), hours: 2, device: "other")) == [nil, nil])
        #expect(try await hub.energy(hub.request(minutes(0), hours: 1, flow: .exported)) == [0])
        #expect(try await hub.energy(hub.request(minutes(0), hours: 0)) == [])
    }

    @Test func aSessionThatWasCutBeforeTheRangeDoesNotComeBack() async throws {
        let hub = try await ServiceUnderTest()
        let (lost, next, last) = (UUID(), UUID(), UUID())
        try await hub.add([
            car(lost, .begin, at: -120, wattHours: 0), car(lost, .active, at: -60, wattHours: 1000),
            car(next, .begin, at: -30, wattHours: 0), car(next, .active, at: 30, wattHours: 600),
            car(lost, .active, at: 15, wattHours: 9000), car(lost, .end, at: 45, wattHours: 9900),
            car(next, .end, at: 40, wattHours: 700), car(last, .begin, at: 50, wattHours: 70),
            car(last, .active, at: 59, wattHours: 100), car(last, .end, at: 90, wattHours: 131),
        ])
        for pageSize in [1, 2, 500] {
            #expect(try await hub.energy(hub.request(noon, hours: 1), pageSize: pageSize) == [431_000])
            // From -120 the lost session counts 1000 Wh, and of the 8000 Wh over the next 75 minutes those of 30.
            let all = try await hub.energy(hub.request(minutes(-120), hours: 4, .daily), pageSize: pageSize)
            #expect(all == [1_000_000 + 3_200_000 + 700_000 + 61_000])
        }
    }

    @Test func pagesAndRangesAddUpToTheWhole() async throws {
        let hub = try await ServiceUnderTest()
        var house = RandomDevice(seed: 5)
        let samples = house.events(count: 400)
        try await hub.add(samples.map { $0.event })
        let range = house.wholeRange
        let expected = try house.tally(samples, range, .hourly, .energy)
        let span = RecordedSpan(
            first: try #require(samples.map(\.at).min()), last: try #require(samples.map(\.at).max()),
            measuresEnergy: true)
        let wanted = expected.energyRecords([], span: span).map { $0.totalEnergy?.whole }
        let request = hub.request(range.start, hours: range.duration / 3600)
        for pageSize in [1, 7, 500] { #expect(try await hub.energy(request, pageSize: pageSize) == wanted) }
        var parts: Int64 = 0
        for index in 0..<20 {
            let start = range.start.addingTimeInterval(range.duration * Double(index) / 20)
            let part = try await hub.energy(hub.request(start, hours: range.duration / 20 / 3600, .yearly))
            parts += part.reduce(0) { $0 + ($1 ?? 0) }
        }
        #expect(parts == wanted.reduce(0) { $0 + ($1 ?? 0) })
    }

    @Test func lateAndRepeatedEventsComeOutAsIfInOrder() async throws {
        let hub = try await ServiceUnderTest()
        let session = UUID()
        try await hub.add([
            car(session, .begin, at: 0, wattHours: 0), car(session, .end, at: 60, wattHours: 6000),
            car(session, .active, at: 30, wattHours: 9999),
        ])
        #expect(try await hub.energy(hub.request(noon, hours: 0.5)) == [9_999_000])
        try await hub.add([car(session, .active, at: 30, wattHours: 1000)])
        #expect(try await hub.energy(hub.request(noon, hours: 0.5)) == [1_000_000])
        #expect(try await hub.energy(hub.request(noon, hours: 1)) == [6_000_000])
    }
}

extension LoadSample {
    /// The car's event that this is a sample of.
    fileprivate var event: AnyLoadEvent {
        let states: [ElectricVehicleLoadEvent.Session.State] = [.begin, .active, .end]
        return .electricVehicle(
            ElectricVehicleLoadEvent(
                id: UUID(), timestamp: at.date,
                measurement: .init(
                    stateOfCharge: 50, direction: flow, power: .init(value: isRunning ? 1000 : 0, unit: .watts),
                    energy: .init(value: Double(milliwattHours ?? 0), unit: .EnergyKit.milliwattHours)),
                session: .init(
                    id: session, state: states[state.rawValue],
                    guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token ?? UUID())),
                deviceID: "car"))
    }
}
