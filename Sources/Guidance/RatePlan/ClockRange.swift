/// A stretch of the wall clock, half-open, such as 18:00–20:00; 22:00–06:00 runs over midnight.
///
/// Each moment is judged by its own day: with weekday Friday, 22:00–06:00 is Friday before 6 and Friday from 22.
package struct ClockRange: Sendable, Equatable {
    /// Minutes since local midnight, 0…1439.
    package let startMinute: Int
    /// Minutes since local midnight, 1…1440.
    package let endMinute: Int

    /// Makes a stretch; nil when minutes are outside the day or it is empty.
    package init?(startMinute: Int, endMinute: Int) {
        guard (0..<1440).contains(startMinute), (1...1440).contains(endMinute), startMinute != endMinute else {
            return nil
        }
        self.startMinute = startMinute
        self.endMinute = endMinute
    }

    /// Reads `18:00-20:00` or `18-20`; nil when it is none.
    ///
    /// `22:00-00:00` ends with the day.
    package init?(_ text: some StringProtocol) {
        let ends = text.split(separator: "-").map { Self.minute(String($0.filter { $0 != " " })) }
        guard ends.count == 2, let start = ends[0], let end = ends[1] else { return nil }
        self.init(startMinute: start, endMinute: end == 0 ? 1440 : end)
    }

    /// The stretch without a turn of the day in it.
    package var pieces: [Range<Int>] {
        startMinute < endMinute ? [startMinute..<endMinute] : [0..<endMinute, startMinute..<1440]
    }

    /// `18:00-20:00`.
    package var text: String { Self.text(startMinute) + "-" + Self.text(endMinute) }

    static func text(_ minute: Int) -> String {
        [minute / 60, minute % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
    }

    private static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(parts.count), let hour = parts[0], (0...24).contains(hour) else { return nil }
        guard parts.count == 2 else { return hour * 60 }
        guard let minute = parts[1], (0..<60).contains(minute), hour * 60 + minute <= 1440 else { return nil }
        return hour * 60 + minute
    }
}
