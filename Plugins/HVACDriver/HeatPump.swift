import Foundation
import HubKit
import ProfileKit

/// One heat pump: reads temperatures, mode and power, and puts it into the load states normal, reduced and boosted.
///
/// Between reduced and boosted it always passes through normal, since both contacts together mean "forced on" (D-9). A
/// state lasts at least the profile's dwell time, and is written again only as often as the device forgets it. Only a
/// release is not held up: without the hub nobody would end a reduction.
actor HeatPump: Device {
    nonisolated let capabilities: DeviceCapabilities
    private let device: ProfiledDevice
    /// The state the device was told and acknowledged; unknown before, and while it is being written.
    private var state: ReduceState?
    private var changedAt: Date?
    private var writtenAt: Date?
    private var writtenSetpoint: Double?
    private var setpointWrittenAt: Date?
    /// What the device told of its setpoint since it was last written; unknown while it is away.
    private var toldSetpoint: Double?
    private var setpointWrites = 0
    private let turn = Turn()
    private var wasAway = false
    /// Whether the device has what comes before the first command.
    private var isPrepared = false
    private var disagreement = Disagreement(first: 60)
    private var lastValues: [String: PointValue] = [:]

    init(_ device: ProfiledDevice) {
        self.device = device
        capabilities = device.capabilities
    }

    func run(_ reporter: DeviceReporter) async {
        await device.poll(reporter) { session in
            try await self.poll(session)
        }
    }

    func inspect() async throws -> [InspectedPoint] { try await device.session().inspect() }
}

// MARK: - Reading

extension HeatPump {
    private func poll(_ session: ProfileSession) async throws -> PollLoop.Result {
        let writtenBefore = writtenAt
        let setpointsBefore = setpointWrites
        let values: ProfileSession.Values
        do {
            values = try await session.read()
        } catch {
            wasAway = true
            isPrepared = false
            writtenSetpoint = nil
            toldSetpoint = nil
            throw error
        }
        let now = device.clock.now
        lastValues = values.points
        let result = await session.result(values, at: now)
        var reading = result.reading
        if reading[.stagePercent] == nil, let watts = reading.powerWatts,
            let full = session.profile.hvac?.fullPowerWatts
        {
            reading.samples[.stagePercent] = Sample(min(100, max(0, watts / full * 100)), at: now, quality: .estimated)
        }
        if let told = reading.samples[.setpointCelsius], setpointsBefore == setpointWrites,
            Echo.isAnswer(told, to: setpointWrittenAt, session.profile, at: now)
        {
            toldSetpoint = told.value
            // Somebody turned it at the pump: that stands until the hub wants something again.
            if let written = writtenSetpoint, abs(told.value - written) > 0.1 { writtenSetpoint = nil }
        }
        let isLost = writtenBefore == writtenAt && isForgotten(reading.reduce, session, at: now)
        reading.reduce = reading.reduce ?? state
        let failure = isLost ? await reassert(session) : nil
        return PollLoop.Result(reading, complaint: result.complaint ?? failure)
    }

    /// Whether the device no longer has its load state: by time, by its own word, or because it was away.
    private func isForgotten(_ told: ReduceState?, _ session: ProfileSession, at now: Date) -> Bool {
        defer { wasAway = false }
        guard let state, let writtenAt, state != .normal else { return false }
        if let seconds = session.profile.hvac?.reassertSeconds {
            return now.timeIntervalSince(writtenAt) >= seconds || now < writtenAt
        }
        guard let told else { return wasAway }
        // A pump takes a while to show a new state.
        guard now.timeIntervalSince(writtenAt) >= 30 else { return false }
        return disagreement.isDue(told == state, at: now)
    }

    /// Writes the load state again.
    /// - Returns: why that did not work; the reading counts all the same.
    private func reassert(_ session: ProfileSession) async -> String? {
        await turn.take()
        defer { turn.give() }
        guard let state else { return nil }
        do {
            try await prepare(session)
            try await session.perform(HeatPump.command(for: state), values: lastValues)
            writtenAt = device.clock.now
            return nil
        } catch {
            return "the load state \(state.rawValue) could not be written again: \(plainWords(of: error))"
        }
    }
}

