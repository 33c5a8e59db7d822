/// Where a device, or a line with several devices, is reached.
package enum ModbusTransport: Hashable, Sendable {
    /// Modbus TCP: a host name or address, and a port (502 by registration).
    case tcp(host: String, port: UInt16)
    /// Modbus RTU on a serial line: the device file, bits per second, parity, data bits (7 or 8), stop bits (1 or 2).
    case rtu(path: String, baud: Int, parity: ModbusParity, dataBits: Int, stopBits: Int)

    /// The place as a person would write it, such as `tcp://192.0.2.7:502` or `/dev/ttyUSB0`.
    package var endpoint: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
        case .rtu(let path, _, _, _, _): path
        }
    }
}

/// The parity bit of a serial line.
package enum ModbusParity: String, Hashable, Sendable, CaseIterable {
    /// No parity bit.
    case none
    /// Even parity, what the Modbus specification asks for by default.
    case even
    /// Odd parity.
    case odd

    /// The letter that libmodbus takes.
    var letter: CChar {
        switch self {
        case .none: 78
        case .even: 69
        case .odd: 79
        }
    }
}

/// How patient a connection is with what is at its other end.
package struct ModbusSettings: Hashable, Sendable {
    /// How long an answer may take after its request was sent; a reply that comes later is dropped.
    package var responseTimeout: Duration
    /// How long opening the connection may take, the look-up of a host name included.
    package var connectTimeout: Duration
    /// The pause kept between the end of one request and the next one on this connection.
    package var requestDelay: Duration
    /// The time left to the device between connecting and the first request.
    package var connectDelay: Duration
    /// How often a read is repeated after a timeout or a spoilt reply; writes are never repeated once sent.
    package var retries: Int
    /// From where on an answer holds up other units of the line: well above what a serial line needs for a hundred
    /// registers.
    package var slowAnswer: Duration

    /// Makes settings; the defaults suit most devices.
    package init(
        responseTimeout: Duration = .seconds(1), connectTimeout: Duration = .seconds(3),
        requestDelay: Duration = .zero, connectDelay: Duration = .zero, retries: Int = 1,
        slowAnswer: Duration = .milliseconds(500)
    ) {
        self.responseTimeout = responseTimeout
        self.connectTimeout = connectTimeout
        self.requestDelay = requestDelay
        self.connectDelay = connectDelay
        self.retries = retries
        self.slowAnswer = slowAnswer
    }
}

/// The two tables of 16-bit registers that a device has.
package enum RegisterKind: String, Hashable, Sendable, CaseIterable {
    /// Registers that may be read (function 3) and written (6 and 16).
    case holding
    /// Registers that may only be read (function 4).
    case input
}
