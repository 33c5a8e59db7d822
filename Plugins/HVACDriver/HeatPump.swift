import Foundation
import HubKit
import ProfileKit

/// One heat pump: reads temperatures, mode and power, and puts it into the load states normal, reduced and boosted.
///
/// Between reduced and boosted it always passes through normal, since both contacts together mean "forced on" (D-9). A
/// state lasts at least the profile's dwell time, and is written again only as often as the device forgets it.
actor HeatPump: Device {
    nonisolated let capabilities: DeviceCapabilities
    private let device: ProfiledDevice
    private var state: ReduceState?
    private var changedAt: Date?
    private var writtenAt: Date?
    private var writtenSetpoint: Double?
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

    private func poll(_ session: ProfileSession) async throws -> PollLoop.Result {
        let values = try await session.read()
        let now = device.clock.now
        lastValues = values.points
        var reading = await session.reading(values, at: now)
        if reading[.stagePercent] == nil, let watts = reading.powerWatts, let full = session.profile.hvac?.fullPowerWatts {
            reading.samples[.stagePercent] = Sample(min(100, max(0, watts / full * 100)), at: now, quality: .estimated)
        }
        reading.reduce = reading.reduce ?? state
        var complaint = values.complaint
        do {
            try await reassert(session, at: now)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // A write that it refuses does not make its readings worthless.
            complaint = String(describing: error)
        }
        return PollLoop.Result(reading, complaint: complaint)
    }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        let outcome: CommandReceipt.Outcome
        switch command {
        case .reduce(let wanted): outcome = try await change(to: wanted)
        case .setSetpoint(let celsius): outcome = try await set(celsius)
        case .limitCurrent, .usePhases: outcome = .refused(reason: "a heat pump takes load states and setpoints only")
        }
        return CommandReceipt(command, at: device.clock.now, outcome: outcome)
    }

    private func change(to wanted: ReduceState) async throws -> CommandReceipt.Outcome {
        guard wanted == .normal || capabilities.hvac?.reduce.contains(wanted) == true,
            device.profile.commands[.reduceNormal] != nil
        else { return .refused(reason: "the profile \(device.profile.name) can't do '\(wanted.rawValue)'") }
        guard state != wanted else { return .unchanged }
        let now = device.clock.now
        let dwell = device.profile.hvac?.minimumDwellSeconds ?? 0
        if let changedAt, now.timeIntervalSince(changedAt) < dwell {
            return .deferred(
                until: changedAt.addingTimeInterval(dwell), reason: "each state lasts at least \(Int(dwell / 60)) min")
        }
        let session = try await device.session()
        if wanted != .normal, state != .normal { try await session.perform(.reduceNormal, values: lastValues) }
        try await session.perform(HeatPump.command(for: wanted), values: lastValues)
        // The first word to the device at start is no change of its state that would have to dwell.
        if state != nil || wanted != .normal { changedAt = now }
        state = wanted
        writtenAt = now
        return .applied
    }

    private func set(_ celsius: Double) async throws -> CommandReceipt.Outcome {
        guard let range = capabilities.hvac?.setpointCelsius else {
            return .refused(reason: "the profile \(device.profile.name) can't set a temperature")
        }
        guard range.contains(celsius) else {
            return .refused(reason: "it takes \(range.lowerBound) to \(range.upperBound) °C, not \(celsius)")
        }
        guard writtenSetpoint != celsius else { return .unchanged }
        try await device.session().perform(.setpoint, argument: celsius, values: lastValues)
        writtenSetpoint = celsius
        return .applied
    }

    private func reassert(_ session: ProfileSession, at now: Date) async throws {
        guard let state, state != .normal, let seconds = session.profile.hvac?.reassertSeconds,
            now.timeIntervalSince(writtenAt ?? now) >= seconds
        else { return }
        try await session.perform(HeatPump.command(for: state), values: lastValues)
        writtenAt = now
    }

    private static func command(for state: ReduceState) -> ProfileCommand {
        switch state {
        case .normal: .reduceNormal
        case .reduced: .reduceReduced
        case .boosted: .reduceBoosted
        }
    }

    func inspect() async throws -> [InspectedPoint] { try await device.session().inspect() }
}
