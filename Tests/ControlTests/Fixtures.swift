import EnergyKit
import Foundation
import HubKit
import TestSupport

@testable import Control

/// A moment written as `2026-11-30T18:00:00Z`.
func utc(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

extension TimeZone {
    static func named(_ name: String) throws -> TimeZone {
        guard let zone = TimeZone(identifier: name) else { throw HubError(.configuration, "no zone data for \(name)") }
        return zone
    }
}

/// A home with one three-phase charger of 6…16 A, and what its parts say.
struct ChargerLab {
    static let id: DeviceID = "wallbox"
    let venue: Venue
    let board = DeviceBoard()

    init(
        fuse: GridConnection? = nil, zone: TimeZone = .gmt, vehicle: VehicleConfiguration? = nil,
        range: CurrentRange = CurrentRange(maximumAmps: 16), at now: Date, id: DeviceID = ChargerLab.id,
        circuit: String? = nil, priority: Int = 0, phases: [Int] = [3]
    ) {
        venue = Venue(id: UUID(), name: "Home", timeZone: zone, currency: "EUR", connection: fuse)
        var configuration = DeviceConfiguration(
            id: id, name: "Charger", venueID: venue.id, driver: "ev", connection: .none)
        configuration.vehicle = vehicle
        configuration.circuit = circuit
        configuration.priority = priority
        board.add(
            configuration, kind: .ev,
            capabilities: DeviceCapabilities(
                meter: MeterCapabilities(power: true, importEnergy: true),
                charger: ChargerCapabilities(
                    plugState: true, chargingState: true, currentLimit: range, phases: phases)),
            health: DeviceHealth(.ok, since: now))
    }

    /// What a tick at `now` knows; without a reading the charger was never heard.
    func inputs(
        _ now: Date, _ reading: DeviceReading?, grid: DeviceReading? = nil, guidance: ElectricityGuidance? = nil,
        health: DeviceHealth.State = .ok
    ) throws -> TickInputs {
        if let reading { board.post(reading, for: ChargerLab.id) }
        board.post(DeviceHealth(health, since: now), for: ChargerLab.id)
        guard let device = board[ChargerLab.id] else { throw HubError(.notFound, "no charger") }
        return TickInputs(
            now: now, device: device, venue: venue, grid: grid, guidance: guidance, carbonPricePerKg: 0)
    }
}

/// A charger's reading.
func charger(
    _ now: Date, plug: PlugState? = .plugged, charging: ChargingState? = nil, watts: Double? = 0,
    counter: Double? = 1000,
    amps: [Double]? = nil, percent: Double? = nil, limit: Double? = nil
) -> DeviceReading {
    var reading = DeviceReading(at: now)
    reading.plug = plug
    reading.charging = charging ?? (watts.map { $0 > 0 ? .charging : .idle })
    reading[.powerWatts] = watts
    reading[.importWattHours] = counter
    reading[.stateOfChargePercent] = percent
    reading[.limitAmps] = limit
    if let amps {
        for (quantity, value) in zip([Quantity.currentL1Amps, .currentL2Amps, .currentL3Amps], amps) {
            reading[quantity] = value
        }
    }
    return reading
}

/// A grid meter's reading with a current on each phase, and its power.
func grid(_ now: Date, amps: [Double] = [], watts: Double? = nil) -> DeviceReading {
    var reading = DeviceReading(at: now)
    for (quantity, value) in zip([Quantity.currentL1Amps, .currentL2Amps, .currentL3Amps], amps) {
        reading[quantity] = value
    }
    reading[.powerWatts] = watts
    return reading
}

/// Guidance from equal slots.
func guidance(
    from start: Date, seconds: Double = 3600, prices: [Double?], ratings: [Double]? = nil, grams: [Double?]? = nil,
    action: ElectricityGuidance.SuggestedAction = .shift, token: UUID = UUID()
) -> ElectricityGuidance {
    let values = prices.indices.map { index in
        ElectricityGuidance.Value(
            interval: DateInterval(start: start.addingTimeInterval(Double(index) * seconds), duration: seconds),
            rating: ratings?[index] ?? 0.5, pricePerKWh: prices[index], gramsCO2PerKWh: grams?[index])
    }
    return ElectricityGuidance(
        guidanceToken: token, energyVenueID: UUID(), suggestedAction: action, issuedAt: start,
        interval: DateInterval(start: start, duration: Double(prices.count) * seconds), options: [], values: values)
}

extension DeviceUse {
    /// Guided towards an energy.
    static func goal(_ wattHours: Double, by deadline: Date, repeats: Bool = false, setAt: Date) -> DeviceUse {
        var use = DeviceUse()
        use.mode = .guided
        use.charging = StoredGoal(
            ChargingGoal(
                amount: .energy(wattHours: wattHours), readyBy: deadline, repeatsDaily: repeats, setAt: setAt))
        return use
    }

    /// Guided towards a charge.
    static func percent(_ percent: Double, by deadline: Date, repeats: Bool = false, setAt: Date) -> DeviceUse {
        var use = DeviceUse()
        use.mode = .guided
        use.charging = StoredGoal(
            ChargingGoal(
                amount: .stateOfCharge(percent: percent), readyBy: deadline, repeatsDaily: repeats, setAt: setAt))
        return use
    }

    /// A mode alone.
    static func mode(_ mode: DeviceMode) -> DeviceUse {
        var use = DeviceUse()
        use.mode = mode
        return use
    }
}

/// Small repeatable noise.
struct Noise: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
