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
    /// What the charger was last told and acknowledged; unknown while it is being written.
    private var writtenAmps: Double?
    private var writtenAt: Date?
    private var wantedPhases: Int?
    private let turn = Turn()
    /// Counts writes, so that a value read before one is not taken for the answer to it.
    private var writeCount = 0
    private var disagreement = Disagreement()
    private var lastValues: [String: PointValue] = [:]
    private var isAnswering = false
    private var lastFed: Date?
    /// Whether the charger has what comes before the first command.
    private var isPrepared = false

    init(_ device: ProfiledDevice) {
        self.device = device
        capabilities = device.capabilities
    }

    func run(_ reporter: DeviceReporter) async {
        async let _: Void = feedWatchdogInTime()
        await device.poll(reporter) { session in
            try await self.poll(session)
        }
    }

    func inspect() async throws -> [InspectedPoint] { try await device.session().inspect() }
}

// MARK: - Reading

extension Charger {
    private func poll(_ session: ProfileSession) async throws -> PollLoop.Result {
        let values: ProfileSession.Values
        let writesBefore = writeCount
        do {
            values = try await session.read()
        } catch {
            forgetWhatItWasTold()
            throw error
        }
        let now = device.clock.now
        isAnswering = true
        lastValues = values.points
        var result = await session.result(values, at: now)
        if writesBefore == writeCount { compare(result.reading, at: now) }
        if result.reading[.limitAmps] == nil { result.reading[.limitAmps] = writtenAmps }
        let failure = await reassert(session)
        result.complaint = result.complaint ?? failure
        return result
    }

    /// It may have restarted meanwhile and forgotten its limit and its phases.
    private func forgetWhatItWasTold() {
        isAnswering = false
        isPrepared = false
        writtenAmps = nil
        wantedPhases = nil
    }

    /// Notes when the charger says something else than it was told.
    private func compare(_ reading: DeviceReading, at now: Date) {
        if let told = reading.samples[.limitAmps], let written = writtenAmps,
            Echo.isAnswer(told, to: writtenAt, device.profile, at: now)
        {
            let isSame = abs(told.value - written) <= 0.5
            if disagreement.isDue(isSame, at: now) { writtenAmps = nil }
        }
        if let phases = reading[.phaseCount], let wantedPhases, phases != Double(wantedPhases) {
            self.wantedPhases = nil
        }
    }

    /// Writes the wanted limit again when the charger lost it.
    /// - Returns: why that did not work; the reading counts all the same.
    private func reassert(_ session: ProfileSession) async -> String? {
        guard let wantedAmps, writtenAmps == nil else { return nil }
        do {
            try await write(to: session)
            return nil
        } catch {
            return "the limit of \(wantedAmps) A could not be written again: \(plainWords(of: error))"
        }
    }
}

// MARK: - Commands

extension Charger {
    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        let outcome: CommandReceipt.Outcome
        switch command {
        case .limitCurrent(let amps): outcome = try await limit(amps)
        case .usePhases(let count): outcome = try await usePhases(count)
        case .setSetpoint, .shiftSetpoint, .offerSurplus, .limitPower, .reduce, .lock, .release, .battery:
            outcome = .refused(reason: "a charger takes current limits and phases only")
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
        disagreement = Disagreement()
        try await write(to: device.session())
        return .applied
    }

    /// Writes what the hub wants by the time it is this write's turn; nothing where the charger has it by then.
    private func write(to session: ProfileSession, evenIfKnown: Bool = false) async throws {
        await turn.take()
        defer { turn.give() }
        guard let amps = wantedAmps, evenIfKnown || writtenAmps != amps else { return }
        // Until it is acknowledged nobody knows what the charger has.
        writtenAmps = nil
        defer { writeCount += 1 }
        try await prepare(session)
        let commands = session.profile.commands
        if amps > 0 {
            try await session.perform(.current, argument: amps, values: lastValues)
            if commands[.resume] != nil { try await session.perform(.resume, values: lastValues) }
        } else if commands[.pause] != nil {
            try await session.perform(.pause, values: lastValues)
        } else {
            try await session.perform(.current, argument: 0, values: lastValues)
        }
        writtenAmps = amps
        writtenAt = device.clock.now
        if let watchdog = session.profile.watchdog, watchdog.feed.isEmpty, !watchdog.isFedByReading {
            lastFed = device.clock.now
        }
    }

