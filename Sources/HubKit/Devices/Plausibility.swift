import Foundation

/// Tells what a device measures from what it can't have measured, reading by reading.
///
/// A value that can't be is left out, as if the device had not said it: unknown is never a number that is wrong. The
/// complaint stays until three readings in a row had none, so that a device that lies now and then is told once.
public struct Plausibility: Sendable {
    private let ranges: PlausibleRanges
    private var counters: [Quantity: Counter] = [:]
    private var complaint: (quantities: Set<Quantity>, text: String)?
    private var cleanReadings = 0

    private struct Counter: Sendable {
        var value: Double
        var at: Date
        /// What it was before it fell, in case it comes back.
        var before: (value: Double, at: Date)?
        /// Since when it reads 0 after it had counted, and how often.
        var zeros: (since: Date, readings: Int)?
        /// Where it seems to have jumped to, since when, and readings that agree with it.
        var jump: (value: Double, since: Date, at: Date, readings: Int)?
    }

    /// Readings without a fault after which the device is believed again.
    static let readingsToTrust = 3
    /// How long a counter must go on from where it jumped to until that counts, in seconds.
    static let secondsToTrustJump = 60.0

    /// Knows nothing of the device's readings yet.
    public init(_ ranges: PlausibleRanges) {
        self.ranges = ranges
    }

    /// Takes out of a reading what can't be.
    /// - Parameters:
    ///   - reading: what the device said.
    ///   - doubts: what it said that is no number at all, in words, by quantity; absent in the reading already.
    /// - Returns: what is wrong with the device's values, in words; nothing while it is believed.
    public mutating func judge(_ reading: inout DeviceReading, doubts: [Quantity: String] = [:]) -> String? {
        var lies = doubts
        for quantity in Quantity.allCases {
            guard let sample = reading.samples[quantity] else { continue }
            if let lie = lie(sample, quantity) {
                lies[quantity] = lie
                reading.samples[quantity] = nil
            } else if quantity == .stateOfChargePercent || quantity == .stagePercent {
                reading.samples[quantity]?.value = min(100, max(0, sample.value))
            }
        }
        return note(lies)
    }

    private mutating func note(_ lies: [Quantity: String]) -> String? {
        guard !lies.isEmpty else {
            cleanReadings += 1
            if cleanReadings >= Plausibility.readingsToTrust { complaint = nil }
            return complaint?.text
        }
        cleanReadings = 0
        let quantities = Set(lies.keys)
        // The same quantities with other numbers are the same fault.
        if complaint.map({ !quantities.isSubset(of: $0.quantities) }) ?? true {
            complaint = (quantities, Plausibility.text(lies))
        }
        return complaint?.text
    }

    private static func text(_ lies: [Quantity: String]) -> String {
        // In the order of their declaration, so that power comes first.
        let sorted = Quantity.allCases.compactMap { lies[$0] }
        let rest = sorted.count > 3 ? "; and \(sorted.count - 3) more" : ""
        return "values that can't be are left out: \(sorted.prefix(3).joined(separator: "; "))\(rest); "
            + "check the device, its unit number and whether the profile fits it"
    }

    private mutating func lie(_ sample: Sample, _ quantity: Quantity) -> String? {
        if let range = ranges[quantity], !range.values.contains(sample.value) {
            return "\(quantity.rawValue) reads \(PlainNumber.text(sample.value, quantity)), \(range.otherwise)"
        }
        return quantity.isCounter ? jump(sample, quantity) : nil
    }

    // MARK: - Counters

    /// Whether a counter rose by more than can have flowed.
    ///
    /// A fall is no lie here: counters begin anew, and whoever adds them up knows how to deal with that (S-1). A fall to 0 is
    /// one until it lasts: most are a device that has lost its value for a moment, and a counter of others that saw it would
    /// begin anew (Home Assistant's `total_increasing` does).
    private mutating func jump(_ sample: Sample, _ quantity: Quantity) -> String? {
        // A device that has just started may show 0 before it knows its count (S-2).
        guard var known = counters[quantity], sample.at >= known.at, known.value > 0 || known.before != nil else {
            counters[quantity] = Counter(value: sample.value, at: sample.at)
            return nil
        }
        if sample.value == 0, known.value > 0, quantity != .sessionWattHours, !lasts(sample.at, &known) {
            counters[quantity] = known
            return "\(quantity.rawValue) reads 0 after \(PlainNumber.text(known.value, quantity))"
        }
        known.zeros = sample.value == 0 ? known.zeros : nil
        let rise = sample.value - known.value
        let isBack =
            known.before.map { before in
                sample.value >= before.value && sample.value - before.value <= possible(from: before.at, to: sample.at)
            } ?? false
        if rise <= possible(from: known.at, to: sample.at) || isBack || isSteady(sample, &known) {
            var next = Counter(value: sample.value, at: sample.at)
            if rise < 0 { next.before = (known.value, known.at) } else if !isBack { next.before = known.before }
            counters[quantity] = next
            return nil
        }
        counters[quantity] = known
        let seconds = PlainDuration.text(seconds: sample.at.timeIntervalSince(known.at))
        let most = ranges.mostWatts.otherwise
        return "\(quantity.rawValue) rose by \(PlainNumber.text(rise, quantity)) in \(seconds), \(most)"
    }

    /// Whether a counter has read 0 for so long that it must have begun anew.
    private func lasts(_ moment: Date, _ known: inout Counter) -> Bool {
        let zeros = (since: known.zeros?.since ?? moment, readings: (known.zeros?.readings ?? 0) + 1)
        known.zeros = zeros
        return zeros.readings > Plausibility.readingsToTrust
            && moment.timeIntervalSince(zeros.since) >= Plausibility.secondsToTrustJump
    }

    /// Whether the counter goes on from where it jumped to, as one that was exchanged does.
    private func isSteady(_ sample: Sample, _ known: inout Counter) -> Bool {
        guard let jump = known.jump, sample.value >= jump.value,
            sample.value - jump.value <= possible(from: jump.at, to: sample.at)
        else {
            known.jump = (sample.value, sample.at, sample.at, 1)
            return false
        }
        known.jump = (sample.value, jump.since, sample.at, jump.readings + 1)
        return jump.readings >= 3 && sample.at.timeIntervalSince(jump.since) >= Plausibility.secondsToTrustJump
    }

    /// Watt-hours that can have flowed: a quarter of an hour more than passed, since meters count in steps and late.
    private func possible(from start: Date, to end: Date) -> Double {
        ranges.mostWatts.values.upperBound * (end.timeIntervalSince(start) + 900) / 3600 + 1_000
    }
}

extension Quantity {
    /// Whether it is a counter that only ever grows in a healthy device.
    public var isCounter: Bool {
        switch self {
        case .importWattHours, .exportWattHours, .sessionWattHours: true
        default: false
        }
    }
}

/// Numbers as people write them.
public enum PlainNumber {
    /// A number with its unit: `1e30 W`, `3276.7 °C`, `-1e9 Wh`.
    public static func text(_ value: Double, _ quantity: Quantity) -> String {
        let digits = text(value)
        return quantity.unit.isEmpty ? digits : "\(digits) \(quantity.unit)"
    }

    /// A number as it is: `99999`, `0.5`, `1e30`.
    public static func text(_ value: Double) -> String {
        let digits = String(format: "%.7g", value).replacingOccurrences(of: "e+", with: "e")
            .replacingOccurrences(of: "e0", with: "e").replacingOccurrences(of: "e-0", with: "e-")
        return digits
    }
}