// MARK: - Commands

extension HeatPump {
    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        let outcome: CommandReceipt.Outcome
        switch command {
        case .reduce(let wanted): outcome = try await change(to: wanted)
        case .release: outcome = try await change(to: .normal, isRelease: true)
        case .setSetpoint(let celsius): outcome = try await set(celsius)
        case .limitCurrent, .usePhases, .battery:
            outcome = .refused(reason: "a heat pump takes load states and setpoints only")
        }
        return CommandReceipt(command, at: device.clock.now, outcome: outcome)
    }

    private func change(to wanted: ReduceState, isRelease: Bool = false) async throws -> CommandReceipt.Outcome {
        guard wanted == .normal || capabilities.hvac?.reduce.contains(wanted) == true,
            device.profile.commands[.reduceNormal] != nil
        else { return .refused(reason: "the profile \(device.profile.name) can't do '\(wanted.rawValue)'") }
        guard state != wanted else { return .unchanged }
        let now = device.clock.now
        let dwell = device.profile.hvac?.minimumDwellSeconds ?? 0
        if !isRelease, let changedAt, (0..<dwell).contains(now.timeIntervalSince(changedAt)) {
            return .deferred(
                until: changedAt.addingTimeInterval(dwell), reason: "each state lasts at least \(Int(dwell / 60)) min")
        }
        // The first word to the device at start is no change of its state that would have to dwell.
        let isChange = state != nil || wanted != .normal
        try await write(wanted, to: device.session())
        if isChange { changedAt = now }
        return .applied
    }

    private func write(_ wanted: ReduceState, to session: ProfileSession) async throws {
        await turn.take()
        defer { turn.give() }
        let passesThroughNormal = wanted != .normal && state != .normal
        // Until it is acknowledged nobody knows what the device has.
        state = nil
        try await prepare(session)
        if passesThroughNormal { try await session.perform(.reduceNormal, values: lastValues) }
        let wantedCommand = HeatPump.command(for: wanted)
        try await session.perform(
            wantedCommand, values: try await session.values(for: wantedCommand, known: lastValues))
        state = wanted
        writtenAt = device.clock.now
        disagreement = Disagreement(first: 60)
    }

    private func set(_ celsius: Double) async throws -> CommandReceipt.Outcome {
        guard let range = capabilities.hvac?.setpointCelsius else {
            return .refused(reason: "the profile \(device.profile.name) can't set a temperature")
        }
        guard range.contains(celsius) else {
            return .refused(reason: "it takes \(range.lowerBound) to \(range.upperBound) °C, not \(celsius)")
        }
        guard writtenSetpoint != celsius else { return .unchanged }
        // What stands at the device since before the hub's start need not be written into its memory again.
        if writtenSetpoint == nil, let toldSetpoint, abs(toldSetpoint - celsius) <= 0.05 {
            writtenSetpoint = celsius
            return .unchanged
        }
        writtenSetpoint = nil
        toldSetpoint = nil
        setpointWrites += 1
        // A write that fails may have been taken all the same.
        setpointWrittenAt = device.clock.now
        let session = try await device.session()
        try await prepare(session)
        try await session.perform(.setpoint, argument: celsius, values: lastValues)
        writtenSetpoint = celsius
        setpointWrittenAt = device.clock.now
        return .applied
    }

    /// Tells the device once what it needs to know before any command.
    private func prepare(_ session: ProfileSession) async throws {
        guard !isPrepared else { return }
        if session.profile.commands[.prepare] != nil { try await session.perform(.prepare, values: lastValues) }
        isPrepared = true
    }

    private static func command(for state: ReduceState) -> ProfileCommand {
        switch state {
        case .normal: .reduceNormal
        case .reduced: .reduceReduced
        case .boosted: .reduceBoosted
        }
    }
}
