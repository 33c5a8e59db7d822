/// Times in the JSON of planning problems: RFC 3339 text to and from whole seconds since 1970 in UTC.
enum UTCText {
    /// Seconds since 1970 of `2026-01-31T18:00:00Z` or of a time with an offset; `nil` if the text is anything else
    /// or has a fraction of a second.
    static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == dash, bytes[7] == dash, bytes[13] == colon, bytes[16] == colon,
            bytes[10] == letterT || bytes[10] == space,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            1...12 ~= month, 1...daysInMonth(year, month) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        var rest = bytes[19...]
        if rest.first == point {
            rest = rest.dropFirst()
            let fraction = rest.prefix { zero...nine ~= $0 }
            guard !fraction.isEmpty, fraction.allSatisfy({ $0 == zero }) else { return nil }
            rest = rest.dropFirst(fraction.count)
        }
        guard let offset = offsetSeconds(Array(rest)) else { return nil }
        return daysSinceEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    /// The text `YYYY-MM-DDTHH:MM:SSZ` of seconds since 1970.
    static func text(_ seconds: Int) -> String {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let inDay = seconds - days * 86_400
        let (year, month, day) = civil(days)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T"
            + "\(pad(inDay / 3600, 2)):\(pad(inDay / 60 % 60, 2)):\(pad(inDay % 60, 2))Z"
    }

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")
    private static let point = UInt8(ascii: ".")
    private static let space = UInt8(ascii: " ")
    private static let letterT = UInt8(ascii: "T")
    private static let zero = UInt8(ascii: "0")
    private static let nine = UInt8(ascii: "9")

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard zero...nine ~= digit else { return nil }
            value = value * 10 + Int(digit - zero)
        }
        return value
    }

    private static func offsetSeconds(_ bytes: [UInt8]) -> Int? {
        if bytes == [UInt8(ascii: "Z")] { return 0 }
        guard bytes.count == 6, bytes[3] == colon, bytes[0] == UInt8(ascii: "+") || bytes[0] == dash,
            let hours = number(bytes[1..<3]), let minutes = number(bytes[4..<6]), hours < 24, minutes < 60
        else { return nil }
        return (bytes[0] == dash ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func daysInMonth(_ year: Int, _ month: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Days from 1970-01-01 in the Gregorian calendar; the year is taken to start in March so that a leap day is last.
    private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // The estimate is at most one year off: 365.2425 days a year.
        var year = 1970 + Int((Double(days) / 365.2425).rounded(.down))
        while daysSinceEpoch(year, 1, 1) > days { year -= 1 }
        while daysSinceEpoch(year + 1, 1, 1) <= days { year += 1 }
        var month = 1
        while month < 12, daysSinceEpoch(year, month + 1, 1) <= days { month += 1 }
        return (year, month, days - daysSinceEpoch(year, month, 1) + 1)
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
