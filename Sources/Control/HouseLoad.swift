import Foundation
import HubKit

/// What a house draws by itself as a rule, for hours of which no forecast tells.
struct HouseLoad: Equatable, Sendable {
    /// Watts without chargers and batteries, the newer the heavier; what most houses draw until something was measured.
    private(set) var watts = 400.0
    private var notedAt: Date?
    private var seconds = 0.0

    /// Seconds in which what was measured before loses most of its weight.
    private static let memorySeconds = 21_600.0

    /// Takes in what flows now.
    /// - Parameters:
    ///   - grid: the grid meter's fresh reading; nothing is noted without it.
    ///   - others: chargers and batteries of the home.
    ///   - now: the present moment.
    mutating func note(_ grid: DeviceReading?, _ others: [DeviceState], at now: Date) {
        guard let watts = grid?.powerWatts else { return }
        let house = others.reduce(watts) { sum, device in
            // A battery's power is positive while it gives.
            sum + (device.configuration.role == .battery ? 1 : -1) * (device.reading?.powerWatts ?? 0)
        }
        let passed = notedAt.map { min(max(0, now.timeIntervalSince($0)), 900) } ?? 60
        notedAt = now
        // In its first hours one moment weighs no more than its share of the time.
        seconds = min(seconds + passed, HouseLoad.memorySeconds)
        self.watts += (house - self.watts) * min(1, passed / max(seconds, 1800))
    }
}
