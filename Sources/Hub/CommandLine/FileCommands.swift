import Foundation
import Guidance
import Planning

/// Subcommands that work on a file alone.
enum FileCommands {
    static func plan(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "plan")
        try given.none()
        guard let path = given["problem"] else { throw Arguments.Misuse(description: "--problem FILE is missing") }
        let deadline = try given.number("deadline", in: 0.001...3600)
        let problem: PlanningProblem
        do {
            problem = try PlanningProblem.read(try data(path))
        } catch let error as PlanningError {
            throw ConfigurationFaults(String(describing: error).split(separator: "\n").map { "\(path): error: \($0)" })
        }
        let began = ContinuousClock.now
        var answer: PlanAnswer
        do {
            answer = try Planner.solve(problem, deadlineSeconds: deadline)
        } catch {
            Console.error("\(path): error: \(error)")
            return error.exitStatus
        }
        answer.seconds = Double((ContinuousClock.now - began) / .microseconds(1)) / 1e6
        if given.has("json") { try Console.json(answer, with: JSONEncoder()) } else { show(answer) }
        return .success
    }

    private static func show(_ answer: PlanAnswer) {
        for start in answer.starts {
            Console.out("start \(Date(timeIntervalSince1970: Double(start)).formatted(.iso8601))")
        }
        let rows = answer.schedule.intervals.map { interval -> [String] in
            let from = Date(timeIntervalSince1970: Double(interval.start)).formatted(.iso8601)
            let to = Date(timeIntervalSince1970: Double(interval.end)).formatted(.iso8601)
            let vehicles = interval.vehiclesKW.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            return [
                from, to, vehicles.map { "\($0.key) \(String(format: "%.2f", $0.value)) kW" }.joined(separator: ", "),
            ]
        }
        if !rows.isEmpty { Console.table(["from", "to", "power"], rows) }
        Console.out(String(format: "cost %.5f", answer.cost) + (answer.isProvenOptimal ? ", proven best" : ""))
        for note in answer.notes { Console.out(note) }
    }

    static func rate(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "rate")
        try given.none()
        guard let path = given["input"] else { throw Arguments.Misuse(description: "--input FILE is missing") }
        let request: RateRequest
        do {
            request = try RateRequest(json: try data(path))
        } catch let fault as RateRequest.Fault {
            throw ConfigurationFaults(["\(path): error: \(fault)"])
        }
        let answer = request.answer()
        if given.has("json") {
            Console.out(String(decoding: try answer.json(), as: UTF8.self))
        } else {
            let rows = answer.values.map {
                [
                    $0.start.formatted(.iso8601), $0.end.formatted(.iso8601), String(format: "%.3f", $0.rating),
                    bar($0.rating),
                ]
            }
            Console.table(["from", "to", "rating", "0 best … 1 worst"], rows)
        }
        return .success
    }

    static func bar(_ rating: Double) -> String {
        String(repeating: "█", count: Int((rating * 20).rounded())) + (rating < 0.025 ? "▏" : "")
    }

    static func data(_ path: String) throws -> Data {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationFaults(["\(path): error: can't be read; check the name and its permissions"])
        }
        return data
    }
}

extension PlanningError {
    /// The exit status that fits the error.
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .invalid: .usage
        case .infeasible: .refused
        case .outOfTime: .tryLater
        case .solverFailed: .failure
        }
    }
}
