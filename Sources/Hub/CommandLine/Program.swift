import EnergyKit
import Foundation
import Guidance
import HubKit
import Planning

/// The program `offpeak`: one subcommand each call.
package enum Program {
    /// Runs a subcommand.
    /// - Parameter arguments: everything after the program's name.
    /// - Returns: the exit status.
    package static func run(_ arguments: [String]) async -> ExitStatus {
        // A reader that went away, such as head, ends the writing and not the program.
        signal(SIGPIPE, SIG_IGN)
        let name = arguments.first ?? "help"
        let status = await run(name, Array(arguments.dropFirst()))
        var ending = status
        if let reason = Console.lostAnswer {
            Console.error("offpeak \(name): the answer could not be written: \(reason)")
            ending = status == .success ? .failure : status
        }
        // The clean-up of a usual end would take the ground from under a solver's thread.
        if Planner.isStillSearching { _exit(ending.rawValue) }
        return ending
    }

    private static func run(_ name: String, _ rest: [String]) async -> ExitStatus {
        if let asked = askedHelp(name, rest) { return asked }
        do {
            return try await dispatch(name, rest)
        } catch let misuse as Arguments.Misuse {
            let isKnown = Help.command(name) != nil
            Console.error(
                isKnown
                    ? "offpeak \(name): \(misuse); 'offpeak \(name) --help' shows how it is used"
                    : "offpeak: \(misuse)")
            return .usage
        } catch let faults as ConfigurationFaults {
            for line in faults.lines { Console.error(line) }
            return .usage
        } catch let error as HubError {
            Console.error("offpeak \(name): \(error.message)")
            return error.exitStatus
        } catch let error as HubClientError {
            Console.error("offpeak \(name): \(error.description)")
            return error.exitStatus
        } catch {
            Console.error("offpeak \(name): \(plainWords(of: error))")
            return (error as? any RetryableError)?.retryClass == .transient ? .tryLater : .failure
        }
    }

    /// Says what `offpeak help`, `offpeak help X` and `offpeak X --help` ask for; nil where nothing of it was asked.
    private static func askedHelp(_ name: String, _ rest: [String]) -> ExitStatus? {
        let signs = ["--help", "-h"]
        let isHelp = name == "help" || signs.contains(name)
        guard isHelp || rest.contains(where: signs.contains) else { return nil }
        guard let topic = isHelp ? rest.first(where: { !signs.contains($0) }) : name else {
            Console.out(Help.overview)
            return .success
        }
        guard let command = Help.command(topic) else {
            Console.error("offpeak: there is no subcommand '\(topic)'; \(Help.hint(for: topic))")
            return .usage
        }
        Console.out(command.text)
        return .success
    }

    private static func dispatch(_ name: String, _ arguments: [String]) async throws -> ExitStatus {
        switch name {
        case "run": return try await ServerCommands.run(arguments)
        case "demo": return try await ServerCommands.demo(arguments)
        case "check": return try CheckCommand.run(arguments)
        case "drivers": return try CheckCommands.drivers(arguments)
        case "profiles": return try CheckCommands.profiles(arguments)
        case "probe": return try await ProbeCommand.run(arguments)
        case "read": return try await DeviceCommands.read(arguments)
        case "record": return try await RecordCommand.run(arguments)
        case "replay": return try await ReplayCommand.run(arguments)
        case "report": return try await ReportCommand.run(arguments)
        case "venues": return try await ClientCommands.venues(arguments)
        case "guidance": return try await ClientCommands.guidance(arguments)
        case "what-if": return try await WhatIfCommand.run(arguments)
        case "events": return try await ClientCommands.events(arguments)
        case "outbox": return try await OutboxCommands.outbox(arguments)
        case "collect": return try await CollectCommand.run(arguments)
        case "plan": return try await FileCommands.plan(arguments)
        case "rate": return try FileCommands.rate(arguments)
        case "import": return try ImportCommand.run(arguments)
        case "sources": return try await SourceCommands.sources(arguments)
        case "token": return try await CredentialCommands.token(arguments)
        case "backup": return try await CredentialCommands.backup(arguments)
        case "version", "--version", "-V":
            try Arguments(arguments, options: []).none()
            Console.out("offpeak \(Version.number)")
            return .success
        default:
            let what = name.hasPrefix("-") ? "\(name) is not known here" : "there is no subcommand '\(name)'"
            throw Arguments.Misuse(description: "\(what); \(Help.hint(for: name))")
        }
    }
}

/// The version of the program.
package enum Version {
    /// By semantic versioning.
    package static let number = "0.1.0"
}
