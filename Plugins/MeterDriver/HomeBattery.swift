import Foundation
import HubKit
import ProfileKit

/// One home battery that takes orders.
///
/// An order other than `automatic` expires in the device, and is written again before it does. What the hub never ordered
/// is left alone: another program may look after the battery.
actor HomeBattery: Device {
    nonisolated let capabilities: DeviceCapabilities
    private let device: ProfiledDevice
    /// The order the device was given and acknowledged; unknown before, and while it is being written.
    private var order: BatteryOrder?
    private var writtenAt: Date?
    private let turn = Turn()
    private var isPrepared = false
    private var wasAway = false
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

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        CommandReceipt(command, at: device.clock.now, outcome: try await outcome(of: command))
    }

    private func outcome(of command: DeviceCommand) async throws -> CommandReceipt.Outcome {
        guard case .battery(let wanted) = command else {
            return .refused(reason: "a battery is told to charge, to hold or to follow the house")
        }
        guard let name = Self.command(for: wanted), device.profile.commands[name] != nil else {
            return .refused(reason: "the profile \(device.profile.name) can't do that")
        }
        if case .charge(let watts) = wanted, !(watts.isFinite && watts > 0 && watts <= 1e6) {
            return .refused(reason: "a battery charges with more than 0 W, not with \(watts)")
        }
        guard order != wanted else { return .unchanged }
        try await write(wanted, to: device.session())
        return .applied
    }

    private func poll(_ session: ProfileSession) async throws -> PollLoop.Result {
        let values: ProfileSession.Values
        do {
            values = try await session.read()
        } catch {
            wasAway = true
            isPrepared = false
            throw error
        }
        lastValues = values.points
        let result = await session.result(values, at: device.clock.now)
        let failure = await reassert(session)
        return PollLoop.Result(result.reading, complaint: result.complaint ?? failure)
    }

    /// Writes the order again before the device forgets it, or where it was away.
    /// - Returns: why that did not work; the reading counts all the same.
    private func reassert(_ session: ProfileSession) async -> String? {
        defer { wasAway = false }
        guard let order, order != .automatic, let writtenAt, let rules = session.profile.battery else { return nil }
        let age = device.clock.now.timeIntervalSince(writtenAt)
        guard wasAway || age >= rules.reassertSeconds || age < 0 else { return nil }
        do {
            try await write(order, to: session)
            return nil
        } catch {
            self.order = order
            return "what the battery is to do could not be written again: \(plainWords(of: error))"
        }
    }

    private func write(_ wanted: BatteryOrder, to session: ProfileSession) async throws {
        await turn.take()
        defer { turn.give() }
        guard let name = Self.command(for: wanted) else { return }
        // Until it is acknowledged nobody knows what the device has.
        order = nil
        if !isPrepared, session.profile.commands[.prepare] != nil {
            try await session.perform(.prepare, values: lastValues)
        }
        isPrepared = true
        let values = try await session.values(for: name, known: lastValues)
        if case .charge(let watts) = wanted {
            try await session.perform(name, argument: watts, values: values)
        } else {
            try await session.perform(name, values: values)
        }
        order = wanted
        writtenAt = device.clock.now
    }

    private static func command(for order: BatteryOrder) -> ProfileCommand? {
        switch order {
        case .automatic: .batteryAutomatic
        case .hold: .batteryHold
        case .charge: .batteryCharge
        }
    }
}
