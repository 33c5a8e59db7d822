import EnergyKit
import Foundation
import TestSupport
import Testing
import ThreadKit
import WebServer

/// Values that can't be, through the surface to a real hub: each ends in an answer or a documented error by every way.
@Suite(.timeLimit(.minutes(5))) struct ImpossibleInputTests {
    private static let texts = [
        "", " ", "\u{0}", "\n\t", "\u{200D}", String(repeating: "é", count: 100_000), "../../etc", "%s%n", "a&b=c#d",
        "\u{E000}", "nobody's",
    ]
    private static let moments: [Double] = [
        .nan, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude, 0,
        Date.distantPast.timeIntervalSinceReferenceDate, Date.distantFuture.timeIntervalSinceReferenceDate,
    ]

    @Test func anyRangeIsAnsweredTheSameByEveryWay() async throws {
        let told = Locked<[String]>([])
        for backing in Backing.allCases {
            try await TestHome().withHub(backing) {
                let home = try await TestHome.home()
                try await home.submitEvents(SampleEvents(try await guidance(at: home.id)).hour)
                var ranges = Self.moments.map {
                    DateInterval(start: Date(timeIntervalSinceReferenceDate: $0), duration: 0)
                }
                ranges.append(DateInterval(start: .distantPast, end: .distantFuture))
                ranges.append(DateInterval(start: Date(timeIntervalSinceReferenceDate: -1e300), duration: 2e300))
                var sums: [String] = []
                for range in ranges {
                    for granularity in [ElectricityInsightQuery.Granularity.hourly, .daily, .yearly] {
                        sums.append(try await Self.sum("car", range, granularity, at: home.id))
                    }
                }
                told.withLock { $0.append(sums.joined(separator: " ")) }
            }
        }
        let texts = told.current
        #expect(Set(texts).count == 1, "\(texts)")
        let none = Array(repeating: "0", count: Self.moments.count * 3)
        #expect(texts.first == (none + Array(repeating: "2000", count: 6)).joined(separator: " "))
    }

    @Test(arguments: Backing.allCases) func ofAnUnknownDeviceNothingIsKnown(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            let range = DateInterval(start: .now - 86_400, end: .now)
            for text in Self.texts {
                let query = ElectricityInsightQuery(
                    options: [.tariff, .cleanliness], range: range, granularity: .daily, flowDirection: .exported)
                for await record in try await ElectricityInsightService.shared.runtimeInsights(
                    forDeviceID: text, using: query, atVenue: home.id)
                { #expect(record.totalRuntime == nil) }
                #expect(try await Self.sum(text, range, .weekly, at: home.id) == "0")
                await #expect(throws: EnergyKitError.venueUnavailable) {
                    try await Self.sum(text, range, .hourly, at: UUID())
                }
            }
        }
    }

    @Test(arguments: Backing.allCases) func whoeverAsksGetsGuidance(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            for text in Self.texts {
                let sequence = ElectricityGuidance.sharedService.guidance(
                    using: .init(suggestedAction: .reduce), at: home.id, forDeviceID: text)
                var iterator = sequence.makeAsyncIterator()
                #expect(try await iterator.next()?.energyVenueID == home.id)
            }
        }
    }

    @Test(arguments: Backing.allCases) func whatIsNoNumberIsUnknownWhereItMayBe(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            let samples = SampleEvents(try await guidance(at: home.id))
            let metrics = ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics(
                estimatedRange: Measurement(value: .nan, unit: .kilometers),
                batteryTemperature: Measurement(value: -.infinity, unit: .celsius))
            let event = AnyLoadEvent.electricVehicle(
                ElectricVehicleLoadEvent(
                    timestamp: samples.start,
                    measurement: .init(
                        stateOfCharge: 0, direction: .imported, power: Measurement(value: 0, unit: .watts),
                        energy: Measurement(value: -0.0, unit: .kilowattHours), performanceMetrics: metrics),
                    session: samples.hour[0].session,
                    device: ElectricalLoadDevice(id: "car", name: "\u{1}", type: .electricVehicle)))
            #expect(try await home.submit([event]) == LoadEventReceipt(accepted: 1, duplicates: 0))
            #expect(try await home.submit([event]) == LoadEventReceipt(accepted: 0, duplicates: 1))
        }
    }

    @Test(arguments: Backing.remote) func aBatchThatIsTooLargeIsRefusedAsOne(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            let samples = SampleEvents(try await guidance(at: home.id))
            let events = (0..<20_000).map { _ in AnyLoadEvent.electricVehicle(samples.vehicle(.active, minute: 1)) }
            let failure = await #expect(throws: EnergyKitFailure.self) { try await home.submit(events) }
            #expect(failure?.invalidEvent?.rule == .malformed, "\(String(describing: failure))")
            #expect(failure?.detail.contains("larger") == true)
            let receipt = try await home.submit([events[0]])
            #expect(receipt.accepted == 1)
        }
    }

    @Test(arguments: [
        "a\r\nX-Forwarded-For: b", "two words", "\u{0}", "ü", " ", String(repeating: "x", count: 100_000),
    ])
    func whatIsNoTokenIsNotSent(text: String) async throws {
        try await withFakeHub(token: .text(text)) { request in
            Issue.record("sent \(request.headers)")
            return .notFound
        } _: { client in
            let failure = await #expect(throws: EnergyKitFailure.self) { try await client.venues() }
            #expect(failure?.error == .permissionDenied)
            #expect(failure?.detail.contains("Forwarded") == false)
            await EnergyKitSystem.withBackend(client) {
                await #expect(throws: EnergyKitError.permissionDenied) { try await guidance(at: UUID()) }
            }
        }
    }

    /// All energy of a device in a range, in watt-hours.
    @discardableResult
    private static func sum(
        _ device: String, _ range: DateInterval, _ granularity: ElectricityInsightQuery.Granularity, at venue: UUID
    ) async throws -> String {
        let query = ElectricityInsightQuery(
            options: [], range: range, granularity: granularity, flowDirection: .imported)
        var sum = 0.0
        for await record in try await ElectricityInsightService.shared.energyInsights(
            forDeviceID: device, using: query, atVenue: venue)
        {
            sum += record.totalEnergy?.converted(to: .EnergyKit.wattHours).value ?? 0
        }
        return "\(Int(sum.rounded()))"
    }
}
