import MILP
import TestSupport
import Testing

@Suite struct MILPSolverTests {
    @Test func solvesALinearProgram() throws {
        // Least 2x + 3y with x + y ≥ 10 and x ≤ 4: 4 and 6.
        var program = LinearProgram()
        let x = program.addColumn(0...4, cost: 2), y = program.addColumn(0...Double.infinity, cost: 3)
        program.addRow([.init(x, 1), .init(y, 1)], atLeast: 10)
        guard case .optimal(let solution) = MILPSolver.solve(program) else {
            Issue.record("not solved")
            return
        }
        #expect(abs(solution.cost - 26) < 1e-9)
        #expect(abs(solution.bound - 26) < 1e-6)
        #expect(abs(solution[x] - 4) < 1e-9)
        #expect(abs(solution[y] - 6) < 1e-9)
    }

    @Test("the best of all subsets", arguments: 0..<20)
    func picksTheBestSubset(seed: Int) {
        var state = UInt64(seed) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        func next(_ top: UInt64) -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double((state >> 33) % top + 1)
        }
        let weights = (0..<10).map { _ in next(20) }, values = (0..<10).map { _ in next(30) }
        var program = LinearProgram()
        let columns = values.map { program.addBinary(cost: -$0) }
        program.addRow(zip(columns, weights).map { .init($0, $1) }, atMost: 40)
        var best = 0.0
        for subset in 0..<1024 {
            let taken = (0..<10).filter { subset >> $0 & 1 == 1 }
            if taken.reduce(0, { $0 + weights[$1] }) <= 40 { best = max(best, taken.reduce(0) { $0 + values[$1] }) }
        }
        guard case .optimal(let solution) = MILPSolver.solve(program) else {
            Issue.record("not solved")
            return
        }
        #expect(abs(solution.cost + best) < 1e-9)
        #expect(columns.allSatisfy { solution[$0] == 0 || solution[$0] == 1 })
    }

    @Test func provesThatNothingIsAllowed() {
        var program = LinearProgram()
        let x = program.addColumn(0...1)
        program.addRow([.init(x, 1)], atLeast: 2)
        guard case .infeasible = MILPSolver.solve(program) else {
            Issue.record("found the impossible")
            return
        }
    }

    @Test func provesThatNoWholeNumberIsAllowed() {
        var program = LinearProgram()
        let x = program.addColumn(0...10, isInteger: true)
        program.addRow([.init(x, 2)], equals: 7)
        guard case .infeasible = MILPSolver.solve(program) else {
            Issue.record("found the impossible")
            return
        }
    }

    @Test func tellsThatACostFallsWithoutEnd() {
        var program = LinearProgram()
        let x = program.addColumn(0...Double.infinity, cost: -1)
        program.addRow([.init(x, 1)], atLeast: 2)
        if case .optimal = MILPSolver.solve(program) { Issue.record("found an end") }
    }

    @Test func stopsInTimeAndGivesAnHonestBound() {
        // A market split problem: far out of reach of branch and bound in this time.
        var program = LinearProgram()
        var state: UInt64 = 7
        let columns = (0..<50).map { _ in program.addBinary() }
        for _ in 0..<6 {
            let terms = columns.map { column in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return LinearProgram.Term(column, Double((state >> 33) % 100))
            }
            let over = program.addColumn(0...1e6, cost: 1), under = program.addColumn(0...1e6, cost: 1)
            let half = (terms.reduce(0) { $0 + $1.coefficient } / 2).rounded(.down)
            program.addRow(terms + [.init(over, -1), .init(under, 1)], equals: half)
        }
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = MILPSolver.solve(program, seconds: 0.5)
        #expect(clock.now - start < .seconds(20))
        switch outcome {
        case .feasible(let solution): #expect(solution.bound <= solution.cost)
        case .outOfTime: break
        case .optimal, .infeasible, .failed: Issue.record("\(outcome)")
        }
    }

    @Test func solvesFromSeveralTasksAtOnce() async {
        await withTaskGroup(of: Double?.self) { group in
            for need in 1...8 {
                group.addTask {
                    var program = LinearProgram()
                    let x = program.addColumn(0...100, cost: 1, isInteger: true)
                    program.addRow([.init(x, 2)], atLeast: Double(need) - 0.5)
                    guard case .optimal(let solution) = MILPSolver.solve(program) else { return nil }
                    return solution[x] - (Double(need) / 2).rounded(.up)
                }
            }
            for await difference in group { #expect(difference == 0) }
        }
    }

    @Test(.timeLimit(.minutes(2))) func aHardProgramEndsWithItsTime() async throws {
        // Market split: a few equations that hardly any choice of many numbers meets.
        var state: UInt64 = 7
        func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double((state >> 33) % 100)
        }
        var program = LinearProgram()
        let columns = (0..<40).map { _ in program.addBinary() }
        for _ in 0..<5 {
            let weights = columns.map { _ in next() }
            let half = (weights.reduce(0, +) / 2).rounded(.down)
            let over = program.addColumn(0...1000, cost: 1), under = program.addColumn(0...1000, cost: 1)
            program.addRow(
                zip(columns, weights).map { .init($0, $1) } + [.init(over, -1), .init(under, 1)], equals: half)
        }
        switch MILPSolver.solve(program, seconds: 0.2) {
        case .outOfTime, .feasible: break
        case .optimal, .infeasible, .failed: Issue.record("solved what takes hours")
        }
        // The search that was left to itself ends too, so that the next one gets its turn.
        #expect(await eventually { !MILPSolver.isStillSearching })
        guard case .outOfTime = MILPSolver.solve(program, seconds: 0) else {
            Issue.record("searched without time")
            return
        }
    }
}
