import Planning
import Testing

/// What the answer says of needs that can't be met: the limit in the way, and by how much.
@Suite struct ObstacleTests {
    private static let start = 1_769_882_400

    private func car(
        _ id: String, need: Double, from: Int = 0, to: Int = 10, ranges: [PowerRange] = [PowerRange(0, 11)]
    ) -> PlanningProblem.Vehicle {
        PlanningProblem.Vehicle(
            id: id, arrival: Self.start + from * 3600, departure: Self.start + to * 3600, minEnergyKWh: need,
            maxEnergyKWh: need, ranges: ranges)
    }

    private func notes(
        _ vehicles: [PlanningProblem.Vehicle], connection: Double? = nil, circuits: [String: (Double, [String])] = [:]
    ) throws -> [String] {
        let slots = (0..<10).map {
            PlanningProblem.Slot(
                start: Self.start + $0 * 3600, end: Self.start + ($0 + 1) * 3600, importPrice: 0.1 + 0.01 * Double($0))
        }
        let limits = circuits.sorted { $0.key < $1.key }.map { name, circuit in
            PlanningProblem.SharedLimit(
                id: name, limitKW: slots.map { _ in circuit.0 },
                shares: Dictionary(uniqueKeysWithValues: circuit.1.map { ($0, 1) }))
        }
        let problem = PlanningProblem(
            slots: slots, vehicles: vehicles, site: PlanningProblem.Site(importLimitKW: connection), limits: limits)
        return try Planner.solve(problem).notes
    }

    @Test func aCircuitBelowTheNeedIsNamed() throws {
        #expect(
            try notes([car("one", need: 20)], circuits: ["garage": (1.5, ["one"])])
                == [
                    "one will lack 5.0 kWh: circuit garage, at most 1.5 kW, leaves too little power for it: "
                        + "15.0 kWh in its time, 5.0 kWh too little"
                ])
    }

    @Test(arguments: [0, 1.5]) func aCircuitBelowTheLeastPowerIsNamed(limit: Double) throws {
        let lacking = try notes(
            [car("one", need: 20, ranges: [PowerRange(4, 11)])], connection: 50, circuits: ["garage": (limit, ["one"])])
        #expect(
            lacking == [
                "one will lack 20.0 kWh: circuit garage, at most \(limit) kW, leaves it \(limit) kW, \(4 - limit) kW "
                    + "below the least power that it can draw, 4.0 kW"
            ])
    }

    @Test func twoCarsOnOneCircuitAreToldWhatItLeavesBoth() throws {
        let lacking = try notes(
            [car("one", need: 30, from: 1, to: 9), car("two", need: 20, from: 2, to: 8)], connection: 30,
            circuits: ["garage": (5, ["one", "two"])])
        let reason =
            "circuit garage, at most 5.0 kW, does not carry one and two together: they need 50.0 kWh from it between "
            + "2026-01-31T19:00:00Z and 2026-02-01T03:00:00Z, and it leaves 40.0 kWh, 10.0 kWh too little"
        #expect(!lacking.isEmpty && lacking.allSatisfy { $0.hasSuffix(reason) }, "\(lacking)")
    }

    @Test func theConnectionIsNamedAloneAndForSeveral() throws {
        let alone = try notes([car("one", need: 60)], connection: 5)
        #expect(
            alone == [
                "one will lack 10.0 kWh: the connection's limit of 5.0 kW leaves too little power for it: 50.0 kWh in its "
                    + "time, 10.0 kWh too little"
            ])
        let both = try notes([car("one", need: 45), car("two", need: 45)], connection: 8)
        #expect(!both.isEmpty)
        for note in both {
            #expect(note.contains("the connection's limit of 8.0 kW does not carry one and two together"), "\(note)")
            #expect(note.hasSuffix("it leaves 80.0 kWh, 10.0 kWh too little"), "\(note)")
        }
    }

    @Test func aLimitThatLeastPowersDoNotFitIsNamed() throws {
        // By energy the circuit carries both, but never both at once.
        let powers = [PowerRange(4, 4)]
        let lacking = try notes(
            [car("one", need: 24, ranges: powers), car("two", need: 24, ranges: powers)],
            circuits: ["garage": (6, ["one", "two"]), "house": (30, ["one", "two"])])
        #expect(lacking.count == 1)
        #expect(lacking[0].contains("circuit garage, at most 6.0 kW, has no room for more of it in"), "\(lacking)")
    }

    @Test func powersThatDoNotAddUpAreNoLimitsFault() throws {
        let lacking = try notes([car("one", need: 10, ranges: [PowerRange(4, 4)])], circuits: ["garage": (6, ["one"])])
        #expect(lacking == ["one will lack 2.0 kWh: the powers it can draw do not add up to its need"])
    }
}
