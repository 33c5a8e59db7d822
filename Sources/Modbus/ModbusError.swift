/// Why a request to a device did not succeed.
package enum ModbusError: Error, Equatable, Sendable {
    /// The connection could not be opened within the time allowed.
    case cannotConnect(endpoint: String, reason: String)
    /// The request was sent and no right answer came in time. A write may have been carried out nevertheless.
    case timeout(ModbusPlace)
    /// The device answered that it would not do it.
    case exception(ModbusException)
    /// Something came back that is no right answer; the reason says from where.
    case badReply(reason: String)
    /// The other end closed the connection. A write may have been carried out nevertheless.
    case disconnected(ModbusPlace)
    /// The request breaks the protocol's limits and was not sent.
    case invalidRequest(reason: String)
    /// The calling task was cancelled before the request was sent.
    case cancelled

    /// Whether asking again later, without a change by a person, makes sense.
    package var isTransient: Bool {
        switch self {
        case .cannotConnect, .timeout, .badReply, .disconnected: true
        case .exception(let exception): exception.isTransient
        case .invalidRequest, .cancelled: false
        }
    }
}

extension ModbusError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotConnect(let endpoint, let reason):
            "cannot connect to \(endpoint): \(reason); check that the device is on, its address and port, "
                + "and that it allows another connection"
        case .timeout(let place):
            "no answer from \(place.endpoint) to \(place.request): check the unit number, power and wiring, "
                + "or raise the response timeout"
        case .exception(let exception): exception.description
        case .badReply(let reason): "unusable reply from \(reason)"
        case .disconnected(let place):
            "\(place.endpoint) closed the connection during \(place.request): it is opened again at the next request; "
                + "if this repeats, the device may allow fewer connections than there are"
        case .invalidRequest(let reason): "the request was not sent: \(reason)"
        case .cancelled: "the request was cancelled before it was sent"
        }
    }
}

/// Which request, sent where.
package struct ModbusPlace: Equatable, Sendable {
    /// The connection, such as `tcp://192.0.2.7:502`.
    package let endpoint: String
    /// The unit number, 0 to 255.
    package let unit: UInt8
    /// The function code.
    package let function: UInt8
    /// The first address, counted from zero as on the wire.
    package let address: UInt16
    /// How many registers or coils.
    package let count: Int

    /// Makes a place.
    package init(endpoint: String, unit: UInt8, function: UInt8, address: UInt16, count: Int) {
        self.endpoint = endpoint
        self.unit = unit
        self.function = function
        self.address = address
        self.count = count
    }

    /// The request in words: "reading holding registers 100 to 103 of unit 1".
    package var request: String {
        let (verb, thing) =
            switch function {
            case 1: ("reading", "coil")
            case 2: ("reading", "discrete input")
            case 3: ("reading", "holding register")
            case 4: ("reading", "input register")
            case 5: ("writing", "coil")
            default: ("writing", "holding register")
            }
        let range = count == 1 ? "\(thing) \(address)" : "\(thing)s \(address) to \(Int(address) + count - 1)"
        return "\(verb) \(range) of unit \(unit)"
    }
}
