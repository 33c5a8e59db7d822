import Foundation
import HubKit

/// The time that a device writes into what it says.
enum DeviceTime {
    /// Reads a time: seconds or milliseconds since 1970, or an ISO 8601 text.
    /// - Parameters:
    ///   - value: what the device wrote.
    ///   - zone: the zone of a text without an offset.
    static func date(_ value: JSONDocument?, in zone: TimeZone) -> Date? {
        switch value {
        case .number(let number): return date(seconds: number)
        case .text(let text): return Double(text).flatMap { date(seconds: $0) } ?? date(text, zone)
        default: return nil
        }
    }

    private static func date(seconds number: Double) -> Date? {
        guard number.isFinite, number > 0 else { return nil }
        return Date(timeIntervalSince1970: number > 1e11 ? number / 1000 : number)
    }

    private static func date(_ text: String, _ zone: TimeZone) -> Date? {
        let numbers = text.split { !$0.isASCII || !$0.isNumber }.map { Int($0) ?? -1 }
        guard numbers.count >= 5, text.count >= 16, text.prefix(4).allSatisfy(\.isNumber) else { return nil }
        var parts = DateComponents()
        (parts.year, parts.month, parts.day) = (numbers[0], numbers[1], numbers[2])
        (parts.hour, parts.minute) = (numbers[3], numbers[4])
        guard (1...12).contains(numbers[1]), (1...31).contains(numbers[2]), (0...23).contains(numbers[3]),
            (0...59).contains(numbers[4])
        else { return nil }
        let hasSeconds = text.dropFirst(16).first == ":" && numbers.count >= 6
        parts.second = hasSeconds ? min(numbers[5], 59) : 0
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = offset(of: text.dropFirst(hasSeconds ? 19 : 16)) ?? zone
        return calendar.date(from: parts)
    }

    /// The zone at the end of a text: `Z`, `+02:00`, `+0200`; nothing where there is none.
    private static func offset(of end: Substring) -> TimeZone? {
        if end.hasSuffix("Z") { return .gmt }
        guard let sign = end.firstIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
        let digits = end[sign...].filter(\.isNumber)
        guard digits.count >= 2, let hours = Int(digits.prefix(2)) else { return nil }
        let minutes = Int(digits.dropFirst(2).prefix(2)) ?? 0
        return TimeZone(secondsFromGMT: (hours * 3600 + minutes * 60) * (end[sign] == "-" ? -1 : 1))
    }
}
