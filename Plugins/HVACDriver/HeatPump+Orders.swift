import Foundation
import HubKit
import ProfileKit

/// What a device was told and acknowledged beside its load state and setpoint.
struct StandingOrder: Equatable, Sendable {
    /// How it is told.
    var command: ProfileCommand
    /// Watts, kelvin or the place of a step.
    var value: Double
    /// When it was written.
    var writtenAt: Date
    /// Whether the device does this by itself, so that it need not be told again.
    var isRest: Bool
}

/// Shifts of the setpoint, surplus, steps and limits of power.
extension HeatPump {
    func shift(by kelvin: Double) async throws -> CommandReceipt.Outcome {
        guard let range = capabilities.hvac?.offsetKelvin else {
            return .refused(reason: "the profile \(device.profile.name) can't shift its setpoint")
        }
        guard kelvin == 0 || range.contains(kelvin) else {
            return .refused(reason: "it takes \(range.lowerBound) to \(range.upperBound) K, not \(kelvin)")
        }
        let isOwn = kelvin == 0 && device.profile.commands[.noOffset] != nil
        return try await order(isOwn ? .noOffset : .offset, kelvin, isRest: kelvin == 0, in: .offset)
    }

    /// A device with steps of power takes the highest within the surplus.
    func offer(_ watts: Double) async throws -> CommandReceipt.Outcome {
        guard let hvac = capabilities.hvac, let range = hvac.surplusWatts else {
            return .refused(reason: "the profile \(device.profile.name) can't be offered surplus")
        }
        guard range.contains(watts) else {
            return .refused(reason: "it takes \(range.lowerBound) to \(range.upperBound) W, not \(watts)")
        }
        guard !hvac.stagesPercent.isEmpty else {
            return try await order(.surplus, watts.rounded(), isRest: watts < 0.5, in: .surplus)
        }
        let stage = hvac.stage(within: watts)
        let now = device.clock.now
        let rises = Double(stage) > orders[.surplus]?.value ?? 0
        let dwell = device.profile.hvac?.minimumDwellSeconds ?? 0
        if rises, let stageRoseAt, (0..<dwell).contains(now.timeIntervalSince(stageRoseAt)) {
            return .deferred(
                until: stageRoseAt.addingTimeInterval(dwell),
                reason: "a higher step follows after \(Int(dwell / 60)) min")
        }
        let outcome = try await order(
            ProfileCommand.stages[stage], Double(stage), isRest: stage == 0, in: .surplus)
        if rises { stageRoseAt = now }
        return outcome
    }

    func limit(_ watts: Double?) async throws -> CommandReceipt.Outcome {
        guard let range = capabilities.hvac?.powerLimitWatts else {
            return .refused(reason: "the profile \(device.profile.name) can't limit its power")
        }
        guard let watts else { return try await order(.noPowerLimit, 0, isRest: true, in: .powerLimit) }
        guard range.contains(watts) else {
            return .refused(reason: "it takes \(range.lowerBound) to \(range.upperBound) W, not \(watts)")
        }
        return try await order(.powerLimit, roundedDown(watts), isRest: false, in: .powerLimit)
    }

    /// In whole units of the device, since half a unit above a limit is above it.
    private func roundedDown(_ watts: Double) -> Double {
        let action = device.profile.commands[.powerLimit]?.first { $0.value == .argument }
        let unit: Double =
            switch action {
            case .write(let write): abs(write.scale)
            case .send(let sending): abs(sending.scale)
            case nil: 1
            }
        return (watts / unit + 1e-9).rounded(.down) * unit
    }

    private func order(
        _ command: ProfileCommand, _ value: Double, isRest: Bool, in slot: DeviceCommand.Slot
    ) async throws -> CommandReceipt.Outcome {
        if let now = orders[slot], now.command == command, now.value == value { return .unchanged }
        await turn.take()
        defer { turn.give() }
        // Until it is acknowledged nobody knows what the device has.
        orders[slot] = nil
        try await write(command, value, device.session())
        orders[slot] = StandingOrder(command: command, value: value, writtenAt: device.clock.now, isRest: isRest)
        return .applied
    }

    private func write(_ command: ProfileCommand, _ value: Double, _ session: ProfileSession) async throws {
        try await prepare(session)
        try await session.perform(
            command, argument: value, values: try await session.values(for: command, known: lastValues))
    }

    /// Writes again what the device forgets: surplus after a while, everything after it was away.
    /// - Returns: why that did not work; the reading counts all the same.
    func repeatOrders(
        _ session: ProfileSession, _ reading: DeviceReading, cameBack: Bool, at now: Date
    ) async -> String? {
        guard !orders.isEmpty else { return nil }
        await turn.take()
        defer { turn.give() }
        var failure: String?
        for (slot, order) in orders.sorted(by: { $0.value.command.rawValue < $1.value.command.rawValue }) {
            let isDue =
                isForgotten(order, slot, session, at: now) || isOtherwise(order, slot, reading, session, at: now)
            guard !order.isRest, cameBack || isDue else { continue }
            do {
                try await write(order.command, order.value, session)
                orders[slot]?.writtenAt = device.clock.now
            } catch {
                failure = "what it was told could not be written again: \(plainWords(of: error))"
            }
        }
        return failure
    }

    private func isForgotten(
        _ order: StandingOrder, _ slot: DeviceCommand.Slot, _ session: ProfileSession, at now: Date
    ) -> Bool {
        let hvac = session.profile.hvac
        guard
            let seconds = slot == .surplus
                ? hvac?.surplus?.everySeconds ?? hvac?.reassertSeconds : hvac?.reassertSeconds
        else { return false }
        return now.timeIntervalSince(order.writtenAt) >= seconds || now < order.writtenAt
    }

    /// Whether relays say that they stand at another step than they were switched to, for a while.
    private func isOtherwise(
        _ order: StandingOrder, _ slot: DeviceCommand.Slot, _ reading: DeviceReading, _ session: ProfileSession,
        at now: Date
    ) -> Bool {
        // A step that follows from the power says that a thermostat switched off.
        guard slot == .surplus, let stages = capabilities.hvac?.stagesPercent, !stages.isEmpty,
            session.profile.quantities.contains(.stagePercent), let told = reading[.stagePercent],
            now.timeIntervalSince(order.writtenAt) >= 30
        else { return false }
        return stageDisagreement.isDue(abs(told - stages[Int(order.value)]) < 5, at: now)
    }
}
