import Foundation

/// Times as text: ISO 8601 with an offset, read and written without a formatter.
///
/// ## File Format
/// Read: `YYYY-MM-DDThh:mm[:ss[.fraction]]` and `Z`, `±hh:mm`, `±hhmm` or `±hh`. Years 0000 to 9999 of the Gregorian
/// calendar, in UTC too, no leap seconds, no 24:00. Written: `YYYY-MM-DDThh:mm:ss[.fraction]Z`, with as many of 0, 3, 6 or 9 digits
/// of fraction as the date needs to be read back unchanged.
///
/// A `Date` counts from 2001 in steps of 0.12 µs, but one made of seconds since 1970 can only lie on every second step.
/// A text of up to three digits is read the second way, since milliseconds since 1970 are what programs exchange, and a
/// longer one the first way. So both kinds survive, and neither gets a tail of digits.
///
/// ## Complexity
/// One pass over the characters, no allocation when reading.
enum ISO8601Text {
    /// The time that `text` names, or `nil` if it is not in the format or no such time exists.
    static func date(from text: String) -> Date? {
        var scanner = DigitScanner(text)
        guard let days = scanDay(&scanner),
            scanner.skip(UInt8(ascii: "T")) || scanner.skip(UInt8(ascii: "t")),
            let clock = scanClock(&scanner),
            let offset = scanOffset(&scanner),
            scanner.isAtEnd
        else { return nil }
        let seconds = (days - daysToReference) * 86_400 + clock.seconds - offset
        let date = date(seconds: seconds, fraction: clock.fraction)
        // What can be read can be written: neither an offset nor rounding carries it out of the years 0 to 9999.
        let reference = date.timeIntervalSinceReferenceDate
        return reference >= earliest && reference < latest ? date : nil
    }

