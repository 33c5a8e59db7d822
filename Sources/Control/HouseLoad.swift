import Foundation
import HubKit

/// What a house draws by itself as a rule, for hours of which no forecast tells.
struct HouseLoad: Equatable, Sendable {
    /// Watts without chargers and batteries, the newer the heavier; what most houses draw until something was measured.
    private(set) var watts: Double
    /// How far the fullest phase is above the emptiest.
    private(set) var uneven: UnevenLoad
    private var notedAt: Date?
    private var seconds = 0.0

    /// Seconds in which what was measured before loses most of its weight.
    private static let memorySeconds = 21_600.0

    /// The same for what is seldom: a quiet night does not say that nobody will cook.
    private static let unevenMemorySeconds = 86_400.0

    /// Nothing measured yet but what is said here.
    init(watts: Double = 400, uneven: UnevenLoad = .usual) {
        self.watts = watts
        self.uneven = uneven
    }

    /// Takes in what flows now.
    /// - Parameters:
    ///   - grid: the grid meter's fresh reading; nothing is noted without it.
    ///   - others: chargers and batteries of the home.
    ///   - phases: phases of the connection.
    ///   - now: the present moment.
    mutating func note(_ grid: DeviceReading?, _ others: [DeviceState], phases: Int = 3, at now: Date) {
        guard let grid, let watts = grid.powerWatts else { return }
        let house = others.reduce(watts) { sum, device in
            // A battery's power is positive while it gives.
            sum + (device.configuration.role == .battery ? 1 : -1) * (device.reading?.powerWatts ?? 0)
        }
        let passed = notedAt.map { min(max(0, now.timeIntervalSince($0)), 900) } ?? 60
        notedAt = now
        // In its first hours one moment weighs no more than its share of the time.
        seconds = min(seconds + passed, HouseLoad.memorySeconds)
        let weight = min(1, passed / max(seconds, 1800))
        self.watts += (house - self.watts) * weight
        if let amps = unevenAmps(grid, others, phases) {
            uneven.note(amps, weight: passed / HouseLoad.unevenMemorySeconds)
        }
    }

    private func unevenAmps(_ grid: DeviceReading, _ others: [DeviceState], _ phases: Int) -> Double? {
        let chargers = others.filter { $0.kind == .ev }.compactMap { device in
            device.reading.map { Self.drawnAmps($0, device.capabilities.charger) }
        }
        let all = ConnectionLimit.signedAmps(grid, phases: phases).prefix(phases)
        let own = all.enumerated().compactMap { phase, amps in
            amps.map { $0 - chargers.reduce(0) { $0 + $1[phase] } }
        }
        // A battery and a roof are on all phases alike.
        guard own.count == phases, let fullest = own.max(), let emptiest = own.min() else { return nil }
        // On one phase only what is usual tells what stands out.
        return phases > 1 ? fullest - emptiest : max(0, fullest - watts / 230)
    }

    private static func drawnAmps(_ reading: DeviceReading, _ charger: ChargerCapabilities?) -> [Double] {
        let counted = reading[.phaseCount].flatMap { (1...3).contains($0) ? Int($0) : nil }
        return ConnectionClaim(
            wantedAmps: 0, minimumAmps: 0, phases: counted ?? charger?.phases.max() ?? 3, reading: reading,
            changedAt: nil
        ).drawnAmps
    }
}
