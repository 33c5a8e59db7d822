public import Foundation

/// How a device is doing.
public struct DeviceHealth: Sendable, Equatable {
    /// The states a device can be in.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Nothing was heard yet.
        case starting
        /// It answers.
        case ok
        /// It answers in part, or answers were missed.
        case degraded
        /// It has not answered for a while; the hub keeps trying.
        case offline
        /// Its configuration is wrong; nothing is tried until that is mended.
        case disabled
    }

    /// The state.
    public var state: State
    /// Since when.
    public var since: Date
    /// Why, and what would help, where it is not well.
    public var reason: String?

    /// Makes a state of health.
    public init(_ state: State, since: Date, reason: String? = nil) {
        self.state = state
        self.since = since
        self.reason = reason
    }
}
