/// How much of the time a signal is at which value: `Q(u)`, its duration-weighted inverse distribution.
struct DurationDistribution {
    private let values: [(value: Double, seconds: Double)]
    private let totalSeconds: Double

    /// Sorts values, each with the seconds it holds for.
    ///
    /// Complexity: O(n log n).
    init(_ values: [(value: Double, seconds: Double)]) {
        self.values = values.sorted { $0.value < $1.value }
        totalSeconds = values.reduce(0) { $0 + $1.seconds }
    }

    /// The smallest value, nil when there is none.
    var least: Double? { values.first?.value }

    /// The largest value, nil when there is none.
    var greatest: Double? { values.last?.value }

    /// `T(a, b)`: the mean of the values between the shares `a` and `b` of the time (0…1), cheapest first.
    ///
    /// A mean over a band, since a single percentile jumps where values tie, and tariffs tie all the time.
    func mean(from a: Double, to b: Double) -> Double {
        let low = a * totalSeconds
        let high = b * totalSeconds
        var passed = 0.0
        var mean = 0.0
        var seconds = 0.0
        for (value, length) in values {
            let part = min(high, passed + length) - max(low, passed)
            if part > 0 {
                seconds += part
                // A running mean: of equal values it is exactly that value, so that a flat tariff is exactly neutral.
                mean += (value - mean) * (part / seconds)
            }
            passed += length
            if passed >= high { break }
        }
        return seconds > 0 ? mean : values.last?.value ?? 0
    }
}
