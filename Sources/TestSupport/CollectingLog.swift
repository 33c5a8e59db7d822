package import HubKit
import ThreadKit

/// Keeps every log line, so that a test can say what a person would have read.
package final class CollectingLog: Sendable {
    /// One line.
    package struct Line: Sendable, Equatable {
        /// How much it matters.
        package let level: LogLevel
        /// Who said it.
        package let label: String
        /// What.
        package let text: String
    }

    private let kept = Locked<[Line]>([])

    /// Nothing was said yet.
    package init() {}

    /// The log to hand to what is tested.
    package var log: HubLog {
        HubLog(label: "test") { [kept] level, label, text in
            kept.withLock { $0.append(Line(level: level, label: label, text: text)) }
        }
    }

    /// Everything that was said so far.
    package var lines: [Line] { kept.current }

    /// What was said at `level` or above.
    package func texts(from level: LogLevel = .debug) -> [String] {
        lines.filter { $0.level >= level }.map(\.text)
    }
}
