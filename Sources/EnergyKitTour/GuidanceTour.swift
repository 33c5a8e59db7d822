import EnergyKit

/// Guidance: one for shifting and one for reducing, then a stream that outlives its hub.
enum GuidanceTour {
    static func first(at home: EnergyVenue) async throws -> ElectricityGuidance {
        for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
            let guidance = try await only(ElectricityGuidance.Query(suggestedAction: action), at: home)
            try check(guidance, action, home)
        }
        return try await only(.init(suggestedAction: .shift), at: home)
    }

    /// Follows until there is another guidance than the one that is known.
    static func second(at home: EnergyVenue, after known: UUID) async throws -> ElectricityGuidance {
        let service: ElectricityGuidance.Service = ElectricityGuidance.sharedService
        for try await guidance in service.guidance(using: .init(suggestedAction: .shift), at: home.id)
        where guidance.guidanceToken != known {
            return guidance
        }
        throw Surprise(description: "the guidance ended by itself")
    }

    private static func only(
        _ query: ElectricityGuidance.Query, at home: EnergyVenue
    ) async throws -> ElectricityGuidance {
        try expectSame(query) { _, _ in true }
        let sequence = ElectricityGuidance.sharedService.guidance(using: query, at: home.id)
        // Two iterations of one sequence have a delivery each.
        var one = sequence.makeAsyncIterator()
        var other = sequence.makeAsyncIterator()
        guard let guidance = try await one.next(), let same = try await other.next() else {
            throw Surprise(description: "no guidance")
        }
        try expect(guidance.guidanceToken == same.guidanceToken, "two tokens for one guidance")
        return guidance
    }

    private static func check(
        _ guidance: ElectricityGuidance, _ action: ElectricityGuidance.SuggestedAction, _ home: EnergyVenue
    ) throws {
        try expect(guidance.suggestedAction == action, "guidance for something else")
        try expect(guidance.energyVenueID == home.id, "guidance for another home")
        try expect(guidance.interval.duration >= 3600, "guidance for less than an hour")
        var end = guidance.interval.start
        for value: ElectricityGuidance.Value in guidance.values {
            try expect((0...1).contains(value.rating), "a rating of \(value.rating)")
            try expect(value.interval.start >= end && value.interval.end <= guidance.interval.end, "values overlap")
            end = value.interval.end
        }
        let all = Set(ElectricityGuidance.Options.allCases)
        let expected: Set<ElectricityGuidance.Options> = [.locationHasRatePlan, .guidanceIncorporatesRatePlan]
        try expect(all == expected && guidance.options == expected, "options \(guidance.options)")
        let own = ElectricityGuidance.Value(interval: guidance.interval, rating: 0.25)
        try expectSame(own) { $0.interval == $1.interval && $0.rating == $1.rating }
        try expectSame(guidance) { $0.guidanceToken == $1.guidanceToken && $0.values.count == $1.values.count }
        say("\(action) \(guidance.values.count) values")
    }
}
