import Foundation
import HubKit
import ProfileKit

/// `offpeak replay`: a virtual device that answers from a recording.
enum ReplayCommand {
    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "replay")
        let path = try given.only("FILE")
        let port = UInt16(try given.whole("port", in: 0...65535) ?? 0)
        let speed = try given.number("speed", in: 0.01...1000) ?? 1
        let recording = try read(path).named(given["topic"] ?? "replayed")
        let share = try Share.find(given["share"]).with(.profiles)
        let library = ProfileLibrary(roots: [share.profiles])
        let head = recording.head
        guard let profile = try library.profile(head.profile, options: head.options) else {
            throw HubError(
                .configuration,
                "the recording is of the profile '\(head.profile)', which is not known here; name its folder with --share"
            )
        }
        let signals = Signals()
        let device = try await device(recording, profile, given, port)
        let lines = DeviceLines(
            id: "replayed", profile: profile, options: head.options,
            role: head.role.flatMap { MeterRole(rawValue: $0) },
            maximumAmps: head.maximumAmps, maximumWatts: head.maximumWatts, connection: await device.connection,
            parameters: head.parameters ?? [:])
        Console.out("devices:")
        for line in lines.lines { Console.out("  " + line) }
        Console.error("answering from \(path) until Ctrl-C")
        let replaying = Task { try await device.run(speed: speed) }
        await signals.untilAsked {}
        replaying.cancel()
        return .success
    }

    private static func read(_ path: String) throws -> DeviceRecording {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Arguments.Misuse(description: "\(path) can't be read: \(plainWords(of: error))")
        }
        do {
            return try DeviceRecording(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            let parts = error.what.split(separator: ";", maxSplits: 1)
            throw ConfigurationFaults([
                "\(path):\(error.line):1: error: \(parts[0]);" + (parts.count == 2 ? parts[1] : "")
            ])
        }
    }

    private static func device(
        _ recording: DeviceRecording, _ profile: DeviceProfile, _ given: Arguments, _ port: UInt16
    ) async throws -> any ReplayedDevice {
        switch profile.link {
        case .modbus: return try ReplayedRegisters(recording, port: port)
        case .http: return try await ReplayedAnswers(recording, profile, port: port)
        case .mqtt(let topics):
            guard let broker = given["broker"] else {
                throw Arguments.Misuse(description: "the device speaks at a broker; name one with --broker HOST:PORT")
            }
            let parts = broker.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let number = parts.count == 2 ? UInt16(parts[1]) : 1883
            guard let number, number > 0, HostName.fault(parts[0]) == nil else {
                throw Arguments.Misuse(description: "--broker is HOST or HOST:PORT, not '\(broker)'")
            }
            let topic = given["topic"] ?? topics.topic ?? "replayed"
            return try await ReplayedMessages(recording, host: parts[0], port: number, topic: topic)
        }
    }
}
