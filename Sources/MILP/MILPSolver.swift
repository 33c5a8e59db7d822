import CCbc
import CShims
import Dispatch
import Foundation
import ThreadKit

/// What a solver found for a linear program.
package enum MILPOutcome: Sendable {
    /// The cheapest values, proven within the tolerance of the solver.
    case optimal(MILPSolution)
    /// The time ran out; these values are allowed but perhaps not the cheapest.
    case feasible(MILPSolution)
    /// Proven: no values keep every row and bound.
    case infeasible
    /// The time ran out before any allowed values were found.
    case outOfTime
    /// The cost falls without end, or the solver met numerical trouble; where the library says what, in its words.
    case failed(String? = nil)
}

/// Values for every column and what is known about them.
package struct MILPSolution: Sendable {
    /// Value of each column, whole numbers rounded for integer columns.
    package var values: [Double]
    /// Their cost.
    package var cost: Double
    /// No allowed values cost less than this.
    package var bound: Double

    /// Value of one column.
    package subscript(_ column: LinearProgram.Column) -> Double { values[column.index] }
}

/// Solves mixed-integer linear programs by branch and cut with COIN-OR Cbc.
///
/// ## Thread Safety
/// May be called from any thread; calls wait for each other, since the library keeps state of its own across models.
/// The calling thread is busy until the answer is there, so call it off the cooperative pool.
package enum MILPSolver {
    /// Held for a whole solution, against the rule for locks: the library is the state that it protects.
    private static let turn = Locked<Void>(())

    /// Solves a program.
    /// - Parameters:
    ///   - program: The program, whose cost is minimised.
    ///   - seconds: Time allowed; `nil` is no limit. The library looks at the clock now and then only, so the search
    ///     runs on a thread of its own, which is left to itself when the time is over.
    package static func solve(_ program: LinearProgram, seconds: Double? = nil) -> MILPOutcome {
        guard let seconds else { return search(program, seconds: nil) }
        guard seconds > 0 else { return .outOfTime }
        let outcome = Locked<MILPOutcome?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        searches.withLock { $0 += 1 }
        let thread = Thread {
            // The library gets less, so that what it has found is handed over in time.
            let found = search(program, seconds: seconds * 0.8)
            outcome.withLock { $0 = found }
            searches.withLock { $0 -= 1 }
            isDone.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        _ = isDone.wait(timeout: .now() + seconds)
        return outcome.current ?? .outOfTime
    }

    private static let searches = Locked(0)

    /// Whether a search whose time was over still runs.
    package static var isStillSearching: Bool { searches.current > 0 }

    private static func search(_ program: LinearProgram, seconds: Double?) -> MILPOutcome {
        turn.withLock { _ in
            var model = CbcModel(program)
            return model.solve(program, seconds: seconds)
        }
    }
}

/// One model of the library, closed at the end of its life.
private struct CbcModel: ~Copyable {
    private let handle: UnsafeMutableRawPointer?
    /// Whether an assertion failed in the library: what it holds is left alone.
    private var isBroken = false

    init(_ program: LinearProgram) {
        handle = Cbc_newModel()
        var starts: [Int32] = [0]
        var indices: [Int32] = []
        var values: [Double] = []
        var columns: [[(row: Int, value: Double)]] = Array(repeating: [], count: program.columnCount)
        for (row, content) in program.rows.enumerated() {
            for term in content.terms { columns[term.column.index].append((row, term.coefficient)) }
        }
        for column in columns {
            for entry in column {
                indices.append(Int32(entry.row))
                values.append(entry.value)
            }
            starts.append(Int32(indices.count))
        }
        // The library copies all arrays.
        Cbc_loadProblem(
            handle, Int32(program.columnCount), Int32(program.rows.count), starts, indices, values,
            program.lower, program.upper, program.costs,
            program.rows.map(\.range.lowerBound), program.rows.map(\.range.upperBound))
        for (index, isInteger) in program.isInteger.enumerated() where isInteger {
            Cbc_setInteger(handle, Int32(index))
        }
        Cbc_setObjSense(handle, 1)
        Cbc_setLogLevel(handle, 0)
        // The library's preprocessing has lost best answers of small programs with equal powers and given forbidden ones;
        // without it some of its heuristics end the process at an assertion.
        Cbc_setParameter(handle, "preprocess", "off")
        Cbc_setParameter(handle, "heuristicsOnOff", "off")
        // Gaps of zero: the answer is the least cost, not one near it.
        Cbc_setAllowableGap(handle, 1e-9)
        Cbc_setAllowableFractionGap(handle, 0)
    }

    deinit {
        if !isBroken { Cbc_deleteModel(handle) }
    }

    mutating func solve(_ program: LinearProgram, seconds: Double?) -> MILPOutcome {
        if let seconds {
            Cbc_setParameter(handle, "timeMode", "elapsed")
            Cbc_setMaximumSeconds(handle, max(seconds, 0.01))
        }
        // Debian's library keeps its assertions, and rounding breaks one now and then: that may end no hub.
        if let failure = offpeak_guarded(offpeak_cbc_solve, handle) {
            isBroken = true
            return .failed(String(cString: failure))
        }
        if Cbc_isProvenInfeasible(handle) != 0 { return .infeasible }
        let isStopped = Cbc_isSecondsLimitReached(handle) != 0 || Cbc_isNodeLimitReached(handle) != 0
        guard let solution = read(program) else { return isStopped ? .outOfTime : .failed() }
        return Cbc_isProvenOptimal(handle) != 0 && !isStopped ? .optimal(solution) : .feasible(solution)
    }

    private func read(_ program: LinearProgram) -> MILPSolution? {
        // Without integer columns there is no search, and so no "best solution", only the relaxation's.
        let isLinear = !program.isInteger.contains(true)
        guard Cbc_isAbandoned(handle) == 0, !isLinear || Cbc_isProvenOptimal(handle) != 0,
            let pointer = isLinear ? Cbc_getColSolution(handle) : UnsafePointer(Cbc_bestSolution(handle))
        else { return nil }
        var values = Array(UnsafeBufferPointer(start: pointer, count: program.columnCount))
        for index in values.indices {
            if program.isInteger[index] { values[index] = values[index].rounded() }
            values[index] = min(max(values[index], program.lower[index]), program.upper[index])
        }
        let cost = zip(values, program.costs).reduce(0) { $0 + $1.0 * $1.1 }
        let bound = isLinear ? cost : min(cost, Cbc_getBestPossibleObjValue(handle))
        return MILPSolution(values: values, cost: cost, bound: bound)
    }
}
