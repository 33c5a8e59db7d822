package import Foundation
package import HubKit

/// What a session machine is told at one moment.
package struct SessionInput: Sendable {
    /// The device's last reading, new or old; absent before the first.
    package var reading: DeviceReading?
    /// Whether a person changed the device's mode or goal since the last step.
    package var userActed: Bool
    /// The guidance the device works under, where one is known.
    package var guidance: FollowedGuidance?
    /// The present moment.
    package var now: Date

    /// Tells what is known.
    package init(reading: DeviceReading?, userActed: Bool = false, guidance: FollowedGuidance?, now: Date) {
        self.reading = reading
        self.userActed = userActed
        self.guidance = guidance
        self.now = now
    }
}

/// The guidance that a session's events quote.
struct QuotedGuidance: Sendable, Codable, Equatable {
    var token: UUID
    var isFollowing: Bool

    init(_ guidance: FollowedGuidance) {
        token = guidance.token
        isFollowing = guidance.isFollowing
    }
}

extension Date {
    /// Quarter-hours since 1970: two moments of the same quarter have the same number.
    ///
    /// Every zone in use is a whole number of quarter-hours from UTC, so these are the marks on every wall clock.
    var quarterHour: Int { Int((timeIntervalSince1970 / 900).rounded(.down)) }

    /// The next quarter-hour mark after this moment.
    var nextQuarterHour: Date { Date(timeIntervalSince1970: Double(quarterHour + 1) * 900) }
}

/// How long a reading counts as the present state for a quarter-hour sample, in seconds.
let freshReadingSeconds: TimeInterval = 120
