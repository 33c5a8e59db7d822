import Foundation
import HubKit

/// Whether a charger really does what was decided for it: a decision alone follows no guidance.
///
/// A charger that draws power although it is to pause, or far more than it is to, does not follow once it has done so
/// for a while; a command needs its time to arrive.
struct Obedience: Sendable {
    /// How long a charger may go its own way before that counts, in seconds of the hub's clock.
    static let graceSeconds: TimeInterval = 60
    /// Power that counts for nothing, in watts.
    static let spareWatts = 500.0

    private var astraySince: Date?

    /// Judges a charger's last reading by the decision of a tick.
    mutating func judge(_ amps: Double?, _ inputs: TickInputs, _ clock: any HubClock) -> Bool {
        let grace = clock.tolerance(seconds: Self.graceSeconds)
        let reading = inputs.device.freshReading(within: grace, at: inputs.now)
        return judge(amps: amps, watts: reading?.powerWatts, grace: grace, at: inputs.now)
    }

    /// Judges the last reading by the decision.
    /// - Parameters:
    ///   - amps: the current decided for each phase; nil where nothing was decided.
    ///   - watts: the power measured, where it is known.
    ///   - grace: how long it may go its own way, in seconds.
    ///   - now: the present moment.
    /// - Returns: whether it does as decided, as far as anyone can tell.
    mutating func judge(amps: Double?, watts: Double?, grace: TimeInterval, at now: Date) -> Bool {
        guard let amps, let watts, watts > amps * 3 * 230 * 1.25 + Self.spareWatts else {
            astraySince = nil
            return true
        }
        let since = min(astraySince ?? now, now)
        astraySince = since
        return now.timeIntervalSince(since) < grace
    }
}
