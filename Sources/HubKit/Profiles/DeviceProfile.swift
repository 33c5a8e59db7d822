/// What is known of a type of device, as data: a file under `etc/profiles/` that a person can read, check and extend.
public struct DeviceProfile: Sendable, Equatable {
    /// Its name: the file's name without `.yaml`.
    public var name: String
    /// What such a device is to the house.
    public var kind: DeviceKind
    /// Who makes it.
    public var vendor: String
    /// The models it is for.
    public var models: [String]
    /// Where its facts come from, with a date.
    public var sources: [String]
    /// How to speak to it.
    public var transport: ProfileTransport
    /// Clock seconds between two readings.
    public var pollSeconds: Double
    /// What can be read.
    public var points: [ProfilePoint]
    /// How points become states.
    public var states: ProfileStates
    /// What a charger of this type accepts.
    public var charger: ProfileCharger?
    /// What heating or cooling of this type accepts.
    public var hvac: ProfileHVAC?
    /// What is written for each command.
    public var commands: [ProfileCommand: [ProfileWrite]]
    /// How its fail-safe watchdog is fed.
    public var watchdog: ProfileWatchdog?

    /// The point of this name.
    public func point(_ name: String) -> ProfilePoint? { points.first { $0.name == name } }

    /// The point that gives this quantity.
    public func point(for quantity: Quantity) -> ProfilePoint? { points.first { $0.quantity == quantity } }
}

/// How a device of a profile is spoken to over Modbus.
public struct ProfileTransport: Sendable, Equatable {
    /// The TCP port it listens on.
    public var port: UInt16
    /// The unit it answers to.
    public var unit: UInt8
    /// The speed of its serial line, where it has one.
    public var baud: Int
    /// The framing of its serial line, such as `8N1`.
    public var framing: String
    /// The pause it needs between two requests, in real milliseconds.
    public var requestDelayMilliseconds: Int
    /// The pause it needs after a connection was made, in real milliseconds.
    public var connectDelayMilliseconds: Int
    /// How long it may take to answer, in real milliseconds.
    public var timeoutMilliseconds: Int
    /// The most registers it gives in one answer.
    public var maximumRegisters: Int
    /// The widest gap of registers nobody asked for that one read may span.
    public var maximumGap: Int
}

/// What the person can configure of a charger's profile.
public struct ProfileCharger: Sendable, Equatable {
    /// The currents it accepts.
    public var current: CurrentRange
    /// The phases it charges on.
    public var phases: [Int]
}

/// What heating or cooling of a profile accepts.
public struct ProfileHVAC: Sendable, Equatable {
    /// The range of its setpoint in °C, where it can be set.
    public var setpointCelsius: ClosedRange<Double>?
    /// Clock seconds a load state must last before the next.
    public var minimumDwellSeconds: Double
    /// Power at full stage in watts, to turn power into a stage.
    public var fullPowerWatts: Double?
    /// Clock seconds after which the device forgets a load state; absent where it keeps it.
    public var reassertSeconds: Double?
}

/// How a device's fail-safe watchdog is fed: the hub reads the period from the device, and never switches it on itself
/// (field case D-8).
public struct ProfileWatchdog: Sendable, Equatable {
    /// The point that holds the period in seconds, where 0 means off; absent where the period is fixed.
    public var periodPoint: String?
    /// The period in seconds where no point tells it.
    public var fixedSeconds: Double?
    /// The share of the period after which it is fed.
    public var share: Double
    /// What is written; absent where writing the current again is the food.
    public var feed: [ProfileWrite]
}
