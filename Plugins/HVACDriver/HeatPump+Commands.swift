import Foundation
import HubKit
import ProfileKit

extension HeatPump {
    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        let outcome: CommandReceipt.Outcome
        switch command {
        case .reduce(let wanted): outcome = try await change(to: wanted)
        case .release: outcome = try await change(to: .normal, isAtOnce: true)
        case .lock: outcome = try await change(to: .reduced, isAtOnce: true)
        case .setSetpoint(let celsius): outcome = try await set(celsius)
        case .shiftSetpoint(let kelvin): outcome = try await shift(by: kelvin)
        case .offerSurplus(let watts): outcome = try await offer(watts)
        case .limitPower(let watts): outcome = try await limit(watts)
        case .limitCurrent, .usePhases, .battery:
            outcome = .refused(reason: "a heat pump takes load states, setpoints, surplus and limits of power only")
        }
        return CommandReceipt(command, at: device.clock.now, outcome: outcome)
    }

    private func change(to wanted: ReduceState, isAtOnce: Bool = false) async throws -> CommandReceipt.Outcome {
        guard wanted == .normal || capabilities.hvac?.reduce.contains(wanted) == true,
            device.profile.commands[.reduceNormal] != nil
        else { return .refused(reason: "the profile \(device.profile.name) can't do '\(wanted.rawValue)'") }
        guard state != wanted else { return .unchanged }
        let now = device.clock.now
        let dwell = device.profile.hvac?.minimumDwellSeconds ?? 0
        if !isAtOnce, let changedAt, (0..<dwell).contains(now.timeIntervalSince(changedAt)) {
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
        hasTakenState = false
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
        setpointBefore = toldSetpoint ?? setpointBefore
        hasTakenSetpoint = false
        setpointDisagreement = Disagreement(first: 60)
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

    static func command(for state: ReduceState) -> ProfileCommand {
        switch state {
        case .normal: .reduceNormal
        case .reduced: .reduceReduced
        case .boosted: .reduceBoosted
        case .forced: .reduceForced
        }
    }
}
