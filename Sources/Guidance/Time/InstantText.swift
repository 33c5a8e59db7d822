package import Foundation

/// Reads and writes ISO 8601 times as energy providers write them.
///
/// Read are: `T` or a space between day and time, seconds that may be absent, any number of fraction digits, and
/// `Z`, `+02:00`, `+0200`, `+02` or no offset at all. A time without an offset is no instant until someone says which zone it is in.
package struct InstantText: Sendable, Equatable {
    /// Seconds since 1970-01-01 00:00 as the clock on the wall reads, before the offset is taken off.
    package let wallSeconds: Double
    /// Seconds east of UTC, nil when the text has no offset.
    package let offsetSeconds: Int?

    /// The instant, when the text has an offset.
    package var instant: Date? {
        offsetSeconds.map { Date(timeIntervalSince1970: wallSeconds - Double($0)) }
    }

    /// Reads a time; nil when it is none.
    package init?(_ text: some StringProtocol) {
        var reader = DigitReader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), let civil = CivilDay(year: year, month: month, day: day)
        else { return nil }
        var seconds = 0.0
        if reader.skip("T") || reader.skip(" ") {
            guard let time = reader.time() else { return nil }
            seconds = time
        }
        let offset = reader.offset()
        guard reader.isAtEnd else { return nil }
        wallSeconds = Double(civil.daysSince1970) * 86_400 + seconds
        offsetSeconds = offset
    }

    /// The instant that a text with an offset names; nil for anything else.
    package static func instant(_ text: some StringProtocol) -> Date? {
        InstantText(text)?.instant
    }

    /// An instant as `2026-03-29T00:00:00Z`; milliseconds only when there are any.
    package static func text(_ instant: Date) -> String {
        let milliseconds = Int((instant.timeIntervalSince1970 * 1000).rounded())
        let days = Int((Double(milliseconds) / 86_400_000).rounded(.down))
        let rest = milliseconds - days * 86_400_000
        let day = CivilDay(daysSince1970: days)
        var text = padded(day.year, 4) + "-" + padded(day.month, 2) + "-" + padded(day.day, 2) + "T"
        text += padded(rest / 3_600_000, 2) + ":" + padded(rest / 60_000 % 60, 2) + ":" + padded(rest / 1000 % 60, 2)
        if !rest.isMultiple(of: 1000) { text += "." + padded(rest % 1000, 3) }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Takes fixed-width numbers and marks off the front of a text.
private struct DigitReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: some StringProtocol) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ mark: Character) -> Bool {
        guard let first = rest.first, first == mark.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int? {
        guard rest.count >= digits else { return nil }
        var value = 0
        for byte in rest.prefix(digits) {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        rest.removeFirst(digits)
        return value
    }

    /// `hh:mm[:ss[.fff]]` in seconds; 24:00 is the end of the day.
    mutating func time() -> Double? {
        guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), minute < 60 else { return nil }
        var seconds = Double(hour * 3600 + minute * 60)
        if skip(":") {
            guard let second = number(digits: 2), second < 60 else { return nil }
            seconds += Double(second)
            if skip(".") {
                guard let part = fraction() else { return nil }
                seconds += part
            }
        }
        return seconds <= 86_400 ? seconds : nil
    }

    private mutating func fraction() -> Double? {
        var value = 0.0
        var scale = 0.1
        let before = rest.count
        while let byte = rest.first, (48...57).contains(byte) {
            value += Double(byte - 48) * scale
            scale /= 10
            rest.removeFirst()
        }
        return rest.count < before ? value : nil
    }

    /// The offset in seconds, nil when there is none (what cannot be read stays in the text).
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        var trial = self
        let sign: Int
        if trial.skip("+") { sign = 1 } else if trial.skip("-") { sign = -1 } else { return nil }
        guard let hours = trial.number(digits: 2) else { return nil }
        _ = trial.skip(":")
        let minutes = trial.number(digits: 2) ?? 0
        self = trial
        return sign * (hours * 3600 + minutes * 60)
    }
}
