import HubKit

/// How a load state is brought about with what a device takes: load states of its own, a shift of its setpoint, or the
/// setpoint itself.
struct HeatingWays: Sendable {
    /// Whether it has load states.
    let hasStates: Bool
    private let states: [ReduceState]
    private let shift: SetpointShift?
    private let setpointRange: ClosedRange<Double>?
    private let comfortCelsius: Double?
    private let offsetRange: ClosedRange<Double>?
    private let offsetKelvin: Double
    private let isCooling: Bool
    private let hasSetback: Bool
    /// The most surplus it can be offered, in watts, where it takes it.
    let mostSurplus: Double?
    /// Whether it draws nothing but the surplus it is offered.
    let drawsOnlySurplus: Bool
    /// Its power at full stage, in watts, where that is known.
    let fullWatts: Double?

    init(
        _ hvac: HVACCapabilities?, _ comfort: ComfortGoal?, isCooling: Bool, knowsMode: Bool, hasSetback: Bool
    ) {
        states = hvac?.reduce ?? []
        hasStates = !states.isEmpty
        // A device that shifts its setpoint by itself keeps the one that people set.
        shift = hvac?.offsetKelvin == nil ? SetpointShift(hvac, comfort, knowsMode: knowsMode) : nil
        setpointRange = hvac?.setpointCelsius
        comfortCelsius = comfort?.setpointCelsius
        // A shift of the heating's setpoint says nothing while the device cools.
        offsetRange = hvac?.offsetKelvin
        offsetKelvin = isCooling || !knowsMode ? 0 : SetpointShift.kelvin(within: comfort)
        self.isCooling = isCooling
        self.hasSetback = hasSetback
        mostSurplus = hvac?.surplusWatts?.upperBound
        drawsOnlySurplus = hvac?.drawsOnlySurplus ?? false
        fullWatts = hvac?.fullPowerWatts
    }

    /// Whether it can be made to draw less.
    var canReduce: Bool { states.contains(.reduced) || shift != nil || canShift }

    /// Whether it can be made to draw more.
    var canBoost: Bool { states.contains(.boosted) || states.contains(.forced) || shift != nil || canShift }

    /// The load state it has that is nearest to one that asks for more.
    func nearest(_ state: ReduceState) -> ReduceState {
        switch state {
        case .forced: states.contains(.forced) ? .forced : .boosted
        case .boosted: states.contains(.boosted) || !states.contains(.forced) ? .boosted : .forced
        case .normal, .reduced: state
        }
    }

    private var canShift: Bool { offsetRange != nil && offsetKelvin > 0 }

    /// The setpoint that is written in a load state, where the device takes one.
    func setpoint(_ state: ReduceState?) -> Double? {
        if let shift { return state.map { shift.celsius($0, isCooling: isCooling) } }
        guard let setpointRange, let comfortCelsius else { return nil }
        return hasSetback
            ? min(max(comfortCelsius, setpointRange.lowerBound), setpointRange.upperBound) : comfortCelsius
    }

    /// The shift of its own setpoint in a load state, in kelvin, where the device takes one.
    func offset(_ state: ReduceState?) -> Double? {
        guard let offsetRange, let state else { return nil }
        let wanted: Double =
            switch state {
            case .normal: 0
            case .reduced: states.contains(.reduced) ? 0 : -offsetKelvin
            case .boosted, .forced: states.contains(state) ? 0 : offsetKelvin
            }
        return min(max(wanted, offsetRange.lowerBound), offsetRange.upperBound)
    }

    /// A decision for a load state, with what brings the device there.
    func carriedOut(_ decision: HeatPumpDecision) -> HeatPumpDecision {
        var carried = decision
        carried.setpointCelsius = setpoint(decision.state)
        carried.offsetKelvin = offset(decision.state)
        guard let state = decision.state, state != .normal, !states.contains(state) else {
            if shift != nil { (carried.aim, carried.state) = (decision.state, nil) }
            if !hasStates { carried.state = nil }
            return carried
        }
        carried.aim = state
        carried.state = hasStates ? .normal : nil
        return carried
    }
}
