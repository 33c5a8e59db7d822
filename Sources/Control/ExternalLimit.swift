package import Foundation
import HubKit

/// The most that chargers and heat pumps of a home may draw together, as the grid operator or another system outside says.
///
/// A limit without a duration holds until it is changed (field case C-6).
package struct ExternalLimit: Sendable, Equatable, Codable {
    /// Watts; absent is no limit, said by someone who is there.
    package var powerWatts: Double?
    /// When it was said.
    package var receivedAt: Date
    /// When it ends by itself, where it was given a duration.
    package var until: Date?

    /// What can be asked for, in watts.
    static let range = 0.0...1e6

    /// Makes a limit.
    package init(powerWatts: Double?, receivedAt: Date, until: Date? = nil) {
        self.powerWatts = powerWatts
        self.receivedAt = receivedAt
        self.until = until
    }
}

/// What holds where the system outside falls silent.
package struct ExternalLimitRules: Sendable, Equatable {
    /// What chargers and heat pumps may draw together then, in watts.
    package var failSafeWatts: Double
    /// How long it may be silent, in clock seconds.
    package var heartbeatSeconds: Double

    /// Makes rules.
    package init(failSafeWatts: Double, heartbeatSeconds: Double = 120) {
        self.failSafeWatts = failSafeWatts
        self.heartbeatSeconds = heartbeatSeconds
    }
}

/// The limit from outside that holds at a moment.
package struct AllowedPower: Sendable, Equatable {
    /// What chargers and heat pumps may draw together, in watts; absent where nothing limits.
    package var watts: Double?
    /// Whether that is the fail-safe limit, because the system outside is silent.
    package var isFailSafe = false
    /// When it ends by itself, where that is known.
    package var until: Date?

    /// Works it out.
    /// - Parameters:
    ///   - limit: what was said last, if anything.
    ///   - rules: what holds in silence; absent where nobody has to be heard.
    ///   - start: when the hub began to listen.
    ///   - now: the moment.
    init(_ limit: ExternalLimit?, _ rules: ExternalLimitRules?, since start: Date, at now: Date) {
        let said = limit.flatMap { limit in limit.until.map { now < $0 } ?? true ? limit.powerWatts : nil }
        watts = said
        until = said == nil ? nil : limit?.until
        guard let rules else { return }
        let heard = max(limit?.receivedAt ?? start, start)
        // A clock that was set back says nothing of silence.
        guard now.timeIntervalSince(heard) > rules.heartbeatSeconds else { return }
        watts = rules.failSafeWatts
        isFailSafe = true
        until = nil
    }
}
