/// The commands that a profile can describe.
public enum ProfileCommand: String, Sendable, CaseIterable {
    /// Offer a current above 0; the argument is amps for each phase.
    case current
    /// Stop charging.
    case pause
    /// Allow charging again.
    case resume
    /// Charge on one phase.
    case onePhase = "one_phase"
    /// Charge on three phases.
    case threePhases = "three_phases"
    /// The argument is a temperature in °C.
    case setpoint
    case reduceNormal = "normal"
    case reduceReduced = "reduced"
    case reduceBoosted = "boosted"
    /// Written before the first command, and before the next one after the device was away.
    case prepare

    /// Whether the value that is written comes with the command.
    public var takesArgument: Bool { self == .current || self == .setpoint }
}

/// One write to a device.
public struct ProfileWrite: Sendable, Equatable {
    /// What is written.
    public enum Value: Sendable, Equatable {
        /// Always this raw number.
        case constant(Double)
        /// The command's argument divided by the scale.
        case argument
        /// What was last read from this point, such as a watchdog's own period.
        case point(String)
    }

    /// Where: `holding` or `coil`.
    public var place: RegisterPlace
    /// How the value becomes words.
    public var type: RegisterType
    /// The order of its words.
    public var wordOrder: WordOrder
    /// The order of the bytes in each word.
    public var byteOrder: ByteOrder = .big
    /// The factor from the raw number to the argument's unit.
    public var scale: Double
    /// What.
    public var value: Value
    /// The values that are written, in the argument's unit; for any other the whole command is refused.
    public var allowed: ClosedRange<Double>?
    /// Whether even a single word goes by function 16 (write multiple registers) instead of 6.
    public var multiple: Bool

    /// Makes a write.
    public init(
        place: RegisterPlace, type: RegisterType = .u16, wordOrder: WordOrder = .big, scale: Double = 1, value: Value,
        multiple: Bool = false
    ) {
        self.place = place
        self.type = type
        self.wordOrder = wordOrder
        self.scale = scale
        self.value = value
        self.multiple = multiple
    }
}
