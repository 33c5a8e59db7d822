import CShims
import Foundation
import MILP
import Testing

/// An assertion that fails in a C or C++ library ends a solution and not the hub.
@Suite struct AssertionTests {
    @Test func aFailedAssertionIsSaidAndTheNextSolutionGoesOn() throws {
        for _ in 0..<3 {
            let failure = offpeak_guarded(offpeak_fail_assertion, nil)
            let text = String(cString: try #require(failure))
            #expect(text.contains("offpeak_fail_assertion") && text.contains("assertion"), "\(text)")
        }
        let nothing = offpeak_guarded(offpeak_do_nothing, nil)
        #expect(nothing == nil)
        var program = LinearProgram()
        let x = program.addColumn(0...100, cost: 1, isInteger: true)
        program.addRow([.init(x, 2)], atLeast: 3)
        guard case .optimal(let solution) = MILPSolver.solve(program) else {
            Issue.record("no solution")
            return
        }
        #expect(solution[x] == 2)
    }

    @Test func onItsThreadAloneIsGuarded() async {
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { offpeak_guarded(offpeak_fail_assertion, nil) != nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 8)
    }

    /// The program's own symbol stands before that of the C library.
    @Test func librariesFindTheGuard() { #expect(offpeak_guards_libraries()) }
}
