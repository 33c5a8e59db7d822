import EnergyKit
import Foundation
import HubKit
import Insights
import Storage
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct InsightServiceTests {
    @Test func classesComeFromTheGuidanceThatWasQuoted() async throws {
        let hub = try await ServiceUnderTest()
        let early = try await hub.keepGuidance(from: noon, [(0.39, "offPeak"), (0.4, "onPeak"), (0.81, nil)])
        let late = try await hub.keepGuidance(
            from: noon, [(nil, "criticalPeak"), (0.8, "partialPeak"), (0.1, "noClass")])
        try await hub.add(chargingSession(from: 0, quarters: 11, watts: 4000, token: early))
        try await hub.add(chargingSession(from: 170, quarters: 1, watts: 4000, token: late))
        try await hub.add(chargingSession(from: 190, quarters: 1, watts: 400, token: UUID()))
        let request = hub.request(noon, hours: 4, .daily, options: [.cleanliness, .tariff])
        let record = try #require(try await hub.service().energyInsights(request, client: "a").first)
        #expect(record.totalEnergy?.whole == 12_100_000)
        #expect(record.totalRuntime == nil)
        let clean = try #require(record.dataByGridCleanliness)
        #expect(clean.cleaner?.whole == 4_666_667)
        #expect(clean.lessClean?.whole == 4_000_000)
        #expect(clean.avoid?.whole == 3_000_000)
        #expect(clean.unknown?.whole == 433_333)
        let tariff = try #require(record.dataByTariffPeak)
        #expect(tariff.offPeak?.whole == 4_000_000 && tariff.onPeak?.whole == 4_000_000)
        #expect(tariff.superOffPeak == nil && tariff.partialPeak == nil && tariff.criticalPeak == nil)
        #expect(tariff.unknown?.whole == 4_100_000)
    }

    @Test func onlyWhatWasAskedForIsBrokenDown() async throws {
        let hub = try await ServiceUnderTest()
        try await hub.add(chargingSession(from: 0, quarters: 4, watts: 4000))
        for options in [ElectricityInsightQuery.Options.cleanliness, .tariff, []] {
            let request = hub.request(noon, hours: 1, options: options)
            let record = try #require(try await hub.service().energyInsights(request, client: "a").first)
            #expect((record.dataByGridCleanliness != nil) == options.contains(.cleanliness))
            #expect((record.dataByTariffPeak != nil) == options.contains(.tariff))
        }
    }

    @Test func exportedEnergyIsATotalOfItsOwn() async throws {
        let hub = try await ServiceUnderTest()
        let session = UUID()
        try await hub.add([
            car(session, .begin, at: 0, wattHours: 0, flow: .exported),
            car(session, .end, at: 30, wattHours: 2500, flow: .exported),
        ])
        try await hub.add(chargingSession(from: 30, quarters: 2, watts: 4000))
        let all: ElectricityInsightQuery.Options = [.cleanliness, .tariff]
        for (flow, total) in [(ElectricityFlowDirection.exported, Int64(2_500_000)), (.imported, 2_000_000)] {
            let request = hub.request(noon, hours: 1, options: all, flow: flow)
            let record = try #require(try await hub.service().energyInsights(request, client: "a").first)
            #expect(record.totalEnergy?.whole == total)
            #expect((record.dataByGridCleanliness == nil) == (flow == .exported))
            #expect((record.dataByTariffPeak == nil) == (flow == .exported))
            let runtime = try #require(try await hub.service().runtimeInsights(request, client: "a").first)
            #expect(runtime.totalRuntime == .seconds(1800))
        }
    }

    @Test func aHeatPumpHasRunningTimeButNoEnergy() async throws {
        let hub = try await ServiceUnderTest()
        let token = try await hub.keepGuidance(from: noon, [(0.1, "offPeak"), (0.5, "onPeak")])
        let session = UUID()
        try await hub.add([
            pump(session, .begin, at: 30, stage: 0, token: token),
            pump(session, .active, at: 31, stage: 40, token: token),
            pump(session, .active, at: 70, stage: 0, token: token),
            pump(session, .active, at: 80, stage: 10, token: token),
            pump(session, .end, at: 90, stage: 0, token: token),
        ])
        let request = hub.request(noon, hours: 3, options: [.cleanliness, .tariff], device: "pump")
        let runtime = try await hub.service().runtimeInsights(request, client: "a")
        #expect(runtime.map(\.totalRuntime) == [.seconds(1800), .seconds(1200), nil])
        #expect(runtime.allSatisfy { $0.totalEnergy == nil })
        #expect(runtime[0].dataByGridCleanliness?.cleaner == .seconds(1800))
        #expect(runtime[1].dataByGridCleanliness?.lessClean == .seconds(1200))
        #expect(runtime[1].dataByTariffPeak?.onPeak == .seconds(1200))
        let energy = try await hub.service().energyInsights(request, client: "a")
        #expect(energy.count == 3 && energy.allSatisfy { $0.totalEnergy == nil && $0.dataByTariffPeak == nil })
    }

    @Test func aPausedCarDoesNotRun() async throws {
        let hub = try await ServiceUnderTest()
        let session = UUID()
        try await hub.add([
            car(session, .begin, at: 0, wattHours: 0), car(session, .active, at: 1, wattHours: 0, watts: 7000),
            car(session, .active, at: 11, wattHours: 1000, watts: 0),
            car(session, .active, at: 31, wattHours: 1000, watts: 7000),
            car(session, .end, at: 41, wattHours: 2000),
        ])
        let records = try await hub.service().runtimeInsights(hub.request(noon, hours: 1), client: "a")
        #expect(records.map(\.totalRuntime) == [.seconds(1200)])
        #expect(records.map { $0.totalEnergy?.whole } == [2_000_000])
    }

    @Test func statusEventsProlongTheRecordButAddNothing() async throws {
        let hub = try await ServiceUnderTest()
        let session = UUID()
        try await hub.add(chargingSession(session, from: 0, quarters: 4, watts: 4000))
        try await hub.add(
            [-60.0, 130].map { minute in
                .electricVehicleStatus(
                    ElectricVehicleStatusEvent(
                        timestamp: minutes(minute),
                        device: ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle),
                        venueID: hub.venue.id,
                        status: .chargerUnplugged, stateOfCharge: 50, energy: .init(value: 9, unit: .kilowattHours),
                        sessionIdentifier: session))
            })
        #expect(
            try await hub.energy(hub.request(minutes(-120), hours: 6)) == [nil, 0, 4_000_000, 0, 0, nil])
    }

    @Test func anUnknownVenueIsRefused() async throws {
        let hub = try await ServiceUnderTest()
        let query = hub.request(noon, hours: 1).query
        await #expect {
            _ = try await hub.service().energyInsights(
                InsightRequest(query: query, deviceID: "car", venueID: UUID()), client: "a")
        } throws: { ($0 as? EnergyKitFailure)?.error == .venueUnavailable }
    }

    @Test func moreRecordedUnitsThanAnAnswerMayHaveAreRefused() async throws {
        let hub = try await ServiceUnderTest()
        // Six years between the first and the last event are more hours than an answer may have.
        try await hub.add(chargingSession(from: -6 * 366 * 1440, quarters: 2, watts: 4000))
        try await hub.add(chargingSession(from: 0, quarters: 2, watts: 4000))
        let request = hub.request(minutes(-7 * 366 * 1440), hours: 70_000)
        await #expect {
            _ = try await hub.service().runtimeInsights(request, client: "a")
        } throws: { ($0 as? HubError)?.code == .refused }
    }

    @Test func oneClientAsksForOneDeviceOnceAtATime() async throws {
        let hub = try await ServiceUnderTest()
        for session in 0..<40 {
            try await hub.add(chargingSession(from: Double(session) * 100, quarters: 6, watts: 4000))
        }
        // One event a page keeps a request busy for hundreds of trips to the store.
        let service = hub.service(pageSize: 1)
        let request = hub.request(noon, hours: 80, .daily)
        func isAnswered(_ client: String, _ request: InsightRequest) async throws -> Bool {
            do {
                return try await !service.energyInsights(request, client: client).isEmpty
            } catch let failure as EnergyKitFailure where failure.error == .inProgress {
                #expect(failure.retryAfter != nil)
                return false
            }
        }
        async let other = isAnswered("b", request)
        async let otherDevice = isAnswered("a", hub.request(noon, hours: 80, device: "pump"))
        let answers = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<6 { group.addTask { try await isAnswered("a", request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.contains(true) && answers.contains(false))
        #expect(try await other)
        #expect(try await otherDevice)
        #expect(try await isAnswered("a", request), "a request that is answered leaves the way free")
    }

    @Test func aShortRangeIsAnsweredAndNoted() async throws {
        let hub = try await ServiceUnderTest()
        let log = CollectingLog()
        _ = try await hub.service(log: log.log).energyInsights(hub.request(noon, hours: 24, .daily), client: "a")
        #expect(log.lines.count == 1)
        _ = try await hub.service(log: log.log).energyInsights(hub.request(noon, hours: 31 * 24, .daily), client: "a")
        #expect(log.lines.count == 1)
    }
}