    /// Tells the charger once what it needs to know before any command.
    private func prepare(_ session: ProfileSession) async throws {
        guard !isPrepared else { return }
        if session.profile.commands[.prepare] != nil { try await session.perform(.prepare, values: lastValues) }
        isPrepared = true
    }

    private func usePhases(_ count: Int) async throws -> CommandReceipt.Outcome {
        guard let charger = capabilities.charger, charger.phases.contains(count) else {
            return .refused(reason: "it can't charge on \(count) phases")
        }
        guard wantedPhases != count else { return .unchanged }
        guard let command = Charger.command(forPhases: count), device.profile.commands[command] != nil else {
            return charger.phases == [count] ? .unchanged : .refused(reason: "its phases can't be switched by the hub")
        }
        await turn.take()
        defer { turn.give() }
        guard writtenAmps == 0, wantedAmps == 0 else {
            return .refused(reason: "phases are switched only while charging is paused")
        }
        let session = try await device.session()
        try await prepare(session)
        try await session.perform(command, values: lastValues)
        writeCount += 1
        wantedPhases = count
        return .applied
    }

    private static func command(forPhases count: Int) -> ProfileCommand? {
        switch count {
        case 1: .onePhase
        case 3: .threePhases
        default: nil
        }
    }
}

// MARK: - The charger's own watchdog

extension Charger {
    /// Feeds the fail-safe watchdog where the charger has one switched on (D-8); it is never switched on here.
    ///
    /// Apart from the poll loop, because the watchdog's period has nothing to do with the pace of reading.
    private func feedWatchdogInTime() async {
        guard device.configuration.feedsWatchdog, let watchdog = device.profile.watchdog else { return }
        let pollSeconds = device.configuration.pollSeconds ?? device.profile.pollSeconds
        while !Task.isCancelled {
            // Some are short: the first limit must be fed within their pace, not only at the next reading.
            let pause = min(pollSeconds, 10, self.pause(of: watchdog) ?? pollSeconds)
            let due = await feed(watchdog) ?? device.clock.now.addingTimeInterval(pause)
            guard (try? await device.clock.sleep(until: due)) != nil else { return }
        }
    }

    /// Feeds the watchdog when that is due.
    /// - Returns: when to look again; nothing while it is off, the charger is away, or the hub wants nothing of it.
    private func feed(_ watchdog: ProfileWatchdog) async -> Date? {
        guard isAnswering, wantedAmps != nil, let share = pause(of: watchdog) else { return nil }
        let now = device.clock.now
        // A clock that was set back must not leave the watchdog hungry.
        if let lastFed, lastFed <= now, lastFed.addingTimeInterval(share) > now {
            return lastFed.addingTimeInterval(share)
        }
        lastFed = now
        do {
            let session = try await device.session()
            if watchdog.isFedByReading {
                try await session.touch()
            } else if watchdog.feed.isEmpty {
                try await write(to: session, evenIfKnown: true)
            } else {
                try await session.perform(watchdog.feed, values: lastValues)
            }
        } catch {
            // The next reading tells what is wrong; the watchdog is fed again soon.
            lastFed = nil
            return nil
        }
        return now.addingTimeInterval(share)
    }

    /// Seconds between two times of feeding; nothing while the watchdog is off.
    private func pause(of watchdog: ProfileWatchdog) -> Double? {
        let seconds = watchdog.periodPoint.flatMap { lastValues[$0]?.number } ?? watchdog.fixedSeconds
        guard let seconds else { return watchdog.everySeconds }
        guard seconds > 0 else { return nil }
        let share = max(1, seconds * watchdog.share)
        return watchdog.everySeconds.map { min($0, share) } ?? share
    }
}
