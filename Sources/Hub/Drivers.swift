import EVDriver
import HVACDriver
package import HubKit
import MeterDriver
import ProfileKit

extension DriverRegistry {
    /// The drivers that this hub is built with; a duplicate name is an error.
    /// - Throws: `HubError` naming the driver.
    package static func standard() throws(HubError) -> DriverRegistry {
        let buses = ModbusBuses()
        var registry = DriverRegistry()
        try registry.register(EVDriver(buses: buses))
        try registry.register(HVACDriver(buses: buses))
        try registry.register(MeterDriver(buses: buses))
        // scripts/new-driver adds drivers above this line
        return registry
    }
}
