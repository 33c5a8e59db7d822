public import Foundation

/// One device as the configuration describes it.
public struct DeviceConfiguration: Sendable, Equatable {
    /// Its stable name.
    public var id: DeviceID
    /// What people call it.
    public var name: String
    /// The home it is in.
    public var venueID: UUID
    /// The registered driver's name.
    public var driver: String
    /// The profile's name, where the driver works by profiles.
    public var profile: String?
    /// Options of the profile that fit this unit.
    public var profileOptions: [String] = []
    /// How to reach it.
    public var connection: DeviceConnection
    /// What a meter measures.
    public var role: MeterRole?
    /// The circuit it hangs on.
    public var circuit: String?
    /// Who is served first where there is not enough for all: the higher.
    public var priority = 0
    /// Limits that the person set.
    public var limits: DeviceLimits
    /// The car on the charger, where something is known of it.
    public var vehicle: VehicleConfiguration?
    /// The home battery, where the hub plans it.
    public var battery: BatteryConfiguration?
    /// Comfort, for heating and cooling.
    public var comfort: ComfortGoal?
    /// By how many kelvin heating is lowered and cooling raised while nobody is at home; nothing where it is not.
    public var awaySetbackKelvin: Double?
    /// How it is used until someone says otherwise.
    public var mode: DeviceMode?
    /// Clock seconds between two readings; absent for the profile's own.
    public var pollSeconds: Double?
    /// Whether the driver may feed a fail-safe watchdog that the device has switched on.
    public var feedsWatchdog: Bool

    /// Describes a device; only what every device needs is asked for.
    public init(id: DeviceID, name: String, venueID: UUID, driver: String, connection: DeviceConnection) {
        self.id = id
        self.name = name
        self.venueID = venueID
        self.driver = driver
        self.connection = connection
        limits = DeviceLimits()
        feedsWatchdog = true
    }
}

/// How a device is reached.
public enum DeviceConnection: Sendable, Equatable, Hashable {
    /// Modbus over TCP; the unit comes from the profile where it is not given.
    case modbusTCP(host: String, port: UInt16?, unit: UInt8?)
    /// Modbus over a serial line.
    case modbusRTU(path: String, baud: Int?, framing: String?, unit: UInt8?)
    /// Topics of an MQTT broker.
    case mqtt(DeviceTopic)
    /// Requests over HTTP.
    case http(DeviceAddress)
    /// A charger that connects to the hub and speaks OCPP 1.6J.
    case ocpp(OCPPConnection)
    /// Nothing to connect to: the driver has its own way.
    case none
}

/// Limits a person set for a device; absent is no limit beyond the device's own.
public struct DeviceLimits: Sendable, Equatable {
    /// The least current to charge with, in amps.
    public var minimumAmps: Double?
    /// The highest current, in amps for each phase.
    public var maximumAmps: Double?
    /// Phases it is wired with.
    public var phases: Int?
    /// The power of heating or cooling at full stage, in watts.
    public var maximumWatts: Double?
    /// The price at or below which it charges at once, until a person sets another.
    public var price: PriceLimit?

    /// Makes limits.
    public init(
        minimumAmps: Double? = nil, maximumAmps: Double? = nil, phases: Int? = nil, price: PriceLimit? = nil
    ) {
        self.minimumAmps = minimumAmps
        self.maximumAmps = maximumAmps
        self.phases = phases
        self.price = price
    }
}

/// What is known of the car, where nothing measures it.
public struct VehicleConfiguration: Sendable, Equatable {
    /// Usable capacity in watt-hours.
    public var capacityWattHours: Double?
    /// Energy that reaches the battery for each unit at the meter, 0…1.
    public var efficiency: Double
    /// The state of charge to assume at plug-in, in percent, where nothing measures it.
    public var assumedStateOfCharge: Double?
    /// A topic of the hub's own broker on which the car's charge is told, in percent.
    public var chargeTopic: String?
    /// The path of the charge where the topic's messages are JSON.
    public var chargePath: String?

    /// Describes a car.
    public init(capacityWattHours: Double? = nil, efficiency: Double = 0.9, assumedStateOfCharge: Double? = nil) {
        self.capacityWattHours = capacityWattHours
        self.efficiency = efficiency
        self.assumedStateOfCharge = assumedStateOfCharge
    }
}

/// What is known of a home battery.
public struct BatteryConfiguration: Sendable, Equatable {
    /// Usable capacity in watt-hours.
    public var capacityWattHours: Double
    /// The state of charge below which it gives nothing, in percent.
    public var minimumStateOfCharge = 10.0
    /// The most power it charges with, in watts at the meter.
    public var chargeWatts: Double
    /// The most power it gives, in watts at the meter.
    public var dischargeWatts: Double
    /// What comes back of a unit of energy that is charged and given again, above 0 up to 1.
    public var efficiency = 0.9
    /// What it wears off for each kWh given, in the venue's currency.
    public var wearPerKWh = 0.0
    /// Whether it may be charged from the grid.
    public var chargesFromGrid = true
    /// The state of charge, in percent, up to which it is filled from the sun before cars and heating are.
    public var priorityStateOfCharge = 100.0

    /// Describes a battery.
    public init(capacityWattHours: Double, chargeWatts: Double, dischargeWatts: Double) {
        self.capacityWattHours = capacityWattHours
        self.chargeWatts = chargeWatts
        self.dischargeWatts = dischargeWatts
    }
}

/// What people want of heating or cooling.
public struct ComfortGoal: Sendable, Equatable, Codable {
    /// The room temperature they want, in °C.
    public var setpointCelsius: Double
    /// How far below or above it may drift, in kelvin.
    public var comfortBandKelvin: Double

    /// Makes a goal.
    public init(setpointCelsius: Double, comfortBandKelvin: Double) {
        self.setpointCelsius = setpointCelsius
        self.comfortBandKelvin = comfortBandKelvin
    }
}
