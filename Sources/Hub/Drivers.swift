import EVDriver
import HVACDriver
package import HubKit
package import MQTT
import MeterDriver
package import OCPP
import OCPPDriver
package import ProfileKit

extension DriverRegistry {
    /// The drivers that this hub is built with; a duplicate name is an error.
    /// - Parameters:
    ///   - central: where chargers of OCPP connect.
    ///   - broker: the hub's own broker, where there is one.
    ///   - traffic: hears what is said to and by devices of profiles.
    /// - Throws: `HubError` naming the driver.
    package static func standard(
        central: CentralSystem = CentralSystem(), broker: MQTTClient? = nil, traffic: TrafficTap? = nil
    ) throws(HubError) -> DriverRegistry {
        let buses = ModbusBuses()
        let networks = DeviceNetworks(broker: broker, traffic: traffic)
        var registry = DriverRegistry()
        try registry.register(EVDriver(buses: buses, networks: networks))
        try registry.register(HVACDriver(buses: buses, networks: networks))
        try registry.register(MeterDriver(buses: buses, networks: networks))
        try registry.register(OCPPDriver(central: central))
        // scripts/new-driver adds drivers above this line
        return registry
    }
}
