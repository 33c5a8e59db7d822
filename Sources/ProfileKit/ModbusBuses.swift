package import HubKit
package import Modbus

/// The Modbus connections of the hub: devices behind one address share one connection, so that their requests never
/// cross (many gateways and chargers accept a single client).
package actor ModbusBuses {
    private var connections: [ModbusTransport: ModbusConnection] = [:]

    /// No connection yet.
    package init() {}

    /// The connection to a device; made at the first call, opened at the first request.
    /// - Parameters:
    ///   - connection: how the configuration says to reach the device.
    ///   - transport: what its profile says.
    package func connection(to connection: DeviceConnection, _ transport: ProfileTransport) -> ModbusConnection? {
        guard let wire = ModbusBuses.transport(connection, transport) else { return nil }
        if let known = connections[wire] { return known }
        let settings = ModbusSettings(
            responseTimeout: .milliseconds(transport.timeoutMilliseconds),
            connectTimeout: .milliseconds(transport.timeoutMilliseconds),
            requestDelay: .milliseconds(transport.requestDelayMilliseconds),
            connectDelay: .milliseconds(transport.connectDelayMilliseconds), retries: 1)
        let made = ModbusConnection(wire, settings: settings)
        connections[wire] = made
        return made
    }

    /// The unit a device answers to.
    package static func unit(_ connection: DeviceConnection, _ transport: ProfileTransport) -> UInt8 {
        switch connection {
        case .modbusTCP(_, _, let unit), .modbusRTU(_, _, _, let unit): unit ?? transport.unit
        case .mqtt, .http, .ocpp, .none: transport.unit
        }
    }

    private static func transport(_ connection: DeviceConnection, _ profile: ProfileTransport) -> ModbusTransport? {
        switch connection {
        case .modbusTCP(let host, let port, _):
            return .tcp(host: host, port: port ?? profile.port)
        case .modbusRTU(let path, let baud, let framing, _):
            guard let framing = SerialFraming(framing ?? profile.framing) else { return nil }
            let parity: ModbusParity =
                switch framing.parity {
                case .none: .none
                case .even: .even
                case .odd: .odd
                }
            return .rtu(
                path: path, baud: baud ?? profile.baud, parity: parity, dataBits: framing.dataBits,
                stopBits: framing.stopBits)
        case .mqtt, .http, .ocpp, .none:
            return nil
        }
    }
}

extension ModbusError: RetryableError {
    package var retryClass: RetryClass { isTransient ? .transient : .permanent }
}
