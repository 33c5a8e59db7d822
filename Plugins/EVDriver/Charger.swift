import Foundation
import HubKit
import ProfileKit

/// One charger: reads its state and writes current limits.
///
/// A limit is written when it changes, when the charger was away, when it reads back another one, and as often as its
/// own watchdog needs; never at every poll.
actor Charger: Device {
    nonisolated let capabilities: DeviceCapabilities
    private let device: ProfiledDevice
    /// What the hub wants; kept because several chargers can't tell their limit.
    private var wantedAmps: Double?
    /// What the charger was last told and acknowledged.
    private var writtenAmps: Double?
    private var wantedPhases: Int?
    private var lastValues: [String: PointValue] = [:]
    private var lastFed: Date?

    init(_ device: ProfiledDevice) {
        self.device = device
        capabilities = device.capabilities
    }

    func run(_ reporter: DeviceReporter) async {
        await device.poll(reporter) { session in
            try await self.poll(session)
        }
    }

    private func poll(_ session: ProfileSession) async throws -> PollLoop.Result {
        let values: ProfileSession.Values
        do {
            values = try await session.read()
        } catch {
            // It may have restarted meanwhile and forgotten its limit.
            writtenAmps = nil
            throw error
        }
        let now = device.clock.now
        lastValues = values.points
        var reading = await session.reading(values, at: now)
        if let told = reading[.limitAmps] {
            if let written = writtenAmps, abs(told - written) > 0.5 { writtenAmps = nil }
        } else {
            reading[.limitAmps] = writtenAmps
        }
        return PollLoop.Result(reading, complaint: try await upkeep(session, at: now) ?? values.complaint)
    }

    /// Writes what the charger has to be told again; a write that it refuses does not make its readings worthless.
    /// - Returns: what went wrong.
    private func upkeep(_ session: ProfileSession, at now: Date) async throws -> String? {
        do {
            try await reassert(session)
            try await feedWatchdog(session, at: now)
            return nil
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return String(describing: error)
        }
    }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        let outcome: CommandReceipt.Outcome
        switch command {
        case .limitCurrent(let amps): outcome = try await limit(amps)
        case .usePhases(let count): outcome = try await usePhases(count)
        case .setSetpoint, .reduce: outcome = .refused(reason: "a charger takes current limits and phases only")
        }
        return CommandReceipt(command, at: device.clock.now, outcome: outcome)
    }

    private func limit(_ amps: Double) async throws -> CommandReceipt.Outcome {
        guard let range = capabilities.charger?.currentLimit else {
            return .refused(reason: "the profile \(device.profile.name) can't set a current")
        }
        guard amps.isFinite, amps >= 0 else { return .refused(reason: "a current is 0 or above") }
        guard amps == 0 || amps >= range.minimumAmps else {
            return .refused(reason: "no car charges below \(range.minimumAmps) A; use 0 to pause")
        }
        let settable = range.settable(amps)
        wantedAmps = settable
        guard writtenAmps != settable else { return .unchanged }
        try await write(settable, to: device.session())
        return .applied
    }

    private func write(_ amps: Double, to session: ProfileSession) async throws {
        let commands = session.profile.commands
        if amps == 0 {
            if commands[.pause] != nil { try await session.perform(.pause, values: lastValues) }
            else { try await session.perform(.current, argument: 0, values: lastValues) }
        } else {
            try await session.perform(.current, argument: amps, values: lastValues)
            if commands[.resume] != nil { try await session.perform(.resume, values: lastValues) }
        }
        writtenAmps = amps
        lastFed = device.clock.now
    }

    private func usePhases(_ count: Int) async throws -> CommandReceipt.Outcome {
        guard let charger = capabilities.charger, charger.phases.contains(count) else {
            return .refused(reason: "it can't charge on \(count) phases")
        }
        guard wantedPhases != count else { return .unchanged }
        let command: ProfileCommand = count == 1 ? .onePhase : .threePhases
        guard device.profile.commands[command] != nil else {
            wantedPhases = count
            return charger.phases == [count] ? .unchanged : .refused(reason: "its phases can't be switched by the hub")
        }
        guard writtenAmps == 0 else { return .refused(reason: "phases are switched only while charging is paused") }
        try await device.session().perform(command, values: lastValues)
        wantedPhases = count
        return .applied
    }

    /// Writes the wanted limit again when the charger lost it.
    private func reassert(_ session: ProfileSession) async throws {
        guard let wantedAmps, writtenAmps == nil else { return }
        try await write(wantedAmps, to: session)
    }

    /// Feeds the fail-safe watchdog where the charger has one switched on (D-8); it is never switched on here.
    private func feedWatchdog(_ session: ProfileSession, at now: Date) async throws {
        guard device.configuration.feedsWatchdog, let watchdog = session.profile.watchdog, let wantedAmps else { return }
        let period = watchdog.periodPoint.flatMap { lastValues[$0]?.number } ?? watchdog.fixedSeconds ?? 0
        guard period > 0, now.timeIntervalSince(lastFed ?? .distantPast) >= period * watchdog.share else { return }
        if watchdog.feed.isEmpty { return try await write(wantedAmps, to: session) }
        try await session.perform(watchdog.feed, values: lastValues)
        lastFed = now
    }

    func inspect() async throws -> [InspectedPoint] { try await device.session().inspect() }
}
