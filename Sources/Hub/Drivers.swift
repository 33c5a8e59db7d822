import EVDriver
import HVACDriver
package import HubKit
import MeterDriver
package import OCPP
import OCPPDriver
import ProfileKit

extension DriverRegistry {
    /// The drivers that this hub is built with; a duplicate name is an error.
    /// - Parameter central: where chargers of OCPP connect.
    /// - Throws: `HubError` naming the driver.
    package static func standard(central: CentralSystem = CentralSystem()) throws(HubError) -> DriverRegistry {
        let buses = ModbusBuses()
        var registry = DriverRegistry()
        try registry.register(EVDriver(buses: buses))
        try registry.register(HVACDriver(buses: buses))
        try registry.register(MeterDriver(buses: buses))
        try registry.register(OCPPDriver(central: central))
        // scripts/new-driver adds drivers above this line
        return registry
    }
}
