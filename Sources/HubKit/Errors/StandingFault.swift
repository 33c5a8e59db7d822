public import Foundation

/// A fault that may come again and again, told to people once: when it begins, once an hour while it lasts, and when it
/// is over.
///
///     if let line = fault.failed("the disk is full", at: clock.now) { log.warning(line) }
///     if let line = fault.ended("the disk has room again", at: clock.now) { log.notice(line) }
public struct StandingFault: Sendable, Equatable {
    /// When it began; nothing while all is well.
    public private(set) var since: Date?
    /// How often it was met since it began.
    public private(set) var count = 0
    /// Seconds between two reminders.
    public var reminderSeconds: Double
    private var saidAt: Date?
    private var said: Set<String> = []

    /// All is well.
    /// - Parameter reminderSeconds: seconds of the hub's clock between two reminders.
    public init(reminderSeconds: Double = 3600) {
        self.reminderSeconds = reminderSeconds
    }

    /// Notes that it failed.
    /// - Parameters:
    ///   - text: what is wrong; one that was not said since the fault began is said at once, up to four.
    ///   - now: when.
    /// - Returns: the line to say, where one is due.
    public mutating func failed(_ text: String, at now: Date) -> String? {
        let began = since ?? now
        since = began
        count += 1
        if said.count < 4, said.insert(text).inserted {
            saidAt = now
            return text
        }
        // A clock that was set back must not hold reminders up for ever.
        guard let saidAt, abs(now.timeIntervalSince(saidAt)) >= reminderSeconds else { return nil }
        self.saidAt = now
        return "\(text) (for \(PlainDuration.text(seconds: now.timeIntervalSince(began))), \(count) times)"
    }

    /// Notes that it works.
    /// - Parameters:
    ///   - text: what is well again.
    ///   - now: when.
    /// - Returns: the line to say, where there was a fault.
    public mutating func ended(_ text: @autoclosure () -> String, at now: Date) -> String? {
        guard let since else { return nil }
        let lasted = PlainDuration.text(seconds: now.timeIntervalSince(since))
        let line = "\(text()) (after \(lasted), \(count == 1 ? "one failure" : "\(count) failures"))"
        self = StandingFault(reminderSeconds: reminderSeconds)
        return line
    }
}

/// Durations as people say them.
public enum PlainDuration {
    /// The duration in at most two units: `4 s`, `3 min`, `2 h 5 min`, `3 days`.
    public static func text(seconds: Double) -> String {
        guard seconds.isFinite else { return "an unknown time" }
        let whole = Int(min(abs(seconds), 1e12).rounded())
        switch whole {
        case ..<120: return "\(whole) s"
        case ..<7200: return "\(whole / 60) min"
        case ..<172_800:
            let minutes = whole % 3600 / 60
            return minutes == 0 ? "\(whole / 3600) h" : "\(whole / 3600) h \(minutes) min"
        default: return "\(whole / 86_400) days"
        }
    }
}
