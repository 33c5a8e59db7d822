/// One thing wrong in a planning problem: where, what, and what to do about it.
package struct ProblemFault: Sendable, Hashable, CustomStringConvertible {
    /// Place in the JSON document, such as `vehicles[0].departure`; `$` is the document itself.
    package let path: String

    /// What is wrong, with the offending value.
    package let problem: String

    /// What the writer of the problem can do.
    package let remedy: String

    /// Creates a fault.
    package init(_ path: String, _ problem: String, remedy: String) {
        self.path = path
        self.problem = problem
        self.remedy = remedy
    }

    /// One line: place, fault, remedy.
    package var description: String { "\(path): \(problem); \(remedy)" }
}

/// Why no plan could be made.
package enum PlanningError: Error, Sendable, CustomStringConvertible {
    /// The problem is not well formed; every fault found is listed.
    case invalid([ProblemFault])

    /// No schedule keeps the site's and the battery's limits, whatever the vehicles do.
    case infeasible(reasons: [String])

    /// The time allowed ran out before any schedule was found.
    case outOfTime

    /// The solver failed or gave an answer that breaks a rule; nothing of it may be used.
    case solverFailed(String)

    /// The error in words, one line a fault.
    package var description: String {
        switch self {
        case .invalid(let faults): faults.map(\.description).joined(separator: "\n")
        case .infeasible(let reasons): "no schedule is possible: " + reasons.joined(separator: "; ")
        case .outOfTime: "no schedule was found in the time allowed; allow more time"
        case .solverFailed(let reason): "the solver's answer cannot be used: " + reason
        }
    }
}
