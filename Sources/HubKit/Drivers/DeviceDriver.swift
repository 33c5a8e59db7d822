/// Makes devices of one kind from their configuration: what a plug-in is.
///
/// A driver is registered at start-up under its name. It knows nothing of the services and edges of the hub beyond
/// what its `DriverContext` shares.
///
/// For example, a driver for a made-up charger:
///
///     struct WallboxDriver: DeviceDriver {
///         let name = "wallbox"
///         let kind = DeviceKind.ev
///         let summary = "Chargers that speak the Wallbox protocol"
///         func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
///             Wallbox(configuration, context)
///         }
///     }
public protocol DeviceDriver: Sendable {
    /// The name a configuration uses: lower-case letters, digits and `-`.
    var name: String { get }
    /// What its devices are to the house.
    var kind: DeviceKind { get }
    /// One line for people.
    var summary: String { get }

    /// Makes a device. Nothing is connected yet; that happens in `Device.run`.
    /// - Throws: `HubError` that says what in the configuration is wrong and how to mend it; the hub then disables this
    ///   device alone.
    func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device

    /// Everything that is wrong with a device's configuration, each with the key it is about, so that a person sees it
    /// at its place in the file. Connects to nothing, and must find whatever `makeDevice` would refuse.
    ///
    /// There is a default that asks `makeDevice`.
    func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault]
}

/// A device that a driver made.
public protocol Device: Sendable {
    /// What it can tell and do.
    var capabilities: DeviceCapabilities { get }

    /// Reads the device and reports what it says until the task is cancelled; never throws, since a device that fails
    /// reports its health and tries again.
    func run(_ reporter: DeviceReporter) async

    /// Carries out one command; calls never overlap.
    /// - Throws: an error with a retry class; the caller tries again where that makes sense.
    func perform(_ command: DeviceCommand) async throws -> CommandReceipt

    /// Reads every point once, with the raw words or message behind each value.
    /// - Throws: what kept it from reading.
    func inspect() async throws -> [InspectedPoint]
}

/// One value with what the device really sent.
public struct InspectedPoint: Sendable, Equatable, Codable {
    /// The point's name in the profile.
    public let name: String
    /// The value as text with its unit, or nothing where it is not available.
    public let value: String?
    /// The raw words or message.
    public let raw: String
    /// Where it was read, such as `holding 1020`.
    public let place: String

    /// Makes an inspected point.
    public init(name: String, value: String?, raw: String, place: String) {
        self.name = name
        self.value = value
        self.raw = raw
        self.place = place
    }
}

/// What the hub shares with every driver.
public struct DriverContext: Sendable {
    /// The homes.
    public let venues: VenueRegistry
    /// Ratings of the coming hours.
    public let guidance: any GuidanceProviding
    /// The way in for load events.
    public let events: any EventSubmitting
    /// The device profiles that are known.
    public let profiles: ProfileLibrary
    /// The hub's time.
    public let clock: any HubClock
    /// Where to say what changed.
    public let log: HubLog

    /// Makes a context.
    public init(
        venues: VenueRegistry, guidance: any GuidanceProviding, events: any EventSubmitting, profiles: ProfileLibrary,
        clock: any HubClock, log: HubLog
    ) {
        self.venues = venues
        self.guidance = guidance
        self.events = events
        self.profiles = profiles
        self.clock = clock
        self.log = log
    }
}
