import Foundation
import HubKit
import ProfileKit

/// `offpeak record`: a device's real traffic into a file.
///
/// It only reads the device.
enum RecordCommand {
    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "record")
        let (name, path) = try names(given)
        let seconds = try given.number("seconds", in: 0...86_400) ?? 60
        let file = try RecordingFile(path)
        let lone: LoneDevice
        do {
            lone = try await LoneDevice(name, given, traffic: TrafficTap { file.take($0) })
        } catch {
            file.discard()
            throw error
        }
        guard let profile = lone.profile else {
            file.discard()
            await lone.close()
            throw HubError(
                .configuration,
                "'\(name)' has no profile, and only devices of profiles are recorded; 'offpeak read \(name)' shows its values"
            )
        }
        let clock = SystemClock()
        file.begin(
            DeviceRecording.Head(lone.configuration, profile, began: clock.now, program: Version.number),
            TrafficCleaner(of: lone.configuration, profile))
        let readings = try await read(lone, for: seconds, every: lone.configuration.pollSeconds ?? profile.pollSeconds)
        await lone.close()
        Console.error(
            "\(path) holds \(try file.finish()) exchanges of \(readings) readings; logins are not in it, look it over before you give it away"
        )
        return .success
    }

    private static func names(_ given: Arguments) throws(Arguments.Misuse) -> (device: String, file: String) {
        guard given.rest.count == 2, !given.rest[0].isEmpty, !given.rest[1].isEmpty else {
            throw Arguments.Misuse(description: "it needs a DEVICE and a FILE, and nothing else")
        }
        return (given.rest[0], given.rest[1])
    }

    /// Reads a device at its own pace.
    /// - Returns: how many readings there were.
    /// - Throws: why there was none at all.
    private static func read(_ lone: LoneDevice, for seconds: Double, every pause: Double) async throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        var failure: (any Error)?
        while true {
            let next = ContinuousClock.now + .seconds(max(pause, 0.1))
            do {
                _ = try await lone.inspect()
                count += 1
            } catch {
                if failure == nil { Console.error("a reading failed: \(plainWords(of: error))") }
                failure = error
            }
            guard next <= end else { break }
            try await Task.sleep(until: next, clock: .continuous)
        }
        if count == 0, let failure { throw failure }
        return count
    }
}
