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
    /// How to speak to it over Modbus.
    public var transport: ProfileTransport
    /// What carries its values and commands.
    public var link = ProfileLink.modbus
    /// Clock seconds between two readings.
    public var pollSeconds: Double
    /// What can be read.
    public var points: [ProfilePoint]
    /// What can be read wherever a SunSpec device has it.
    public var sunspecPoints: [SunSpecPoint]
    /// What comes in messages and answers.
    public var fieldPoints: [FieldPoint] = []
    /// What a person has to fill in, such as the number of a channel.
    public var parameters: [ProfileParameter] = []
    /// The layout of the models that these points name.
    public var sunspecModels: SunSpecModels
    /// What is computed from the points.
    public var sums: [ProfileSum]
    /// What a meter of this type can measure.
    public var roles: [MeterRole]
    /// What differs between units of the same model, by name; a person chooses.
    public var options: [ProfileOption]
    /// How points become states.
    public var states: ProfileStates
    /// What a charger of this type accepts.
    public var charger: ProfileCharger?
    /// What heating or cooling of this type accepts.
    public var hvac: ProfileHVAC?
    /// What a home battery of this type accepts.
    public var battery: ProfileBattery?
    /// What is written for each command.
    public var commands: [ProfileCommand: [ProfileAction]]
    /// How its fail-safe watchdog is fed.
    public var watchdog: ProfileWatchdog?

    /// Describes a type of device; only what every profile has is asked for.
    public init(name: String, kind: DeviceKind, vendor: String, transport: ProfileTransport, points: [ProfilePoint]) {
        self.name = name
        self.kind = kind
        self.vendor = vendor
        self.transport = transport
        self.points = points
        sunspecPoints = []
        sunspecModels = SunSpecModels()
        sums = []
        roles = MeterRole.allCases
        options = []
        models = []
        sources = []
        pollSeconds = 10
        states = ProfileStates()
        commands = [:]
    }

    /// The point of this name.
    public func point(_ name: String) -> ProfilePoint? { points.first { $0.name == name } }

    /// The point that gives this quantity.
    public func point(for quantity: Quantity) -> ProfilePoint? { points.first { $0.quantity == quantity } }

    /// Everything it tells.
    public var quantities: Set<Quantity> {
        let read =
            points.compactMap(\.quantity) + sunspecPoints.compactMap(\.template.quantity)
            + fieldPoints.compactMap(\.template.quantity)
        return Set(read + sums.compactMap(\.quantity))
    }
}

/// A difference between units of one model, such as another word order of a newer firmware.
public struct ProfileOption: Sendable, Equatable {
    /// Its name in the configuration.
    public var name: String
    /// When to choose it.
    public var about: String

    /// Makes an option.
    public init(name: String, about: String) {
        self.name = name
        self.about = about
    }
}

/// What carries Modbus to a device.
public enum ProfileLine: String, Sendable, CaseIterable {
    /// Modbus TCP.
    case tcp
    /// A serial line, Modbus RTU.
    case rtu
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
    /// What the device itself has; a serial one can stand behind a gateway.
    public var lines = ProfileLine.allCases
    /// What is added to every address, where a device has the same registers several times.
    public var addressOffset = 0

    /// Describes how to speak to a device; the defaults are those of a profile that says nothing.
    public init(
        port: UInt16 = 502, unit: UInt8 = 1, baud: Int = 9600, framing: String = "8N1",
        requestDelayMilliseconds: Int = 0, connectDelayMilliseconds: Int = 0, timeoutMilliseconds: Int = 2000,
        maximumRegisters: Int = 100, maximumGap: Int = 8
    ) {
        self.port = port
        self.unit = unit
        self.baud = baud
        self.framing = framing
        self.requestDelayMilliseconds = requestDelayMilliseconds
        self.connectDelayMilliseconds = connectDelayMilliseconds
        self.timeoutMilliseconds = timeoutMilliseconds
        self.maximumRegisters = maximumRegisters
        self.maximumGap = maximumGap
    }

    /// How it is reached, in a few words: `TCP 502, RTU 9600 8N1`.
    public var summary: String {
        lines.map { $0 == .tcp ? "TCP \(port)" : "RTU \(baud) \(framing)" }.joined(separator: ", ")
    }
}

/// What the person can configure of a charger's profile.
public struct ProfileCharger: Sendable, Equatable {
    /// The currents it accepts.
    public var current: CurrentRange
    /// The phases it charges on.
    public var phases: [Int]
    /// Whether the highest current is known; otherwise the person has to name it.
    public var isMaximumKnown = true

    /// Describes what a charger accepts.
    public init(current: CurrentRange, phases: [Int] = [3]) {
        self.current = current
        self.phases = phases
    }
}

/// What a home battery of a profile accepts.
public struct ProfileBattery: Sendable, Equatable {
    /// Clock seconds after which it goes back to following the house where nothing is written again.
    public var expiresSeconds: Double

    /// Describes what a battery accepts.
    public init(expiresSeconds: Double) { self.expiresSeconds = expiresSeconds }

    /// Clock seconds after which an order is written again.
    public var reassertSeconds: Double { expiresSeconds * 0.4 }
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
    public var feed: [ProfileAction]
    /// Whether any answered request is the food.
    public var isFedByReading = false
    /// Seconds between two times of feeding, where the maker names these and not the period.
    public var everySeconds: Double?

    /// Describes a watchdog.
    public init(
        periodPoint: String? = nil, fixedSeconds: Double? = nil, share: Double = 0.5, feed: [ProfileAction] = []
    ) {
        self.periodPoint = periodPoint
        self.fixedSeconds = fixedSeconds
        self.share = share
        self.feed = feed
    }
}
