/// What a heating or cooling device can tell and do.
public struct HVACCapabilities: Sendable, Equatable, Codable {
    /// Temperatures it measures.
    public enum Temperature: String, Sendable, Codable, CaseIterable {
        case room, outdoor, flow, returnFlow, hotWater
    }

    /// Whether it tells at what stage (0…100, in proportion to power) it runs.
    public var stage: Bool
    /// Whether it tells if it heats, cools or idles.
    public var mode: Bool
    /// The temperatures it measures, in °C.
    public var temperatures: [Temperature]
    /// The range its setpoint can be put to, in °C, where it can be set.
    public var setpointCelsius: ClosedRange<Double>?
    /// The load states it can be put into beside normal.
    public var reduce: [ReduceState]
    /// The own surplus it can be offered, in watts from 0, where it takes one.
    public var surplusWatts: ClosedRange<Double>?
    /// Whether it draws nothing but the surplus it is offered, as a heating rod does.
    public var drawsOnlySurplus = false
    /// Its steps of power in percent of full power, ascending from 0, where it can be switched to each of them.
    public var stagesPercent: [Double] = []
    /// The most power it can be told to draw, in watts, where it can be limited.
    public var powerLimitWatts: ClosedRange<Double>?
    /// By how much its own setpoint can be shifted, in kelvin, where it can.
    public var offsetKelvin: ClosedRange<Double>?
    /// The power it draws at full stage, in watts, where that is known.
    public var fullPowerWatts: Double?

    /// Declares what the device can do.
    public init(
        stage: Bool = false, mode: Bool = false, temperatures: [Temperature] = [],
        setpointCelsius: ClosedRange<Double>? = nil, reduce: [ReduceState] = []
    ) {
        self.stage = stage
        self.mode = mode
        self.temperatures = temperatures
        self.setpointCelsius = setpointCelsius
        self.reduce = reduce
    }

    /// Whether it can be brought to take more than by itself, and so to follow the own surplus.
    public var canTakeMore: Bool {
        surplusWatts != nil || reduce.contains(.boosted) || reduce.contains(.forced) || offsetKelvin != nil
            || (reduce.isEmpty && setpointCelsius != nil)
    }

    /// The highest step of power within some watts, as its place in `stagesPercent`.
    public func stage(within watts: Double) -> Int {
        let full = fullPowerWatts ?? 0
        return stagesPercent.lastIndex { $0 / 100 * full <= watts + 1e-6 } ?? 0
    }
}
