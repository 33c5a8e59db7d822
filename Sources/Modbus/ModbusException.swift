/// What a device answered instead of doing what was asked.
///
/// Two exceptions are equal when their codes are equal; where it happened does not count, so that
/// `case .exception(.illegalDataAddress)` matches whatever the place.
package struct ModbusException: Error, Equatable, Sendable {
    /// The code on the wire; devices also send codes that the specification does not know, 0 among them.
    package let code: UInt8
    /// Which request was refused, where that is known.
    package let place: ModbusPlace?

    /// Makes an exception from the code on the wire.
    package init(code: UInt8, place: ModbusPlace? = nil) {
        self.code = code
        self.place = place
    }

    /// 1: the device does not know the function.
    package static let illegalFunction = ModbusException(code: 1)
    /// 2: an address in the request does not exist there.
    package static let illegalDataAddress = ModbusException(code: 2)
    /// 3: a value or a count is not allowed.
    package static let illegalDataValue = ModbusException(code: 3)
    /// 4: the device failed while it carried out the request.
    package static let deviceFailure = ModbusException(code: 4)
    /// 5: the request was accepted and takes a while.
    package static let acknowledge = ModbusException(code: 5)
    /// 6: the device is busy; ask again later.
    package static let deviceBusy = ModbusException(code: 6)
    /// 10: a gateway has no path to the device.
    package static let gatewayPathUnavailable = ModbusException(code: 10)
    /// 11: a gateway got no answer from the device.
    package static let gatewayTargetFailed = ModbusException(code: 11)

    package static func == (left: ModbusException, right: ModbusException) -> Bool {
        left.code == right.code
    }

    /// Whether the same request may succeed later without anybody changing it.
    package var isTransient: Bool {
        switch code {
        case 4, 5, 6, 10, 11: true
        default: false
        }
    }
}

extension ModbusException: CustomStringConvertible {
    package var description: String {
        guard let place else { return "exception \(code) (\(meaning))" }
        return "\(place.endpoint) answered exception \(code) (\(meaning)) to \(place.request): \(remedy)"
    }

    private var meaning: String {
        switch code {
        case 1: "illegal function"
        case 2: "illegal data address"
        case 3: "illegal data value"
        case 4: "device failure"
        case 5: "acknowledge"
        case 6: "device busy"
        case 8: "memory parity error"
        case 10: "gateway path unavailable"
        case 11: "gateway target does not answer"
        default: "not in the specification"
        }
    }

    private var remedy: String {
        switch code {
        case 1: "the device has no such function; its profile asks for the wrong table or kind of write"
        case 2: "the device has no such register; check its model, its firmware and the profile's addresses"
        case 3: "the value is out of the device's range or the block is too long for it"
        case 4: "see the device's own display or log"
        case 5, 6: "it is tried again later"
        case 10, 11: "check the unit number, and the power and wiring of the device behind the gateway"
        default: "see the manual of the device"
        }
    }
}
