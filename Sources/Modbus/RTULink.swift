import CModbus
import Glibc

/// A serial line driven by libmodbus, which frames requests, checks the CRC and drops replies of other units.
final class RTULink: Link {
    private let context: OpaquePointer

    /// Opens the serial device.
    init(
        path: String, baud: Int, parity: ModbusParity, dataBits: Int, stopBits: Int
    ) throws(TCPDial.Failure) {
        guard let baud = Int32(exactly: baud), (5...8).contains(dataBits), (1...2).contains(stopBits) else {
            throw TCPDial.Failure(
                reason: "\(baud) baud, \(dataBits) data bits, \(stopBits) stop bits is no serial line")
        }
        guard let context = modbus_new_rtu(path, baud, parity.letter, Int32(dataBits), Int32(stopBits)) else {
            throw TCPDial.Failure(reason: modbusReason(errno))
        }
        guard modbus_connect(context) == 0 else {
            let why = modbusReason(errno)
            modbus_free(context)
            throw TCPDial.Failure(reason: why)
        }
        self.context = context
    }

    deinit {
        modbus_close(context)
        modbus_free(context)
    }

    var isOpen: Bool {
        var entry = pollfd(fd: modbus_get_socket(context), events: 0, revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    func exchange(_ request: ModbusRequest, timeout: Duration) throws(LinkFailure) -> [UInt8] {
        // A late reply on a serial line carries no transaction number: what waits there is not ours.
        modbus_flush(context)
        guard modbus_set_slave(context, Int32(request.unit)) == 0 else {
            throw .malformed("unit \(request.unit), which a serial line cannot have (0 to 247)")
        }
        let frame = [request.unit] + request.pdu
        guard modbus_send_raw_request(context, frame, Int32(frame.count)) >= 0 else {
            throw .notSent(modbusReason(errno))
        }
        // Nobody answers what is sent to all; the pause lets every device carry it out (2.4.1 of the serial guide).
        guard request.unit != 0 else {
            blockThread(until: Deadline(after: .milliseconds(100)))
            return request.pdu
        }
        return try receiveAnswer(to: request, until: Deadline(after: timeout))
    }

    private func receiveAnswer(to request: ModbusRequest, until deadline: Deadline) throws(LinkFailure) -> [UInt8] {
        var spoilt: LinkFailure?
        while !deadline.isPast {
            do {
                guard let reply = try receiveFrame(until: deadline), reply.first == request.unit else { continue }
                let pdu = reply.dropFirst()
                switch request.judge(pdu) {
                case .answer, .refusal: return [UInt8](pdu)
                // Without a transaction number a reply of another length is more likely late than wrong: keep waiting.
                case .malformed(let what): spoilt = .malformed(what)
                case .foreign: break
                }
            } catch .garbled(let what) {
                spoilt = .malformed(what)
                modbus_flush(context)
            } catch .silent {
                break
            }
        }
        throw spoilt ?? .silent(isReachable: true)
    }

    /// The next frame without its check sum, or nil for one that libmodbus ignored because another unit sent it.
    private func receiveFrame(until deadline: Deadline) throws(LinkFailure) -> [UInt8]? {
        setTimeouts(deadline.remaining)
        var buffer = [UInt8](repeating: 0, count: Int(MODBUS_MAX_ADU_LENGTH))
        let count = Int(modbus_receive_confirmation(context, &buffer))
        guard count < 0 else { return count < 4 ? nil : [UInt8](buffer[0..<(count - 2)]) }
        switch errno {
        case ETIMEDOUT where deadline.isPast: throw .silent(isReachable: true)
        case ETIMEDOUT, MODBUS_ENOBASE...: throw .garbled("a spoilt frame: \(modbusReason(errno))")
        case EINTR, EAGAIN: return nil
        default: throw .lost(modbusReason(errno))
        }
    }

    private func setTimeouts(_ remaining: Duration) {
        let whole = max(remaining, .milliseconds(1)).timeValue
        modbus_set_response_timeout(context, UInt32(whole.tv_sec), UInt32(whole.tv_usec))
        // The longest silence within a frame: converters pause for tens of milliseconds, hardly longer.
        let gap = min(max(remaining, .milliseconds(1)), .milliseconds(250)).timeValue
        modbus_set_byte_timeout(context, UInt32(gap.tv_sec), UInt32(gap.tv_usec))
    }
}

/// libmodbus's words for an error number of its own or of the system.
func modbusReason(_ number: Int32) -> String {
    String(cString: modbus_strerror(number))
}
