import Foundation
import HubKit
import YAML

/// The subcommand `check`: all that is wrong with a configuration, or else what the house is.
enum CheckCommand {
    private struct FaultJSON: Encodable {
        var file: String
        var line: Int
        var column: Int
        var severity: String
        var path: String
        var message: String
        var remedy: String?

        init(_ fault: YAMLError) {
            file = fault.file
            line = fault.line
            column = fault.column
            severity = fault.severity.rawValue
            path = fault.path
            message = fault.message
            remedy = fault.hint
        }
    }

    private struct AnswerJSON: Encodable {
        var faults: [FaultJSON]
        var warnings: [FaultJSON]
    }

    static func run(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "check")
        let file = URL(fileURLWithPath: try given.only("FILE"))
        let checked = try ConfigurationCheck.run(file, share: Share.find(given["share"]).with(.profiles))
        if given.has("json") {
            let answer = AnswerJSON(
                faults: checked.faults.map { FaultJSON($0) }, warnings: checked.warnings.map { FaultJSON($0) })
            try Console.json(answer, with: JSONEncoder())
            return checked.faults.isEmpty ? .success : .usage
        }
        let configuration = try checked.sound()
        for warning in checked.warnings { Console.error(warning.description) }
        let count = checked.warnings.count
        let odd = count == 0 ? "" : ", \(count) warning\(count == 1 ? "" : "s")"
        Console.out("\(file.path): no fault\(odd)")
        HouseSummary(configuration: configuration, profiles: checked.profiles).lines.forEach(Console.out)
        return .success
    }
}
