import EnergyKit
import Foundation
import HubKit
import Insights
import Storage
import Testing

/// Every range, granularity and combination of options is answered, in order, without gaps and without a trap.
@Suite(.timeLimit(.minutes(5))) struct AnyRangeTests {
    static let granularities: [ElectricityInsightQuery.Granularity] = [.hourly, .daily, .weekly, .monthly, .yearly]

    @Test("records follow each other without a gap and add up to the range's total", arguments: granularities)
    func records(granularity: ElectricityInsightQuery.Granularity) async throws {
        let hub = try await ServiceUnderTest()
        // A session a day for 40 days over the night in which clocks go forward.
        for day in 0..<40 { try await hub.add(chargingSession(from: Double(day) * 1440, quarters: 8, watts: 4000)) }
        let request = hub.request(minutes(-3 * 1440), hours: 46 * 24, granularity, options: [.tariff, .cleanliness])
        let energy = try await hub.service().energyInsights(request, client: "a")
        #expect(energy.first?.range.start == request.query.range.start)
        #expect(energy.last?.range.end == request.query.range.end)
        #expect(zip(energy, energy.dropFirst()).allSatisfy { $0.range.end == $1.range.start })
        #expect(energy.compactMap { $0.totalEnergy?.whole }.reduce(0, +) == 40 * 8_000_000)
        #expect(energy.allSatisfy { $0.totalRuntime == nil })
        let runtime = try await hub.service().runtimeInsights(request, client: "a")
        #expect(runtime.map(\.range) == energy.map(\.range))
        #expect(runtime.compactMap(\.totalRuntime).reduce(.zero, +) == .seconds(40 * 2 * 3600))
        let units = [
            ElectricityInsightQuery.Granularity.hourly: 46 * 24, .daily: 47, .weekly: 8, .monthly: 3, .yearly: 1,
        ]
        #expect(energy.count == units[granularity])
    }

    @Test(
        "the breakdowns that were asked for are there, and no other",
        arguments: [[], .cleanliness, .tariff, [.cleanliness, .tariff]] as [ElectricityInsightQuery.Options],
        [ElectricityFlowDirection.imported, .exported])
    func breakdowns(options: ElectricityInsightQuery.Options, flow: ElectricityFlowDirection) async throws {
        let hub = try await ServiceUnderTest()
        let token = try await hub.keepGuidance(from: noon, [(0.1, "offPeak"), (0.9, "onPeak")])
        let session = UUID()
        for quarter in 0...8 {
            try await hub.add([
                car(
                    session, quarter == 0 ? .begin : quarter == 8 ? .end : .active, at: Double(quarter) * 15,
                    wattHours: Double(quarter) * 1000, watts: quarter == 8 ? 0 : 4000, token: token, flow: flow)
            ])
        }
        let request = hub.request(noon, hours: 2, options: options, flow: flow)
        let energy = try await hub.service().energyInsights(request, client: "a")
        #expect(energy.map { $0.totalEnergy?.whole } == [4_000_000, 4_000_000])
        let runtime = try await hub.service().runtimeInsights(request, client: "a")
        #expect(runtime.map(\.totalRuntime) == [.seconds(3600), .seconds(3600)])
        // What is given has no classes: prices and carbon are those of the grid's import.
        let isSplit = flow == .imported
        #expect(energy.allSatisfy { ($0.dataByTariffPeak != nil) == (isSplit && options.contains(.tariff)) })
        #expect(runtime.allSatisfy { ($0.dataByTariffPeak != nil) == (isSplit && options.contains(.tariff)) })
        #expect(energy.allSatisfy { ($0.dataByGridCleanliness != nil) == (isSplit && options.contains(.cleanliness)) })
        if isSplit, options == [.cleanliness, .tariff] {
            #expect(energy.map { $0.dataByTariffPeak?.offPeak?.whole } == [4_000_000, nil])
            #expect(energy.map { $0.dataByTariffPeak?.onPeak?.whole } == [nil, 4_000_000])
            #expect(runtime.map { $0.dataByGridCleanliness?.cleaner } == [.seconds(3600), nil])
            #expect(runtime.map { $0.dataByGridCleanliness?.avoid } == [nil, .seconds(3600)])
        }
        let other = hub.request(noon, hours: 2, options: options, flow: isSplit ? .exported : .imported)
        let none = try await hub.service().energyInsights(other, client: "a")
        #expect(none.map { $0.totalEnergy?.whole } == [0, 0])
    }

    @Test("all time is narrowed to the units in which the device was recorded", arguments: granularities)
    func allTime(granularity: ElectricityInsightQuery.Granularity) async throws {
        let hub = try await ServiceUnderTest()
        try await hub.add(chargingSession(from: 0, quarters: 6, watts: 4000))
        for range in [
            DateInterval(start: Date(timeIntervalSince1970: -4e12), end: Date(timeIntervalSince1970: 4e12)),
            DateInterval(start: Date(timeIntervalSince1970: -1e300), end: Date(timeIntervalSince1970: 1e300)),
            DateInterval(start: .distantPast, duration: .infinity),
        ] {
            let records = try await hub.service().energyInsights(Self.request(hub, range, granularity), client: "a")
            #expect(records.count == (granularity == .hourly ? 2 : 1))
            #expect(records.compactMap { $0.totalEnergy?.whole }.reduce(0, +) == 6_000_000)
            #expect(try #require(records.first).range.start <= noon && records.last?.range.end ?? noon >= minutes(90))
            let unknown = Self.request(hub, range, granularity, device: "nobody")
            #expect(try await hub.service().runtimeInsights(unknown, client: "a").isEmpty)
        }
    }

    @Test("distant dates, empty ranges and dates that are none are answered", arguments: granularities)
    func strangeRanges(granularity: ElectricityInsightQuery.Granularity) async throws {
        let hub = try await ServiceUnderTest()
        try await hub.add(chargingSession(from: 0, quarters: 4, watts: 4000))
        func energy(_ start: Double, _ duration: Double) async throws -> [Int64?] {
            let range = DateInterval(start: Date(timeIntervalSince1970: start), duration: duration)
            return try await hub.service().energyInsights(Self.request(hub, range, granularity), client: "a")
                .map { $0.totalEnergy?.whole }
        }
        #expect(try await energy(noon.timeIntervalSince1970, 0) == [])
        #expect(try await energy(.nan, 0) == [])
        #expect(try await energy(.nan, 3600) == [])
        #expect(try await energy(1e300, 3600) == [])
        #expect(try await energy(-.infinity, 0) == [])
        // Its end is no number either, so there is nothing between.
        #expect(try await energy(-.infinity, .infinity) == [])
        #expect(try await energy(Date.distantPast.timeIntervalSince1970, 60).allSatisfy { $0 == nil })
        #expect(try await energy(Date.distantFuture.timeIntervalSince1970, 60).allSatisfy { $0 == nil })
        #expect(
            try await energy(Date.distantPast.timeIntervalSince1970, .infinity).compactMap(\.self).first == 4_000_000)
        // A microsecond, and less.
        #expect(try await energy(noon.timeIntervalSince1970 + 1, 1e-6).count == 1)
        #expect(try await energy(noon.timeIntervalSince1970 + 1, 1e-9) == [])
    }

    private static func request(
        _ hub: ServiceUnderTest, _ range: DateInterval, _ granularity: ElectricityInsightQuery.Granularity,
        device: String = "car"
    ) -> InsightRequest {
        InsightRequest(
            query: ElectricityInsightQuery(
                options: [], range: range, granularity: granularity, flowDirection: .imported),
            deviceID: device, venueID: hub.venue.id)
    }
}
