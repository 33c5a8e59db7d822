import EnergyKit

/// Every error with its words, and those that a hub can be made to give.
enum ErrorTour {
    private static let all: [EnergyKitError] = [
        .guidanceUnavailable, .inProgress, .invalidLoadEvent, .permissionDenied, .serviceUnavailable,
        .venueUnavailable, .locationServicesDenied, .rateLimitExceeded, .unsupportedRegion,
    ]

    static func run(at home: EnergyVenue, by guidance: ElectricityGuidance) async throws {
        try expect(Set(all).count == 9, "errors")
        for error in all {
            let words = [error.errorDescription, error.failureReason, error.helpAnchor, error.recoverySuggestion]
            try expect(words.allSatisfy { $0?.isEmpty == false }, "\(error) has no words")
            try expect(error.localizedDescription == error.errorDescription, "\(error) has other words")
        }
        let nowhere = UUID()
        try await expectError(.venueUnavailable) {
            for try await _ in ElectricityGuidance.sharedService.guidance(
                using: .init(suggestedAction: .reduce), at: nowhere)
            {}
        }
        try await expectError(.invalidLoadEvent) { try await home.submitEvents([event(wattHours: -1, guidance)]) }
        try await expectError(.invalidLoadEvent) { try await home.submitEvents([event(wattHours: .nan, guidance)]) }
        try await expectError(.inProgress) { try await twoInsightsAtOnce(at: home, guidance.interval) }
        say("\(all.count) errors")
    }

    private static func event(wattHours: Double, _ guidance: ElectricityGuidance) -> ElectricVehicleLoadEvent {
        ElectricVehicleLoadEvent(
            timestamp: guidance.interval.start,
            measurement: .init(
                stateOfCharge: 1, direction: .exported, power: Measurement(value: 0, unit: .watts),
                energy: Measurement(value: wattHours / 1000, unit: .kilowattHours)),
            session: .init(
                id: UUID(), state: .begin,
                guidanceState: .init(wasFollowingGuidance: false, guidanceToken: guidance.guidanceToken)),
            deviceID: "tour-battery")
    }

    /// Asks until two requests meet, which is the next moment.
    private static func twoInsightsAtOnce(at home: EnergyVenue, _ range: DateInterval) async throws {
        let query = ElectricityInsightQuery(
            options: [], range: range, granularity: .hourly, flowDirection: .imported)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try await ElectricityInsightService.shared.runtimeInsights(
                        forDeviceID: "tour-pump", using: query, atVenue: home.id)
                }
            }
            try await group.waitForAll()
        }
    }
}
