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
        let text = try json(path)
        let problem: PlanningProblem
        do {
            problem = try PlanningProblem.read(text)
        } catch {
            throw ConfigurationFaults(lines(of: error, shown(path)))
        }
        let began = ContinuousClock.now
        var answer: PlanAnswer
        do {
            answer = try Planner.solve(problem, deadlineSeconds: deadline)
        } catch {
            for line in lines(of: error, shown(path)) { Console.error(line) }
            return error.exitStatus
        }
        answer.seconds = Double((ContinuousClock.now - began) / .microseconds(1)) / 1e6
        if given.has("json") { try Console.json(answer, with: JSONEncoder()) } else { show(answer, of: problem) }
        guard !answer.overloads.isEmpty else { return .success }
        // What is printed breaks the limits least; it is no schedule that keeps them.
        let more = answer.overloads.count - 3
        let what =
            answer.isOverloadDoubtful
            ? "no schedule that keeps the limits was found in the time allowed" : "no schedule keeps the limits"
        Console.error(
            "\(shown(path)): error: \(what): \(answer.overloads.prefix(3).joined(separator: "; "))"
                + (more > 0 ? "; and \(more) more" : ""))
        return answer.isOverloadDoubtful ? .tryLater : .refused
    }

    /// A problem with the same slip in every slot needs no thousand lines.
    private static let mostLines = 20

    private static func lines(of error: PlanningError, _ name: String) -> [String] {
        let faults = String(describing: error).split(separator: "\n")
        let more = faults.count - mostLines
        return faults.prefix(mostLines).map { "\(name): error: \($0)" }
            + (more > 0 ? ["\(name): error: and \(more) more"] : [])
    }

    private static func show(_ answer: PlanAnswer, of problem: PlanningProblem) {
        for start in answer.starts {
            Console.out("start \(Date(timeIntervalSince1970: Double(start)).formatted(.iso8601))")
        }
        let rows = answer.schedule.intervals.map { interval -> [String] in
            let from = Date(timeIntervalSince1970: Double(interval.start)).formatted(.iso8601)
            let to = Date(timeIntervalSince1970: Double(interval.end)).formatted(.iso8601)
            let vehicles = interval.vehiclesKW.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            let power = vehicles.map { "\($0.key) \(String(format: "%.2f", $0.value)) kW" }.joined(separator: ", ")
            return [from, to, power] + (problem.battery == nil ? [] : [batteryText(interval)])
        }
        let headings = ["from", "to", "power"] + (problem.battery == nil ? [] : ["battery kW (+ charging, − giving)"])
        if !rows.isEmpty { Console.table(headings, rows) }
        Console.out(String(format: "cost %.5f", answer.cost) + verdict(on: answer))
        for note in answer.notes { Console.out(note) }
    }

    /// What goes into a battery, or out of it.
    private static func batteryText(_ interval: Schedule.Interval) -> String {
        let power = interval.batteryChargeKW - interval.batteryDischargeKW
        guard power.magnitude >= 0.005 else { return "" }
        return (power > 0 ? "+" : "−") + String(format: "%.2f", power.magnitude)
    }

    /// What is known of the cost.
    private static func verdict(on answer: PlanAnswer) -> String {
        if !answer.overloads.isEmpty { return ", with a limit broken" }
        if answer.isProvenOptimal {
            return answer.unmetEnergyKWh.isEmpty ? ", proven best" : ", the best with the least energy missing"
        }
        return answer.bound.map { String(format: ", no schedule costs less than %.5f", $0) } ?? ""
    }

    static func rate(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "rate")
        try given.none()
        guard let path = given["input"] else { throw Arguments.Misuse(description: "--input FILE is missing") }
        let text = try json(path)
        let request: RateRequest
        do {
            request = try RateRequest(json: text)
        } catch {
            throw ConfigurationFaults(["\(shown(path)): error: \(error)"])
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

    /// What a message calls a file.
    static func shown(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// The content of a file or a pipe; `-` is standard input.
    static func data(_ path: String) throws(ConfigurationFaults) -> Data {
        func refused(_ what: String) -> ConfigurationFaults {
            ConfigurationFaults(["\(shown(path)): error: \(what)"])
        }
        guard let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path) else {
            throw refused("can't be read; check the name and its permissions")
        }
        var data = Data()
        do {
            while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty, data.count <= mostBytes {
                data += piece
            }
        } catch {
            throw refused("can't be read; check that it is a file and no folder")
        }
        guard data.count <= mostBytes else { throw refused("is longer than \(mostBytes >> 20) MB; give less at once") }
        return data
    }

    private static let mostBytes = 64 << 20

    /// The content of a file that has to be JSON.
    private static func json(_ path: String) throws(ConfigurationFaults) -> Data {
        let data = try data(path)
        do throws(JSONSyntaxFault) {
            try JSONText.check(data)
        } catch {
            throw ConfigurationFaults([
                "\(shown(path)):\(error.line):\(error.column): error: it is not JSON: \(error.what)"
            ])
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
