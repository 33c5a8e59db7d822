import EnergyKit
import Foundation
import HubKit
import YAML

/// The subcommands that run a hub.
enum ServerCommands {
    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, options: ["config", "share", "log"])
        try given.none()
        OpenFiles.keepBelowSelectLimit()
        let file = URL(fileURLWithPath: given["config"] ?? "/etc/offpeak/offpeak.yaml")
        let log = HubLog.standardError(minimum: try level(given, .info), forJournal: isUnderJournal)
        let share = Share.find(given["share"])
        // A hub without shipped profiles may still have a use for its owner's.
        do throws(HubError) { _ = try share.with(.profiles) } catch { log.warning(error.message) }
        let checked = try ConfigurationCheck.run(file, share: share)
        let configuration = try await checked.usableWithKeptSeries()
        for fault in checked.faults { log.error(fault.description) }
        for warning in checked.warnings { log.warning(warning.description) }
        let signals = Signals()
        var options = HubOptions(share: share, clock: SystemClock(), log: log)
        options.profiles = checked.profiles
        let runtime = try await HubRuntime(configuration, options: options)
        EnergyKitSystem.bootstrap(runtime.energyKit)
        await runtime.start()
        await signals.untilAsked { log.notice("stopping; asked again, the hub ends at once") }
        await runtime.stop()
        return .success
    }

    static func demo(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "demo")
        try given.none()
        OpenFiles.keepBelowSelectLimit()
        let log = HubLog.standardError(minimum: try level(given, .notice), forJournal: false)
        let options = try DemoOptions(given)
        let signals = Signals()
        let demo = try await Demo(options, share: try Share.find(given["share"]).with(.demo).with(.profiles), log: log)
        EnergyKitSystem.bootstrap(demo.energyKit)
        await demo.start()
        await demo.sayWhereItIs()
        await signals.untilAsked { log.notice("stopping the demo") }
        await demo.stop()
        return .success
    }

    private static func level(_ given: Arguments, _ standard: LogLevel) throws(Arguments.Misuse) -> LogLevel {
        guard let name = given["log"] else { return standard }
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else {
            throw Arguments.Misuse(description: "--log is debug, info, notice, warning or error, not '\(name)'")
        }
        return level
    }

    private static var isUnderJournal: Bool { ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil }
}
