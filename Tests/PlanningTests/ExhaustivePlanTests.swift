import Planning
import Testing

/// Compares plans of several vehicles with every combination of whole powers, on instances whose figures are whole
/// numbers: for each choice of who draws when, what is left is a transportation problem, and the best answer of one with
/// whole figures is whole.
@Suite struct ExhaustivePlanTests {
    @Test("least unmet energy, then least cost, of all combinations", arguments: 0..<250)
    func isTheBestOfAllCombinations(seed: Int) throws {
        var dice = Dice(seed: seed + 7)
        let small = SmallProblem.make(&dice)
        let best = small.best()
        let answer = try Planner.solve(small.problem)
        let judged = small.problem.evaluate(answer.schedule)
        #expect(judged.faults.isEmpty, "\(judged.faults) \(small)")
        let unmet = answer.unmetEnergyKWh.values.reduce(0, +)
        #expect(abs(unmet - Double(best.unmet)) < 1e-3, "\(unmet) not \(best.unmet): \(small)")
        #expect(abs(answer.cost - best.cost) < 5e-4, "\(answer.cost) not \(best.cost): \(small)")
        if let bound = answer.bound, best.unmet == 0 {
            #expect(bound <= best.cost + 1e-4, "\(bound) above \(best.cost): \(small)")
        }
    }

    @Test("a deadline of nothing leaves as little unmet as the best, and keeps every rule", arguments: 0..<250)
    func aHurriedAnswerLeavesTheLeastUnmet(seed: Int) throws {
        var dice = Dice(seed: seed + 7)
        let small = SmallProblem.make(&dice)
        let best = small.best()
        let answer = try Planner.solve(small.problem, deadlineSeconds: 0)
        #expect(small.problem.evaluate(answer.schedule).faults.isEmpty)
        let unmet = answer.unmetEnergyKWh.values.reduce(0, +)
        #expect(abs(unmet - Double(best.unmet)) < 1e-3, "\(unmet) not \(best.unmet): \(small)")
        #expect(answer.cost >= best.cost - 5e-4)
        if answer.unmetEnergyKWh.isEmpty, best.unmet == 0 {
            let bound = try #require(answer.bound, "\(small)")
            #expect(bound <= best.cost + 1e-4, "\(bound) above \(best.cost): \(small)")
        }
    }
}

/// Hours with whole kilowatts.
private struct SmallProblem: CustomStringConvertible {
    struct Car {
        var arrival: Int
        var departure: Int
        var least: Int
        var most: Int
        var powers: [Int]
    }

    static let start = 1_769_882_400
    var prices: [Double]
    var feedIn: Double
    var base: [Int]
    var sun: [Int]
    var limit: Int
    var circuit: (limit: Int, cars: Set<Int>)?
    var cars: [Car]
    var ranges: [[PowerRange]]
    var canFeedIn: Bool

    var description: String { "\(prices) \(feedIn) \(base) \(sun) \(limit) \(String(describing: circuit)) \(cars)" }