    /// The date as text, or `nil` if it lies outside the years 0 to 9999 or is not a number.
    static func string(from date: Date) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(30)
        return write(date, to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Appends the date.
    /// - Returns: whether it can be written: it lies in the years 0 to 9999.
    static func write(_ date: Date, to bytes: inout [UInt8]) -> Bool {
        let reference = date.timeIntervalSinceReferenceDate
        let floor = reference.rounded(.down)
        guard floor >= earliest, floor < latest else { return false }
        var seconds = Int(floor)
        var nanoseconds = Int(((reference - floor) * 1e9).rounded())
        var digits = 9
        for (candidate, unit) in [(0, 1_000_000_000), (3, 1_000_000), (6, 1_000)] {
            let rounded = (nanoseconds + unit / 2) / unit * unit
            if self.date(seconds: seconds, fraction: Fraction(nanoseconds: rounded, digits: candidate)) == date {
                (nanoseconds, digits) = (rounded, candidate)
                break
            }
        }
        if nanoseconds == 1_000_000_000 { (seconds, nanoseconds) = (seconds + 1, 0) }
        guard Double(seconds) < latest else { return false }
        write(seconds: seconds, nanoseconds: nanoseconds, digits: digits, to: &bytes)
        return true
    }

    // MARK: Reading

    private static func scanDay(_ scanner: inout DigitScanner) -> Int? {
        guard let year = scanner.number(digits: 4), scanner.skip(UInt8(ascii: "-")),
            let month = scanner.number(digits: 2), scanner.skip(UInt8(ascii: "-")),
            let day = scanner.number(digits: 2),
            (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year: year)
        else { return nil }
        return self.days(year: year, month: month, day: day)
    }

    private static func scanClock(_ scanner: inout DigitScanner) -> (seconds: Int, fraction: Fraction)? {
        guard let hour = scanner.number(digits: 2), hour < 24, scanner.skip(UInt8(ascii: ":")),
            let minute = scanner.number(digits: 2), minute < 60
        else { return nil }
        var seconds = hour * 3_600 + minute * 60
        guard scanner.skip(UInt8(ascii: ":")) else { return (seconds, Fraction()) }
        guard let second = scanner.number(digits: 2), second < 60 else { return nil }
        seconds += second
        guard scanner.skip(UInt8(ascii: ".")) || scanner.skip(UInt8(ascii: ",")) else {
            return (seconds, Fraction())
        }
        guard let fraction = scanner.fraction() else { return nil }
        return (seconds, fraction)
    }

    /// Seconds east of Greenwich.
    private static func scanOffset(_ scanner: inout DigitScanner) -> Int? {
        if scanner.skip(UInt8(ascii: "Z")) || scanner.skip(UInt8(ascii: "z")) { return 0 }
        let isEast = scanner.skip(UInt8(ascii: "+"))
        guard isEast || scanner.skip(UInt8(ascii: "-")),
            let hours = scanner.number(digits: 2), hours < 24
        else { return nil }
        let hasColon = scanner.skip(UInt8(ascii: ":"))
        var minutes = 0
        if hasColon || !scanner.isAtEnd {
            guard let scanned = scanner.number(digits: 2), scanned < 60 else { return nil }
            minutes = scanned
        }
        let offset = hours * 3_600 + minutes * 60
        return isEast ? offset : -offset
    }

    // MARK: Writing

    private static func write(seconds: Int, nanoseconds: Int, digits: Int, to bytes: inout [UInt8]) {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let clock = seconds - days * 86_400
        let (year, month, day) = civil(days: days + daysToReference)
        func append(_ number: Int, digits: Int, then separator: UInt8) {
            var divisor = 1
            for _ in 1..<digits { divisor *= 10 }
            while divisor > 0 {
                bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
                divisor /= 10
            }
            bytes.append(separator)
        }
        append(year, digits: 4, then: UInt8(ascii: "-"))
        append(month, digits: 2, then: UInt8(ascii: "-"))
        append(day, digits: 2, then: UInt8(ascii: "T"))
        append(clock / 3_600, digits: 2, then: UInt8(ascii: ":"))
        append(clock / 60 % 60, digits: 2, then: UInt8(ascii: ":"))
        append(clock % 60, digits: 2, then: digits == 0 ? UInt8(ascii: "Z") : UInt8(ascii: "."))
        switch digits {
        case 3: append(nanoseconds / 1_000_000, digits: 3, then: UInt8(ascii: "Z"))
        case 6: append(nanoseconds / 1_000, digits: 6, then: UInt8(ascii: "Z"))
        case 9: append(nanoseconds, digits: 9, then: UInt8(ascii: "Z"))
        default: break
        }
    }

    // MARK: The calendar

    /// Days from 1970-01-01 to `Date`'s own origin, 2001-01-01.
    private static let daysToReference = 11_323
    /// 0000-01-01 and 10000-01-01, in seconds from 2001-01-01.
    private static let earliest = Double(days(year: 0, month: 1, day: 1) - daysToReference) * 86_400
    private static let latest = Double(days(year: 10_000, month: 1, day: 1) - daysToReference) * 86_400

    private static func date(seconds: Int, fraction: Fraction) -> Date {
        let part = Double(fraction.nanoseconds) / 1e9
        guard fraction.digits <= 3 else { return Date(timeIntervalSinceReferenceDate: Double(seconds) + part) }
        return Date(timeIntervalSince1970: Double(seconds + daysToReference * 86_400) + part)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is a year's last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = (month <= 2 ? year - 1 : year) + 400
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        // 719 468 days lie between 0000-03-01 and 1970-01-01; the 400 years added above are 146 097 days.
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468 - 146_097
    }

    /// The calendar day of a number of days from 1970-01-01, from the year 0 on.
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468 + 146_097
        let (cycle, dayOfCycle) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = cycle * 400 + yearOfCycle - 400
        return (month <= 2 ? year + 1 : year, month, day)
    }
}

/// A part of a second, and how many digits it was or will be written with.
private struct Fraction {
    var nanoseconds = 0
    var digits = 0
}

/// Reads fixed-width numbers from a text's bytes.
private struct DigitScanner {
    private var bytes: String.UTF8View.Iterator
    private var next: UInt8?

    init(_ text: String) {
        bytes = text.utf8.makeIterator()
        next = bytes.next()
    }

    var isAtEnd: Bool { next == nil }

    /// Passes `byte` if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        next = bytes.next()
        return true
    }

    /// A number of exactly `digits` digits.
    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// One or more digits after the decimal point; what is finer than a nanosecond is cut off.
    mutating func fraction() -> Fraction? {
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 9 {
                value = value * 10 + digit
                count += 1
            }
        }
        let digits = count
        while count < 9 {
            value *= 10
            count += 1
        }
        return Fraction(nanoseconds: value, digits: digits)
    }

    private mutating func digit() -> Int? {
        guard let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        next = bytes.next()
        return Int(byte - UInt8(ascii: "0"))
    }
}
