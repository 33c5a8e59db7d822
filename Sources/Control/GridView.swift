import Foundation
import HubKit

/// What the grid meter of a home tells now, or why nobody can go by it.
struct GridView: Sendable {
    /// Its reading, where that is fresh.
    var reading: DeviceReading?
    /// Why it says nothing that chargers can go by, in words that stay the same while it is so.
    var fault: String?
    /// The meter, where the home has one.
    var meter: DeviceState?

    /// What is said of a meter that answers and tells no power.
    static let unusable = "the grid meter gives no usable values"

    /// Looks at a meter.
    /// - Parameters:
    ///   - meter: the home's grid meter, where it has one.
    ///   - seconds: how old a reading may be.
    ///   - now: the present moment.
    init(_ meter: DeviceState?, within seconds: Double, at now: Date) {
        self.meter = meter
        reading = meter?.freshReading(within: seconds, at: now)
        if meter == nil {
            fault = "there is no grid meter"
        } else if let reading {
            fault = GridView.tellsPower(reading) ? nil : GridView.unusable
        } else {
            fault = "the grid meter does not answer"
        }
    }

    /// Whether the meter was not heard since the start of the hub.
    var isStarting: Bool { meter?.health.state == .starting }

    /// Why chargers can't go by it, with what its health says, for the log.
    var sentence: String {
        let reason = meter?.health.reason.map { " (\(meter?.configuration.id.rawValue ?? ""): \($0))" } ?? ""
        return (fault ?? "the grid meter does not tell every phase") + reason
    }

    private static func tellsPower(_ reading: DeviceReading) -> Bool {
        let quantities: [Quantity] = [
            .powerWatts, .powerL1Watts, .powerL2Watts, .powerL3Watts, .currentL1Amps, .currentL2Amps, .currentL3Amps,
        ]
        return quantities.contains { reading[$0] != nil }
    }
}
