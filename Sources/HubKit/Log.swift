import Foundation
import ThreadKit

/// How much a log line matters.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    case debug, info, notice, warning, error

    /// Whether the left matters less.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    /// The level's priority in the syslog convention that journald reads from a line's head.
    var syslogPriority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    /// The level as a person reads it.
    public var name: String { String(describing: self) }
}

/// Where the hub's log lines go; a value to hand around, so that tests can collect what was said.
///
/// A line is for a change of state, never for each poll. Nothing secret is ever given to it.
public struct HubLog: Sendable {
    private let sink: @Sendable (LogLevel, String, String) -> Void
    /// Who speaks, such as `driver.ev` or `guidance`.
    public let label: String

    /// Makes a log that hands level, label and text to `sink`.
    public init(label: String, sink: @escaping @Sendable (LogLevel, String, String) -> Void) {
        self.label = label
        self.sink = sink
    }

    /// The same log under another label.
    public func labelled(_ label: String) -> HubLog { HubLog(label: label, sink: sink) }

    /// Says something that only a developer looks for.
    public func debug(_ text: @autoclosure () -> String) { sink(.debug, label, text()) }
    /// Says something worth knowing once.
    public func info(_ text: String) { sink(.info, label, text) }
    /// Says that a normal but significant change happened.
    public func notice(_ text: String) { sink(.notice, label, text) }
    /// Says that something is wrong and the hub goes on without it.
    public func warning(_ text: String) { sink(.warning, label, text) }
    /// Says that something failed that a person must mend.
    public func error(_ text: String) { sink(.error, label, text) }

    /// What one line holds of values that came from outside and of whatever is said about them, in Unicode scalars.
    static let longestLine = 1000

    /// Drops everything.
    public static let silent = HubLog(label: "") { _, _, _ in }

    /// Writes to standard error: with journald's priority prefix under systemd, with the level's name elsewhere.
    public static func standardError(minimum: LogLevel, forJournal: Bool) -> HubLog {
        HubLog(label: "hub") { level, label, text in
            guard level >= minimum else { return }
            let oneLine = text.replacingOccurrences(of: "\n", with: " ⏎ ").shown(longestLine)
            let line =
                forJournal ? "<\(level.syslogPriority)>\(label): \(oneLine)\n" : "\(level.name): \(label): \(oneLine)\n"
            LogLine.write(line)
        }
    }
}
