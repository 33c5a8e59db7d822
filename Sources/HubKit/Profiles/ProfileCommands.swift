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
    /// Made to run, as by mode 4 of SG Ready.
    case reduceForced = "forced"
    /// The argument is kelvin above the device's own setpoint.
    case offset
    /// Back to the device's own setpoint.
    case noOffset = "no_offset"
    /// The argument is the own surplus it may use, in watts.
    case surplus
    /// The argument is the most it may draw, in watts.
    case powerLimit = "power_limit"
    /// It may draw what it wants again.
    case noPowerLimit = "no_power_limit"
    case stage0 = "stage_0"
    case stage1 = "stage_1"
    case stage2 = "stage_2"
    case stage3 = "stage_3"
    case stage4 = "stage_4"
    case stage5 = "stage_5"
    case stage6 = "stage_6"
    case stage7 = "stage_7"
    /// A home battery follows the house.
    case batteryAutomatic = "automatic"
    /// A home battery gives nothing.
    case batteryHold = "hold"
    /// A home battery charges, from the grid too; the argument is watts.
    case batteryCharge = "charge"
    /// Written before the first command, and before the next one after the device was away.
    case prepare

    /// Whether the value that is written comes with the command.
    public var takesArgument: Bool {
        switch self {
        case .current, .setpoint, .batteryCharge, .offset, .surplus, .powerLimit: true
        default: false
        }
    }

    /// The commands that switch a device to its steps of power, the lowest first.
    public static let stages: [ProfileCommand] = [
        .stage0, .stage1, .stage2, .stage3, .stage4, .stage5, .stage6, .stage7,
    ]

    /// The kind of device that it is for; absent for what any device may need.
    var kind: DeviceKind? {
        switch self {
        case .current, .pause, .resume, .onePhase, .threePhases: .ev
        case .batteryAutomatic, .batteryHold, .batteryCharge: .meter
        case .prepare: nil
        case .setpoint, .reduceNormal, .reduceReduced, .reduceBoosted, .reduceForced, .offset, .noOffset, .surplus,
            .powerLimit, .noPowerLimit, .stage0, .stage1, .stage2, .stage3, .stage4, .stage5, .stage6, .stage7:
            .hvac
        }
    }
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

/// One step of a command, by the way its profile speaks to the device.
public enum ProfileAction: Sendable, Equatable {
    /// Registers are written.
    case write(ProfileWrite)
    /// A message is published, or a request sent.
    case send(ProfileSending)

    /// What goes into it.
    public var value: ProfileWrite.Value {
        switch self {
        case .write(let write): write.value
        case .send(let sending): sending.value
        }
    }

    /// The values that go into it; any where absent.
    var allowed: ClosedRange<Double>? {
        switch self {
        case .write(let write): write.allowed
        case .send(let sending): sending.allowed
        }
    }
}

/// One message or request to a device.
public struct ProfileSending: Sendable, Equatable {
    /// Where it goes; with placeholders.
    public enum Place: Sendable, Equatable {
        /// A topic; the broker keeps the message where it is retained.
        case topic(String, isRetained: Bool)
        /// A path with its query.
        case request(method: String, path: String)
    }

    /// Where.
    public var place: Place
    /// Payload or body, absent for none; `{value}` stands for the number.
    public var payload: String?
    /// The media type of a body.
    public var mediaType: String?
    /// The number: always none with `constant`, which then means nothing.
    public var value: ProfileWrite.Value
    /// The factor from the number to the argument's unit.
    public var scale = 1.0
    /// Digits after the point, at most.
    public var decimals = 3
    /// The values that are sent, in the argument's unit; for any other the whole command is refused.
    public var allowed: ClosedRange<Double>?
    /// What an answer must have.
    public var answer: ProfileAnswer?

    /// Makes a message or request.
    public init(_ place: Place, payload: String? = nil, value: ProfileWrite.Value = .constant(0)) {
        self.place = place
        self.payload = payload
        self.value = value
    }
}
