package import Foundation
package import HubKit

/// Whether a value that a device tells can be its answer to what it was told.
///
/// A register is read after it was written. A message may be older than the command, and devices that speak in messages
/// or answers often tell the old value for some seconds more; taking that for a refusal would make them be told again and
/// again.
package enum Echo {
    /// Seconds after a command in which messages and answers still have the old value.
    private static let settleSeconds = 10.0

    /// Whether the value was said late enough.
    /// - Parameters:
    ///   - sample: the value.
    ///   - written: when the device was told; absent for never.
    ///   - profile: how it is spoken to.
    ///   - now: the time.
    package static func isAnswer(_ sample: Sample, to written: Date?, _ profile: DeviceProfile, at now: Date) -> Bool {
        // One of the future is of a clock that was set back since then.
        guard let written, written <= now else { return true }
        return sample.at >= written.addingTimeInterval(profile.link == .modbus ? 0 : settleSeconds)
    }
}
