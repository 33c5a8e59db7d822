package import HubKit
package import OCPP
import YAML

/// Chargers that connect to the hub and speak OCPP 1.6J.
package struct OCPPDriver: DeviceDriver {
    package let name = "ocpp"
    package let kind = DeviceKind.ev
    package let summary = "Chargers for cars that connect to the hub by OCPP 1.6J"
    private let central: CentralSystem

    /// Makes the driver.
    /// - Parameter central: where its chargers connect.
    package init(central: CentralSystem) {
        self.central = central
    }

    package func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        try check(configuration, in: context).refuse(configuration.id)
        guard case .ocpp(let connection) = configuration.connection, let amps = configuration.limits.maximumAmps else {
            throw HubError(.configuration, "\(configuration.id): the connection is not complete")
        }
        let charger = OCPPCharger(configuration, connection, maximumAmps: amps, central: central, context: context)
        central.register(connection, listener: charger)
        return charger
    }

    package func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        connectionFaults(configuration.connection) + profileFaults(configuration) + limitFaults(configuration.limits)
    }

    private func connectionFaults(_ connection: DeviceConnection) -> [DeviceFault] {
        let example = "connection: {ocpp: NAME} with the name at the end of the address that the charger connects to"
        switch connection {
        case .ocpp(let connection):
            let isName = { (character: Character) in
                character.isASCII && (character.isLetter || character.isNumber || "-_.:*|@=".contains(character))
            }
            let name = connection.chargePoint
            guard (1...48).contains(name.utf8.count), name.allSatisfy(isName) else {
                return [
                    DeviceFault(
                        "connection.ocpp", "'\(YAMLNode.shown(name))' can't be a charger's name",
                        remedy: "use at most 48 letters, digits and - _ .")
                ]
            }
            return []
        case .none: return [DeviceFault("connection", "the charger needs a name", remedy: "add \(example)")]
        default:
            return [
                DeviceFault("connection", "a charger of OCPP connects to the hub by itself", remedy: "write \(example)")
            ]
        }
    }

    private func profileFaults(_ configuration: DeviceConfiguration) -> [DeviceFault] {
        var faults: [DeviceFault] = []
        if configuration.profile != nil {
            faults.append(DeviceFault("profile", "the driver 'ocpp' needs no profile", remedy: "remove it"))
        }
        if !configuration.profileOptions.isEmpty {
            faults.append(DeviceFault("options", "options are for profiles", remedy: "remove them"))
        }
        return faults
    }

    private func limitFaults(_ limits: DeviceLimits) -> [DeviceFault] {
        guard let most = limits.maximumAmps else {
            return [
                DeviceFault(
                    "limits.max_amps", "OCPP does not tell the charger's highest current",
                    remedy: "add limits: {max_amps: 16} with what the charger and its cable are made for")
            ]
        }
        guard most < 6 else { return [] }
        return [
            DeviceFault(
                "limits.max_amps", "\(YAMLNode.plain(most)) A leaves no current: a car needs 6 A or more",
                remedy: "raise limits.max_amps to 6 or more")
        ]
    }
}
