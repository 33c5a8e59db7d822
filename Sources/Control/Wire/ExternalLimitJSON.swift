import Foundation

/// A limit from outside as HTTP and MQTT bring it.
package struct ExternalLimitRequest: Decodable, Sendable {
    /// What all chargers may draw together, in watts; absent is no limit.
    package var powerWatts: Double?
    /// How long it holds, in seconds; absent is until it is changed.
    package var durationSeconds: Double?

    /// Makes a request.
    package init(powerWatts: Double?, durationSeconds: Double? = nil) {
        self.powerWatts = powerWatts
        self.durationSeconds = durationSeconds
    }
}

/// A limit from outside as HTTP shows it.
package struct ExternalLimitJSON: Encodable, Sendable {
    private var powerWatts: Double?
    private var receivedAt: Date?
    private var until: Date?
    private var allowedWatts: Double?
    private var isFailSafe: Bool

    /// Shows what was said last, and what holds now.
    package init(_ said: ExternalLimit?, _ allowed: AllowedPower) {
        powerWatts = said?.powerWatts
        receivedAt = said?.receivedAt
        until = said?.until
        allowedWatts = allowed.watts
        isFailSafe = allowed.isFailSafe
    }
}