    static func make(_ dice: inout Dice) -> SmallProblem {
        let hours = Int.random(in: 2...4, using: &dice), count = Int.random(in: 2...3, using: &dice)
        let choices: [[PowerRange]] = [
            [PowerRange(0, 3)], [PowerRange(2, 4)], [PowerRange(3, 3)], [PowerRange(1, 5)],
            [PowerRange(1, 1), PowerRange(3, 4)],
        ]
        let isPlain = Int.random(in: 0..<3, using: &dice) > 0
        let ranges = (0..<count).map { _ in choices[Int.random(in: 0..<(isPlain ? 4 : 5), using: &dice)] }
        let isSunny = Bool.random(using: &dice)
        let cars = ranges.map { ranges -> Car in
            let arrival = Int.random(in: 0..<hours, using: &dice)
            let departure = Int.random(in: (arrival + 1)...hours, using: &dice)
            let reach = Int(ranges.last?.highKW ?? 0) * (departure - arrival)
            let need = Int.random(in: 0...(reach + 1), using: &dice)
            return Car(
                arrival: arrival, departure: departure, least: need,
                most: need + (Bool.random(using: &dice) ? 0 : Int.random(in: 0...3, using: &dice)),
                powers: [0]
                    + ranges.flatMap { Array(Int($0.lowKW)...Int($0.highKW)) }.filter { $0 > 0 })
        }
        let prices = (0..<hours).map { _ in Double(Int.random(in: -2...12, using: &dice)) / 40 }
        return SmallProblem(
            prices: prices, feedIn: Double(Int.random(in: 0...6, using: &dice)) / 40,
            base: prices.map { _ in Int.random(in: 0...2, using: &dice) },
            sun: prices.map { _ in isSunny ? Int.random(in: 0...6, using: &dice) : 0 },
            limit: Int.random(in: 4...9, using: &dice),
            circuit: Bool.random(using: &dice) ? nil : (Int.random(in: 2...6, using: &dice), [0, 1]), cars: cars,
            ranges: ranges, canFeedIn: true)
    }

    var problem: PlanningProblem {
        let hours = prices.indices
        return PlanningProblem(
            slots: hours.map {
                PlanningProblem.Slot(
                    start: Self.start + $0 * 3600, end: Self.start + ($0 + 1) * 3600, importPrice: prices[$0],
                    exportPrice: feedIn, baseLoadKW: Double(base[$0]), pvKW: Double(sun[$0]))
            },
            vehicles: cars.enumerated().map { index, car in
                PlanningProblem.Vehicle(
                    id: "car\(index)", arrival: Self.start + car.arrival * 3600,
                    departure: Self.start + car.departure * 3600, minEnergyKWh: Double(car.least),
                    maxEnergyKWh: Double(car.most), ranges: ranges[index])
            },
            site: PlanningProblem.Site(importLimitKW: Double(limit), exportAllowed: canFeedIn),
            limits: circuit.map { circuit in
                [
                    PlanningProblem.SharedLimit(
                        id: "garage", limitKW: hours.map { _ in Double(circuit.limit) },
                        shares: Dictionary(uniqueKeysWithValues: circuit.cars.map { ("car\($0)", 1) }))
                ]
            } ?? [])
    }

    /// The least unmet energy and the least cost with it, over all combinations, hour by hour.
    func best() -> (unmet: Int, cost: Double) {
        var reached: [[Int]: Double] = [cars.map { _ in 0 }: 0]
        for hour in prices.indices {
            var next: [[Int]: Double] = [:]
            for (powers, cost) in combinations(hour) {
                for (energies, before) in reached {
                    let sum = zip(energies, powers).map(+)
                    guard zip(sum, cars).allSatisfy({ $0 <= $1.most }) else { continue }
                    next[sum] = min(next[sum] ?? .infinity, before + cost)
                }
            }
            reached = next
        }
        var best = (unmet: Int.max, cost: Double.infinity)
        for (energies, cost) in reached {
            let unmet = zip(energies, cars).reduce(0) { $0 + max(0, $1.1.least - $1.0) }
            if unmet < best.unmet || unmet == best.unmet && cost < best.cost { best = (unmet, cost) }
        }
        return best
    }

    /// Every allowed set of powers in an hour, and what the hour costs with it.
    private func combinations(_ hour: Int) -> [(powers: [Int], cost: Double)] {
        var all: [[Int]] = [[]]
        for car in cars {
            let powers = car.arrival <= hour && hour < car.departure ? car.powers : [0]
            all = all.flatMap { start in powers.map { start + [$0] } }
        }
        return all.compactMap { powers in
            let net = base[hour] - sun[hour] + powers.reduce(0, +)
            guard net <= limit else { return nil }
            if let circuit, circuit.cars.reduce(0, { $0 + powers[$1] }) > circuit.limit { return nil }
            return (powers, Double(net) * (net > 0 ? prices[hour] : feedIn))
        }
    }
}
