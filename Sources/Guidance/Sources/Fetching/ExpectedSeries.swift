import Foundation

extension EnergySeries {
    /// The series with what is to be expected after its end, for sources that know the past only.
    ///
    /// A coming hour is the median of the same hour of the wall clock on the last seven days, where at least three of them are known. The
    /// source's name says that it is a guess, since no provider promised it.
    /// - Parameters:
    ///   - now: the present; figures are expected for the 36 hours after it.
    ///   - zone: whose wall clock hours are compared by.
    func expected(after now: Date, zone: TimeZone) -> EnergySeries {
        let hour = { (moment: Date) in
            Date(timeIntervalSince1970: (moment.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        }
        guard let end, end > now.addingTimeInterval(-86_400) else { return self }
        let clock = LocalClock(zone: zone)
        var start = max(end, hour(now))
        var guesses: [Slot] = []
        while start < now.addingTimeInterval(36 * 3600) {
            let next = hour(start).addingTimeInterval(3600)
            let wall = hour(start).timeIntervalSince1970 + Double(clock.offsetSeconds(at: start))
            let samples = (1...7).compactMap { back -> Double? in
                guard let same = clock.instants(showing: wall - Double(back) * 86_400).first else { return nil }
                return mean(over: same..<same.addingTimeInterval(3600))
            }
            .sorted()
            if samples.count >= 3 {
                guesses.append(Slot(start: start, end: next, value: samples[samples.count / 2]))
            }
            start = next
        }
        guard !guesses.isEmpty else { return self }
        return EnergySeries(kind: kind, source: source + " (expected from the last week)", ordered: slots + guesses)
    }
}
