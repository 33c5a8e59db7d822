import EnergyKit
import Foundation
import Guidance
import HubKit
import Planning

/// How a program ended, as its exit status says it.
package enum ExitStatus: Int32, Sendable {
    case success = 0
    /// It failed while it ran.
    case failure = 1
    /// Wrong usage or configuration.
    case usage = 2
    /// A permanent refusal.
    case refused = 3
    /// Try again later.
    case tryLater = 75
}

/// The program `offpeak`: one subcommand each call.
package enum Program {
    /// Runs a subcommand.
    /// - Parameter arguments: everything after the program's name.
    /// - Returns: the exit status.
    package static func run(_ arguments: [String]) async -> ExitStatus {
        // A reader that went away, such as head, ends the writing and not the program.
        signal(SIGPIPE, SIG_IGN)
        let name = arguments.first ?? "help"
        let rest = Array(arguments.dropFirst())
        if rest.contains("--help") || rest.contains("-h"), let help = Help.commands.first(where: { $0.name == name }) {
            Console.out(help.text)
            return .success
        }
        do {
            return try await dispatch(name, rest)
        } catch let misuse as Arguments.Misuse {
            Console.error("offpeak \(name): \(misuse); 'offpeak \(name) --help' shows how it is used")
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
            Console.error("offpeak \(name): \(error)")
            return (error as? any RetryableError)?.retryClass == .transient ? .tryLater : .failure
        }
    }

    private static func dispatch(_ name: String, _ arguments: [String]) async throws -> ExitStatus {
        switch name {
        case "run": return try await ServerCommands.run(arguments)
        case "demo": return try await ServerCommands.demo(arguments)
        case "check": return try CheckCommand.run(arguments)
        case "drivers": return try CheckCommands.drivers(arguments)
        case "profiles": return try CheckCommands.profiles(arguments)
        case "read": return try await DeviceCommands.read(arguments)
        case "venues": return try await ClientCommands.venues(arguments)
        case "guidance": return try await ClientCommands.guidance(arguments)
        case "events": return try await ClientCommands.events(arguments)
        case "outbox": return try await OutboxCommands.outbox(arguments)
        case "plan": return try await FileCommands.plan(arguments)
        case "rate": return try FileCommands.rate(arguments)
        case "import": return try ImportCommand.run(arguments)
        case "sources": return try await SourceCommands.sources(arguments)
        case "token": return try await CredentialCommands.token(arguments)
        case "backup": return try await CredentialCommands.backup(arguments)
        case "version", "--version":
            Console.out("offpeak \(Version.number)")
            return .success
        case "help", "--help", "-h":
            Console.out(Help.overview)
            return .success
        default:
            Console.error("offpeak: there is no subcommand '\(name)'")
            Console.error(Help.overview)
            return .usage
        }
    }
}

/// The version of the program.
package enum Version {
    /// By semantic versioning.
    package static let number = "0.1.0"
}

extension HubError {
    /// The exit status that fits the error.
    var exitStatus: ExitStatus {
        switch code {
        case .configuration, .profile: .usage
        case .refused: .refused
        case .inUse: .tryLater
        case .connection, .device, .storage, .guidance, .notFound: retryClass == .transient ? .tryLater : .failure
        }
    }
}
