import Foundation
import Guidance
import HomeSimulator
import HubKit

extension Demo {
    /// The demo house as a configuration: the same that a person would write for such a home.
    static func configuration(_ options: DemoOptions, _ folder: URL, _ ports: HousePorts) -> HubConfiguration {
        var configuration = HubConfiguration(dataFolder: folder)
        configuration.http.port = options.port
        if let mqtt = options.mqtt {
            configuration.mqtt = MQTTConfiguration(
                host: mqtt.host, port: mqtt.port, base: options.base, homeAssistantPrefix: "homeassistant")
            configuration.sendsEventsToMQTT = true
        }
        var venue = VenueConfiguration(name: "Home", timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt)
        venue.currency = "EUR"
        venue.connection = GridConnection(phases: 3, amps: 35)
        // What a German household paid beside the exchange's price in spring 2024: grid, levies, and 19 % tax on all.
        venue.priceComposition = PriceComposition(addPerKWh: 0.16, factor: 1.19)
        configuration.venues = [venue]
        configuration.devices = [
            meter("grid", "Grid", "eastron-sdm630", .grid, ports.meter),
            meter("solar", "Solar", "sma-inverter", .solar, ports.inverter),
            charger(ports.charger), heatPump(ports.heatPump),
        ]
        return configuration
    }

    private static func device(_ id: DeviceID, _ name: String, _ driver: String, _ profile: String, _ port: UInt16)
        -> DeviceConfiguration
    {
        var device = DeviceConfiguration(
            id: id, name: name, venueID: UUID(), driver: driver,
            connection: .modbusTCP(host: "127.0.0.1", port: port, unit: nil))
        device.profile = profile
        device.pollSeconds = 10
        return device
    }

    private static func meter(_ id: DeviceID, _ name: String, _ profile: String, _ role: MeterRole, _ port: UInt16)
        -> ConfiguredDevice
    {
        var meter = device(id, name, "meter", profile, port)
        meter.role = role
        return ConfiguredDevice(configuration: meter, venueIndex: 0, goal: nil)
    }

    private static func charger(_ port: UInt16) -> ConfiguredDevice {
        var charger = device("car", "Car", "ev", "keba-p30", port)
        charger.limits = DeviceLimits(maximumAmps: 16, phases: 3)
        charger.vehicle = VehicleConfiguration(capacityWattHours: 58_000, efficiency: 0.9, assumedStateOfCharge: 34)
        charger.mode = .guided
        let goal = ConfiguredGoal(amount: .energy(wattHours: 30_000), readyByMinute: 18 * 60, minimumAmps: nil)
        return ConfiguredDevice(configuration: charger, venueIndex: 0, goal: goal)
    }

    private static func heatPump(_ port: UInt16) -> ConfiguredDevice {
        var pump = device("heating", "Heating", "hvac", "nibe-s", port)
        pump.mode = .guided
        pump.comfort = ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)
        return ConfiguredDevice(configuration: pump, venueIndex: 0, goal: nil)
    }
}
