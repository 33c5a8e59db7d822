import Foundation
import HubKit

/// The powers a charger can be asked for right now.
struct ChargerPower: Equatable, Sendable {
    /// The currents, in amps for each phase.
    var range: CurrentRange
    /// Phases in use.
    var phases: Int
    /// Watts for each amp offered.
    var wattsPerAmp: Double
    /// The least power the car charges with.
    var minimumWatts: Double
    /// The most it draws: what the charger offers, or what the car was seen to take.
    var maximumWatts: Double

    /// Works them out from what the charger declares and last read.
    init(_ inputs: TickInputs, observedMaximum: Double?) {
        let charger = inputs.device.capabilities.charger
        let reading = inputs.device.reading
        range = charger?.currentLimit ?? CurrentRange(maximumAmps: 16)
        if let fuse = inputs.venue.connection?.amps { range.maximumAmps = min(range.maximumAmps, fuse) }
        phases = reading?[.phaseCount].map { Int($0) } ?? charger?.phases.max() ?? 3
        // The nominal voltage, so that plans do not wander with every reading.
        wattsPerAmp = 230 * Double(max(1, min(phases, 3)))
        let minimumAmps = max(range.minimumAmps, inputs.device.configuration.limits.minimumAmps ?? 0)
        range.minimumAmps = min(minimumAmps, range.maximumAmps)
        minimumWatts = range.minimumAmps * wattsPerAmp
        maximumWatts = max(minimumWatts, min(range.maximumAmps * wattsPerAmp, observedMaximum ?? .infinity))
    }

    /// The settable current that gives at least this power: rounded up, so that a deadline is not missed by a step.
    func amps(atLeast watts: Double) -> Double {
        // What the car does not take anyway need not be held back.
        if watts >= maximumWatts - 1 { return range.maximumAmps }
        let exact = watts / wattsPerAmp
        let down = range.settable(exact)
        return down >= exact - 1e-6
            ? max(down, range.minimumAmps) : range.settable(max(exact, range.minimumAmps) + range.stepAmps)
    }
}

/// What the car was seen to take: many cars draw less than the charger offers, and a plan must know.
struct ObservedPower: Equatable, Sendable {
    /// The most the car takes, once it was seen below the offer for a while.
    private(set) var maximumWatts: Double?
    private var belowSince: Date?

    /// Takes a reading into account.
    mutating func note(_ reading: DeviceReading, offeredAmps: Double, _ power: ChargerPower, at now: Date) {
        guard reading.charging == .charging, offeredAmps >= power.range.maximumAmps - 0.1,
            let watts = reading.powerWatts,
            watts > 500
        else {
            belowSince = nil
            return
        }
        let offered = power.range.maximumAmps * power.wattsPerAmp
        guard watts < 0.94 * offered else {
            belowSince = nil
            maximumWatts = nil
            return
        }
        belowSince = belowSince ?? now
        guard let since = belowSince, now.timeIntervalSince(since) >= 120 else { return }
        // In steps of 5 %, so that noise does not make a new plan each time.
        let rounded = (watts / offered * 20).rounded(.up) / 20 * offered
        if maximumWatts.map({ abs($0 - rounded) > 0.06 * offered }) ?? true { maximumWatts = rounded }
    }
}

/// The car's charge: what was read, or what can be worked out since it was plugged in.
enum StateOfCharge {
    /// Percent, or nothing where neither a measurement nor an assumption exists.
    static func percent(_ reading: DeviceReading, use: DeviceUse, vehicle: VehicleConfiguration?) -> Double? {
        if let measured = reading[.stateOfChargePercent] { return measured }
        guard let vehicle, let capacity = vehicle.capacityWattHours, let assumed = vehicle.assumedStateOfCharge,
            let counter = reading[.importWattHours], let start = use.pluggedAtWattHours
        else { return nil }
        return min(100, assumed + max(0, counter - start) * vehicle.efficiency / capacity * 100)
    }
}
