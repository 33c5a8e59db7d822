import CSystemd

/// Tells the service manager how the daemon is doing; does nothing when systemd did not start it.
///
/// systemd names its socket in `NOTIFY_SOCKET` and the watchdog's interval in `WATCHDOG_USEC`, see sd_notify(3).
package enum ServiceNotifier {
    /// What there is to tell.
    package enum Notice: Sendable, Equatable {
        /// Start-up is done and the daemon serves.
        case ready
        /// Shutdown has begun.
        case stopping
        /// The daemon's main loop is alive; to be sent from that loop only, so that a stuck one is restarted.
        case watchdog
        /// One line for people, shown by `systemctl status`.
        case status(String)

        fileprivate var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            // A line break would end the text and begin another field.
            case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
            }
        }
    }

    /// Sends notices in one message.
    /// - Returns: whether the service manager took them; false when there is none.
    @discardableResult
    package static func send(_ notices: Notice...) -> Bool {
        sd_notify(0, notices.map(\.line).joined(separator: "\n")) > 0
    }

    /// The time within which systemd wants to see `.watchdog`, nil when it does not watch; send it twice as often.
    package static var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }
}
