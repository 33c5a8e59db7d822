/// What a device reports about its use of electricity.
///
/// Do not conform types of your own: a venue accepts `ElectricVehicleLoadEvent`, `ElectricHVACLoadEvent` and
/// `ElectricVehicleStatusEvent`, and refuses everything else with `EnergyKitError.invalidLoadEvent`.
public protocol ElectricalLoadEventProtocol: Decodable, Encodable, Identifiable, Sendable {}

/// A device that uses or gives electricity.
public struct ElectricalLoadDevice: Codable, Sendable, Hashable {
    /// The identifier by which events and insights name the device.
    public let id: String
    /// The name that a person gave it, as it was given.
    public let name: String
    /// What kind of device it is.
    public let type: DeviceType

    /// Describes a device.
    ///
    /// All three are kept as given.
    public init(id: String, name: String, type: DeviceType) {
        self.id = id
        self.name = name
        self.type = type
    }

    /// Kinds of devices.
    ///
    /// The raw value is the name in JSON.
    public enum DeviceType: String, Codable, Equatable, Hashable, Sendable {
        /// Heating, ventilation or cooling.
        case hvac
        /// An electric car or its charger.
        case electricVehicle
    }
}
