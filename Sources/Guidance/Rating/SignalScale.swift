/// What one signal (price or carbon) is measured against: its usual range, and how much it varies at all.
package struct SignalScale: Sendable, Equatable, Codable {
    /// What the cheapest tenth costs, without the outermost twentieth: `T(0.05, 0.10)`.
    package let low: Double
    /// What the dearest tenth costs, without the outermost twentieth: `T(0.90, 0.95)`.
    package let high: Double
    /// The least range that counts as a difference, in the signal's unit.
    package let floor: Double
    /// 0 where the signal is flat, 1 where its full spread reaches the floor.
    package let contrast: Double

    /// Measures a signal.
    ///
    /// - Parameters:
    ///   - values: the values with the seconds each holds for.
    ///   - absoluteFloor: the least floor, in the signal's unit.
    /// - Returns: nil when there is no value.
    init?(of values: [(value: Double, seconds: Double)], absoluteFloor: Double) {
        let distribution = DurationDistribution(values)
        guard let least = distribution.least, let greatest = distribution.greatest else { return nil }
        // What is never below zero is its own size.
        let sizes = least >= 0 ? distribution : DurationDistribution(values.map { (abs($0.value), $0.seconds) })
        low = distribution.mean(from: 0.05, to: 0.10)
        high = distribution.mean(from: 0.90, to: 0.95)
        floor = max(absoluteFloor, 0.05 * sizes.mean(from: 0.25, to: 0.75))
        contrast = min(1, (greatest - least) / floor)
    }

    /// Where a value lies: 0 cheap or clean, 1 dear or dirty, 0.5 the middle of the range.
    package func mark(_ value: Double) -> Double {
        min(1, max(0, 0.5 + (value - (low + high) / 2) / max(high - low, floor)))
    }
}
