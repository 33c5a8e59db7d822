import Foundation

/// A moment in milliseconds since 1970.
func millis(_ moment: Date) -> String { String(Int(moment.timeIntervalSince1970 * 1000)) }

/// A moment as `2026-03-29T00:00:00Z`.
func isoText(_ moment: Date) -> String {
    InstantText.text(Date(timeIntervalSince1970: moment.timeIntervalSince1970.rounded(.down)))
}

/// A moment as `2026-03-29T00:00Z`, for providers that want no seconds.
func isoMinutes(_ moment: Date) -> String { isoText(moment).prefix(16) + "Z" }

extension CivilDay {
    /// `2026-03-29` with any mark between the parts.
    func text(_ mark: String = "-") -> String { [two(year, 4), two(month), two(day)].joined(separator: mark) }

    /// `29-03-2026` with any mark between the parts.
    func reversedText(_ mark: String) -> String { [two(day), two(month), two(year, 4)].joined(separator: mark) }

    private func two(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
