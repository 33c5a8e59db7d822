import HubKit

/// How a device without load states, such as a thermostat, is reduced and boosted: by its setpoint, within the comfort band.
///
/// Whatever becomes of the hub meanwhile, the device goes on within the band that people chose.
struct SetpointShift: Equatable, Sendable {
    /// By how much, in kelvin.
    let kelvin: Double
    private let setpointCelsius: Double
    private let range: ClosedRange<Double>

    /// In whole steps of half a kelvin, which every thermostat takes, and a little inside the band, so that the room stays
    /// in it; nothing where the band is too narrow for that, or nobody knows whether the device heats or cools.
    init?(_ hvac: HVACCapabilities?, _ comfort: ComfortGoal?, knowsMode: Bool) {
        guard let range = hvac?.setpointCelsius, let comfort, knowsMode, hvac?.reduce.isEmpty == true else {
            return nil
        }
        kelvin = Self.kelvin(within: comfort)
        guard kelvin > 0 else { return nil }
        setpointCelsius = comfort.setpointCelsius
        self.range = range
    }

    /// By how much the setpoint of a band may be shifted, in kelvin; 0 where it is too narrow.
    static func kelvin(within comfort: ComfortGoal?) -> Double {
        guard let band = comfort?.comfortBandKelvin else { return 0 }
        return max(0, ((band - 0.2) / 0.5 + 1e-9).rounded(.down) * 0.5)
    }

    /// The setpoint for a load state.
    func celsius(_ state: ReduceState, isCooling: Bool) -> Double {
        let change: Double =
            switch state {
            case .normal: 0
            case .reduced: isCooling ? kelvin : -kelvin
            case .boosted, .forced: isCooling ? -kelvin : kelvin
            }
        return min(max(setpointCelsius + change, range.lowerBound), range.upperBound)
    }
}
