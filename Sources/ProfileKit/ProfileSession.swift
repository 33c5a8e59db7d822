package import Foundation
package import HubKit
package import Modbus

/// A device of a profile: reads its points, computes what follows from them, and carries out its commands.
package actor ProfileSession {
    /// The profile.
    package nonisolated let profile: DeviceProfile
    /// What carries its points and commands.
    let wire: any ProfileWire
    private var lastCounters: [Quantity: Sample] = [:]
    private var plausibility: Plausibility

    /// Everything one round of reading brought.
    package struct Values: Sendable {
        /// The values by point name; absent where not available.
        package var points: [String: PointValue] = [:]
        /// The raw words by point name, of registers.
        package var words: [String: [UInt16]] = [:]
        /// When the device had a value, by point name, where that was before it was read.
        package var times: [String: Date] = [:]
        /// When the device said the newest of it, where that was before it was read.
        package var saidAt: Date?
        /// What is no value although the device sent it, in words by point name.
        package var doubts: [String: String] = [:]
        /// What is wrong although the device answered.
        package var complaint: String?
    }

    /// Opens nothing yet.
    /// - Parameters:
    ///   - profile: the profile.
    ///   - wire: what carries its points and commands.
    ///   - ranges: what its quantities can be; by what the profile says where nothing else is known.
    package init(profile: DeviceProfile, wire: any ProfileWire, ranges: PlausibleRanges? = nil) {
        self.profile = profile
        self.wire = wire
        plausibility = Plausibility(ranges ?? PlausibleRanges(profile: profile))
    }

    /// A device on a Modbus connection; opens nothing yet.
    /// - Parameters:
    ///   - profile: the profile.
    ///   - bus: the connection.
    ///   - unit: the unit the device answers to.
    ///   - ranges: what its quantities can be.
    package init(profile: DeviceProfile, bus: ModbusConnection, unit: UInt8, ranges: PlausibleRanges? = nil) {
        self.init(profile: profile, wire: RegisterWire(profile, bus: bus, unit: unit), ranges: ranges)
    }

    /// Reads every point, and computes the sums.
    /// - Throws: why the device gives nothing at all.
    package func read() async throws -> Values {
        var values = try await wire.read()
        for sum in profile.sums {
            // A sum of what can't be is none, also where it leaves out what is not available.
            let factors = sum.terms.flatMap(\.factors)
            guard !factors.contains(where: { values.doubts[$0] != nil }) else { continue }
            values.points[sum.name] = sum.value(values.points).map { .number($0) }
            values.times[sum.name] = factors.compactMap { values.times[$0] }.min()
        }
        return values
    }

    /// Reads one point and forgets it: for a watchdog that any request feeds.
    /// - Throws: why the device does not answer.
    package func touch() async throws { try await wire.touch() }

    /// Carries out the steps of a command, in order.
    /// - Parameters:
    ///   - command: the profile's command.
    ///   - argument: amps or °C, where the command takes one.
    ///   - values: the points last read, for steps that repeat one.
    /// - Throws: `HubError` when the profile has no such command or the value does not fit, otherwise why the device did
    ///   not take it.
    package func perform(_ command: ProfileCommand, argument: Double = 0, values: [String: PointValue] = [:])
        async throws
    {
        guard let actions = profile.commands[command] else {
            throw HubError(.refused, "the profile \(profile.name) does not say how to do '\(command.rawValue)'")
        }
        try await perform(actions, argument: argument, values: values)
    }

    /// What a command repeats of the device's own values: those known, or read now where one is not known yet.
    /// - Throws: why the device does not answer.
    package func values(
        for command: ProfileCommand, known: [String: PointValue]
    ) async throws -> [String: PointValue] {
        let needed = (profile.commands[command] ?? []).compactMap { action in
            if case .point(let name) = action.value, known[name] == nil { name } else { nil }
        }
        guard !needed.isEmpty else { return known }
        return known.merging(try await wire.values(of: Set(needed))) { _, new in new }
    }

    /// Carries out steps, in order.
    /// - Throws: `HubError` when a value does not fit, otherwise why the device did not take it.
    package func perform(_ actions: [ProfileAction], argument: Double = 0, values: [String: PointValue] = [:])
        async throws
    {
        try await wire.perform(actions, argument: argument, values: values)
    }

    /// Turns values into a reading: quantities, states, and counters that keep their last value while unavailable.
    ///
    /// What can't be is left out and complained of.
    /// - Parameters:
    ///   - values: what was read.
    ///   - now: when.
    package func result(_ values: Values, at now: Date) async -> PollLoop.Result {
        let points = await wire.points()
        var reading = DeviceReading(at: min(values.saidAt ?? now, now))
        var doubts: [Quantity: String] = [:]
        var complaints = [values.complaint].compactMap(\.self)
        for point in points {
            let doubt = values.doubts[point.name]
            if let quantity = point.quantity {
                take(values, point.name, quantity, isEstimated: point.isEstimated, into: &reading)
                doubts[quantity] = doubt.map { "\(quantity.rawValue) \($0)" }
            } else if let doubt {
                complaints.append("\(point.name) \(doubt)")
            }
        }
        for sum in profile.sums {
            let factors = sum.terms.flatMap(\.factors).compactMap { name in points.first { $0.name == name } }
            let isEstimated = sum.isEstimated || factors.contains(where: \.isEstimated)
            take(values, sum.name, sum.quantity, isEstimated: isEstimated, into: &reading)
        }
        if let lies = plausibility.judge(&reading, doubts: doubts) { complaints.append(lies) }
        keepCounters(&reading)
        reading.plug = profile.states.plug.state(values.points)
        reading.charging = profile.states.charging.state(values.points)
        reading.hvacMode = profile.states.mode.state(values.points)
        reading.reduce = profile.states.reduce.state(values.points)
        return PollLoop.Result(reading, complaint: complaints.isEmpty ? nil : complaints.joined(separator: "; "))
    }

    /// A counter that is not available is not zero; it is what it was (field case D-4).
    private func keepCounters(_ reading: inout DeviceReading) {
        for quantity in Quantity.allCases where quantity.isCounter {
            if let sample = reading.samples[quantity] { lastCounters[quantity] = sample }
            reading.samples[quantity] = reading.samples[quantity] ?? lastCounters[quantity]
        }
    }

    private func take(
        _ values: Values, _ name: String, _ quantity: Quantity?, isEstimated: Bool, into reading: inout DeviceReading
    ) {
        guard let quantity else { return }
        let quality: Quality = isEstimated ? .estimated : .measured
        let at = values.times[name] ?? reading.at
        reading.samples[quantity] = values.points[name]?.number.flatMap { Sample($0, at: at, quality: quality) }
    }
}
