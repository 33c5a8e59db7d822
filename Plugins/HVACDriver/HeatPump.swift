import Foundation
import HubKit
import ProfileKit

/// One heat pump: reads temperatures, mode and power, puts it into load states, and tells it setpoints, surplus and limits.
///
/// Between two load states other than normal it always passes through normal, since both contacts together mean "forced
/// on" (D-9). A state lasts at least the profile's dwell time, and is written again only as often as the device forgets
/// it. Only a release and a lock from outside are not held up: without the hub nobody would end a reduction.
actor HeatPump: Device {
    nonisolated let capabilities: DeviceCapabilities
    let device: ProfiledDevice
    /// The state the device was told and acknowledged; unknown before, and while it is being written.
    var state: ReduceState?
    var changedAt: Date?
    var writtenAt: Date?
    var writtenSetpoint: Double?
    var setpointWrittenAt: Date?
    /// What the device told of its setpoint since it was last written; unknown while it is away.
    var toldSetpoint: Double?
    var setpointWrites = 0
    /// What the device told when its setpoint was written, and whether it has told the new one since.
    var setpointBefore: Double?
    var hasTakenSetpoint = true
    var setpointDisagreement = Disagreement(first: 60)
    /// Whether the device has told its load state since that was written.
    var hasTakenState = true
    /// What it was told beside load state and setpoint.
    var orders: [DeviceCommand.Slot: StandingOrder] = [:]
    /// When its step of power last rose.
    var stageRoseAt: Date?
    let turn = Turn()
    private var wasAway = false
    /// Whether the device has what comes before the first command.
    private var isPrepared = false
    var disagreement = Disagreement(first: 60)
    var stageDisagreement = Disagreement(first: 60)
    var lastValues: [String: PointValue] = [:]

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
        let ordersBefore = orders
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
            let full = capabilities.hvac?.fullPowerWatts
        {
            reading.samples[.stagePercent] = Sample(min(100, max(0, watts / full * 100)), at: now, quality: .estimated)
        }
        if let told = reading.samples[.setpointCelsius], setpointsBefore == setpointWrites,
            Echo.isAnswer(told, to: setpointWrittenAt, session.profile, at: now)
        {
            toldSetpoint = told.value
            await compare(told.value, session, at: now)
        }
        let cameBack = wasAway
        wasAway = false
        let isLost =
            writtenBefore == writtenAt && isForgotten(reading.reduce, session, cameBack: cameBack, at: now)
        reading.reduce = reading.reduce ?? state
        var failure = isLost ? await reassert(session) : nil
        if ordersBefore == orders, let other = await repeatOrders(session, reading, cameBack: cameBack, at: now) {
            failure = failure ?? other
        }
        return PollLoop.Result(reading, complaint: result.complaint ?? failure)
    }

    /// Writes a setpoint again that the device acknowledged and did not take; one that it took and has no more was turned
    /// by somebody, which stands until the hub wants something again.
    private func compare(_ told: Double, _ session: ProfileSession, at now: Date) async {
        guard let written = writtenSetpoint else { return }
        if abs(told - written) <= 0.1 {
            hasTakenSetpoint = true
        } else if !hasTakenSetpoint, let setpointBefore, abs(told - setpointBefore) <= 0.05 {
            guard setpointDisagreement.isDue(false, at: now) else { return }
            setpointWrites += 1
            setpointWrittenAt = now
            // One that fails is tried again when it is due; the next reading says what is wrong.
            try? await session.perform(.setpoint, argument: written, values: lastValues)
        } else {
            writtenSetpoint = nil
        }
    }

    /// Whether the device no longer has its load state: by time, by its own word, or because it was away.
    private func isForgotten(
        _ told: ReduceState?, _ session: ProfileSession, cameBack: Bool, at now: Date
    ) -> Bool {
        guard let state, let writtenAt else { return false }
        if told == state { hasTakenState = true }
        if state == .normal {
            // What runs as usual needs no repeat, but for a pump that never took that word: nobody else would tell it.
            guard let told, !hasTakenState, now.timeIntervalSince(writtenAt) >= 30 else { return false }
            return disagreement.isDue(told == state, at: now)
        }
        if let seconds = session.profile.hvac?.reassertSeconds {
            return now.timeIntervalSince(writtenAt) >= seconds || now < writtenAt
        }
        guard let told else { return cameBack }
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

    /// Tells the device once what it needs to know before any command.
    func prepare(_ session: ProfileSession) async throws {
        guard !isPrepared else { return }
        if session.profile.commands[.prepare] != nil { try await session.perform(.prepare, values: lastValues) }
        isPrepared = true
    }
}
