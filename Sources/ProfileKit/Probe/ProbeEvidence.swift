import Foundation
import HubKit

/// How much speaks for a profile, by what it makes of a device's registers.
///
/// Registers are numbers without a name, and a wrong profile makes something of them too; but hardly ever a voltage, a
/// frequency, and a power that is their product.
struct ProbeEvidence {
    let profile: DeviceProfile
    /// What the device says of itself.
    let identity: SunSpecIdentity?

    /// The sum of what speaks for and against it.
    /// - Parameters:
    ///   - reading: what the profile read.
    ///   - known: how many registers the device gave.
    ///   - all: how many the profile has.
    /// - Returns: nothing where it can't be the right one.
    func score(_ reading: DeviceReading, known: Int, of all: Int) -> Double? {
        guard all > 0, known * 5 >= all * 3 else { return nil }
        var score = 2 * Double(known) / Double(all)
        for (quantity, sample) in reading.samples {
            // A float read from whole numbers is mostly a hair's breadth beside zero.
            guard sample.value == 0 || abs(sample.value) >= 1e-3 else { return nil }
            score += Self.worth(of: quantity, sample.value)
        }
        score += phases(reading) + states(reading) + names
        return score > 1 ? score : nil
    }

    /// What a single value says; nothing says little, since much may be off.
    private static func worth(of quantity: Quantity, _ value: Double) -> Double {
        guard value != 0 else { return 0 }
        switch quantity {
        case .voltageL1Volts, .voltageL2Volts, .voltageL3Volts: return (80...280).contains(value) ? 3 : -3
        case .frequencyHertz: return (45...65).contains(value) ? 3 : -3
        case .limitAmps: return (6...80).contains(value) ? 1 : -1
        case .roomCelsius: return (5...40).contains(value) ? 1 : -1
        case .outdoorCelsius: return (-30...50).contains(value) ? 1 : -1
        case .flowCelsius, .returnCelsius, .hotWaterCelsius: return (5...95).contains(value) ? 1 : -1
        default: return 1
        }
    }

    /// Volts times amps are watts, and three phases are the whole.
    private func phases(_ reading: DeviceReading) -> Double {
        let phases: [(Quantity, Quantity, Quantity)] = [
            (.voltageL1Volts, .currentL1Amps, .powerL1Watts), (.voltageL2Volts, .currentL2Amps, .powerL2Watts),
            (.voltageL3Volts, .currentL3Amps, .powerL3Watts),
        ]
        var score = 0.0
        var apparent = 0.0
        var whole: Double? = 0
        for (volts, amps, watts) in phases {
            guard let volts = reading[volts], let amps = reading[amps], volts > 0 else { continue }
            apparent += abs(volts * amps)
            guard let watts = reading[watts] else {
                whole = nil
                continue
            }
            whole = whole.map { $0 + watts }
            if watts != 0 || amps != 0 { score += abs(watts) <= abs(volts * amps) * 1.1 + 30 ? 1 : -2 }
        }
        guard apparent > 0, let power = reading.powerWatts, power != 0 else { return score }
        score += abs(power) <= apparent * 1.1 + 50 ? 1 : -2
        if let whole, whole != 0 { score += abs(whole - power) <= abs(power) * 0.1 + 50 ? 2 : -2 }
        return score
    }

    /// A device is always in some state; codes that nobody knows are another device's.
    private func states(_ reading: DeviceReading) -> Double {
        var score = 0.0
        if !profile.states.plug.isEmpty { score += reading.plug == nil ? -2 : 1 }
        if !profile.states.charging.isEmpty { score += reading.charging == nil ? -2 : 1 }
        if !profile.states.mode.isEmpty { score += reading.hvacMode == nil ? -2 : 1 }
        return score
    }

    /// What the device calls itself.
    private var names: Double {
        guard !profile.sunspecPoints.isEmpty || identity != nil else { return 0 }
        // Whoever finds values by SunSpec finds the right ones.
        let standard: Double = profile.sunspecPoints.isEmpty ? 0 : 3
        guard let maker = identity?.maker?.lowercased(),
            let vendor = profile.vendor.lowercased().split(separator: " ").first
        else { return standard }
        // A profile for the make knows it better than one for all, however many values that one reads.
        return standard + (maker.contains(vendor) ? 20 : 0)
    }
}
