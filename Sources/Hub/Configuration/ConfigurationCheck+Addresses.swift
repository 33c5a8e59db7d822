import HubKit
import ProfileKit
import YAML

/// Devices that are reached at the same place.
extension ConfigurationCheck {
    private struct Neighbour {
        var id: DeviceID
        var line: Int
        var kind: DeviceKind
        var profile: String
        var speech: String?
    }

    /// Several meters may be behind one unit, each with its own profile (an inverter and the meter it has); one profile
    /// reads the same words twice, and two chargers or heat pumps would be told different things.
    func checkAddresses(_ configuration: inout HubConfiguration, _ profiles: ProfileLibrary) {
        var units: [String: [Neighbour]] = [:]
        var lines: [String: Neighbour] = [:]
        for index in configuration.devices.indices {
            var device = configuration.devices[index]
            guard let place = device.place, let profile = profiles.profile(of: device.configuration),
                let address = Address(device.configuration.connection, profile.transport, configuration.mqtt)
            else { continue }
            let own = Neighbour(
                id: device.configuration.id, line: place.line, kind: profile.kind, profile: profile.name,
                speech: address.speech
            )
            let node = place["connection"] ?? place
            if let other = lines[address.line], other.speech != own.speech {
                add(
                    "'\(other.id)' speaks \(other.speech ?? "") on this line, this device \(own.speech ?? "")",
                    hint: "all devices on a line speak alike; give both the same baud and framing", at: node,
                    of: &device)
            }
            let unit = address.text
            if let other = units[unit]?.first(where: {
                $0.profile == own.profile || $0.kind == own.kind && own.kind != .meter
            }
            ) {
                add(
                    "'\(other.id)' on line \(other.line) is at the same address: \(unit)",
                    hint: "remove one of the two, or give it another host, port or unit", at: node, of: &device)
            }
            units[unit, default: []].append(own)
            lines[address.line] = lines[address.line] ?? own
            configuration.devices[index] = device
        }
        checkChargePoints(&configuration)
        checkCommandTopics(&configuration, profiles)
    }

    /// Chargers that connect under one name could not be told apart; their case does not count.
    private func checkChargePoints(_ configuration: inout HubConfiguration) {
        var known: [String: (id: DeviceID, line: Int)] = [:]
        for index in configuration.devices.indices {
            var device = configuration.devices[index]
            guard let place = device.place, case .ocpp(let connection) = device.configuration.connection,
                !connection.chargePoint.isEmpty
            else { continue }
            let name = connection.chargePoint.lowercased()
            if let other = known[name] {
                add(
                    "'\(other.id)' on line \(other.line) is the charger '\(connection.chargePoint)' already",
                    hint: "remove one of the two, or give it the other charger's name",
                    at: place.nearest("connection.ocpp"), of: &device)
            }
            known[name] = known[name] ?? (device.configuration.id, place.line)
            configuration.devices[index] = device
        }
    }

    /// Where a device is reached, with what its profile says where the configuration says nothing.
    struct Address {
        /// The socket or the serial line.
        var line: String
        /// The unit of a Modbus device.
        var unit: UInt8?
        /// What tells several devices at one broker or address apart.
        var part = ""
        /// How a serial line is spoken to.
        var speech: String?

        /// Line and unit, as people write them.
        var text: String { line + (unit.map { " unit \($0)" } ?? "") + part }

        init?(_ connection: DeviceConnection, _ transport: ProfileTransport, _ broker: MQTTConfiguration?) {
            switch connection {
            case .modbusTCP(let host, let port, let unit):
                guard !host.isEmpty else { return nil }
                line = "\(host.lowercased()):\(port ?? transport.port)"
                self.unit = unit ?? transport.unit
            case .modbusRTU(let path, let baud, let framing, let unit):
                guard !path.isEmpty else { return nil }
                line = path
                self.unit = unit ?? transport.unit
                speech = "\(baud ?? transport.baud) \(framing ?? transport.framing)"
            case .mqtt(let topic):
                let host = topic.host ?? broker?.host ?? "no broker"
                line = "mqtt://\(host):\(topic.host == nil ? broker?.port ?? 1883 : topic.port ?? 1883)"
                part = (topic.topic.map { " \($0)" } ?? "") + Self.text(topic.parameters)
            case .http(let address):
                line = address.base.lowercased()
                part = Self.text(address.parameters)
            case .ocpp, .none: return nil
            }
        }

        private static func text(_ parameters: [String: String]) -> String {
            parameters.sorted { $0.key < $1.key }.map { " \($0.key) \($0.value)" }.joined()
        }
    }
}
