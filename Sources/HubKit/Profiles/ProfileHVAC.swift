/// What heating or cooling of a profile accepts.
public struct ProfileHVAC: Sendable, Equatable {
    /// How a device takes the surplus it is offered.
    public struct Surplus: Sendable, Equatable {
        /// The most it takes, in watts; absent where the person has to say it.
        public var maximumWatts: Double?
        /// Clock seconds after which an offer is written again, since the device forgets it.
        public var everySeconds: Double
        /// Whether the device draws nothing but what it is offered.
        public var isAll: Bool
    }

    /// The range of its setpoint in °C, where it can be set.
    public var setpointCelsius: ClosedRange<Double>?
    /// Clock seconds a load state must last before the next, and a step of power before a higher one.
    public var minimumDwellSeconds: Double
    /// Power at full stage in watts, to turn power into a stage.
    public var fullPowerWatts: Double?
    /// Clock seconds after which the device forgets a load state; absent where it keeps it.
    public var reassertSeconds: Double?
    /// How it takes surplus, where it does.
    public var surplus: Surplus?
    /// The limits of power it takes, in watts.
    public var powerLimitWatts: ClosedRange<Double>?
    /// The shifts of its setpoint it takes, in kelvin.
    public var offsetKelvin: ClosedRange<Double>?
    /// Its steps of power in percent of full power, ascending from 0.
    public var stagesPercent: [Double] = []

    /// Whether the person has to say how much the device draws.
    public var needsFullPower: Bool {
        guard fullPowerWatts == nil else { return false }
        return surplus.map { $0.maximumWatts == nil } ?? !stagesPercent.isEmpty
    }

    /// Describes what heating or cooling accepts.
    public init(
        setpointCelsius: ClosedRange<Double>? = nil, minimumDwellSeconds: Double = 600, fullPowerWatts: Double? = nil,
        reassertSeconds: Double? = nil
    ) {
        self.setpointCelsius = setpointCelsius
        self.minimumDwellSeconds = minimumDwellSeconds
        self.fullPowerWatts = fullPowerWatts
        self.reassertSeconds = reassertSeconds
    }
}
