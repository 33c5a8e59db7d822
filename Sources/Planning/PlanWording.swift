package import Foundation

/// How times and money are written for people: a time zone and a currency, nothing taken from the process.
package struct PlanWording: Sendable, Hashable {
    /// The venue's time zone.
    package var timeZone: TimeZone
    /// ISO 4217 code, such as `EUR`.
    package var currencyCode: String
    /// The day from which other days are told apart.
    package var now: Date

    /// Creates a wording.
    package init(timeZone: TimeZone, currencyCode: String, now: Date) {
        self.timeZone = timeZone
        self.currencyCode = currencyCode
        self.now = now
    }

    /// `18:30` today and in the night that follows, `tomorrow 18:30`, or `Tue 18:30` where the day is further away.
    func time(_ instant: Date) -> String {
        let (day, minutes) = dayAndMinutes(instant)
        let (today, minutesNow) = dayAndMinutes(now)
        let clock = clock(instant)
        let isNight = day == today + 1 && minutes < 12 * 60 && minutesNow >= 12 * 60
        if day == today || day == today - 1 || isNight { return clock }
        if day == today + 1 { return "tomorrow \(clock)" }
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        return "\(weekdays[((day % 7) + 7) % 7]) \(clock)"
    }

    /// `2.10 €`, `12.40 SEK`.
    func money(_ amount: Double) -> String {
        let symbols = ["EUR": "€", "USD": "$", "GBP": "£"]
        return "\(fixed(amount, 2)) \(symbols[currencyCode] ?? currencyCode)"
    }

    /// Rounded to some decimals, without a locale.
    func fixed(_ value: Double, _ decimals: Int) -> String {
        let scale = decimals == 1 ? 10 : 100
        let whole = Int((value * Double(scale)).rounded())
        let digits = String(whole.magnitude % scale.magnitude)
        let fraction = String(repeating: "0", count: max(0, decimals - digits.count)) + digits
        return "\(whole < 0 ? "-" : "")\(whole.magnitude / scale.magnitude).\(fraction)"
    }

    /// Spans as `01:15–04:30 and 05:00–05:30`; more than three are told by their first and last.
    func spans(_ spans: [(start: Date, end: Date)]) -> String {
        let texts = spans.map { span($0.start, $0.end) }
        guard texts.count > 1, let last = texts.last else { return texts.first ?? "" }
        guard texts.count <= 3 else { return "\(texts[0]) to \(last) in \(texts.count) parts" }
        return texts.dropLast().joined(separator: ", ") + " and " + last
    }

    private func span(_ start: Date, _ end: Date) -> String {
        guard clock(start) != clock(end) || end.timeIntervalSince(start) > 3600 else {
            return "\(time(start)) for less than a minute"
        }
        // Where the end is near the start, its day goes without saying.
        return "\(time(start))–\(end.timeIntervalSince(start) < 12 * 3600 ? clock(end) : time(end))"
    }

    private func clock(_ instant: Date) -> String {
        let minutes = dayAndMinutes(instant).minutes
        return "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
    }

    /// The local day since 1970, and the minute of that day.
    private func dayAndMinutes(_ instant: Date) -> (day: Int, minutes: Int) {
        let local = localSeconds(instant)
        let day = Int((Double(local) / 86_400).rounded(.down))
        return (day, (local - day * 86_400) / 60)
    }

    private func localSeconds(_ instant: Date) -> Int {
        Int(instant.timeIntervalSince1970.rounded(.down)) + timeZone.secondsFromGMT(for: instant)
    }

    private func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
}
