import CModbus
import Foundation
import Glibc
import ThreadKit

/// A Modbus RTU device on one end of a pseudo-terminal: libmodbus's own server, which can be told to misbehave.
final class SerialDevice: Sendable {
    /// What the device does besides, or instead of, its reply.
    struct Behaviour: Sendable {
        /// Bytes sent before the reply of the next request, then forgotten.
        var prelude: [UInt8] = []
        /// How many requests are left unanswered.
        var drops = 0
        var requestCount = 0
        var isStopped = false
    }

    /// The device file that a client opens.
    let path: String
    let behaviour = Locked(Behaviour())
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a device that answers as one unit, its holding and input registers counting up from 0.
    init?(unit: Int32) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        // Held open by us too: the master reads an error while nobody has the other end open.
        guard openpty(&master, &slave, &name, nil, nil) == 0 else { return nil }
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var mode = termios()
        tcgetattr(slave, &mode)
        cfmakeraw(&mode)
        tcsetattr(slave, TCSANOW, &mode)
        let (path, behaviour, ended, ends) = (path, behaviour, ended, (master, slave))
        Thread { @Sendable in
            Self.serve(path: path, master: ends.0, unit: unit, behaviour)
            close(ends.1)
            close(ends.0)
            ended.signal()
        }.start()
    }

    deinit {
        behaviour.withLock { $0.isStopped = true }
        ended.wait()
    }

    private static func serve(path: String, master: Int32, unit: Int32, _ behaviour: Locked<Behaviour>) {
        guard let context = modbus_new_rtu(path, 19200, 69, 8, 1), let map = modbus_mapping_new(16, 16, 200, 200) else {
            return
        }
        defer {
            modbus_mapping_free(map)
            modbus_free(context)
        }
        for index in 0..<200 {
            map.pointee.tab_registers[index] = UInt16(index)
            map.pointee.tab_input_registers[index] = UInt16(index)
        }
        modbus_set_slave(context, unit)
        modbus_set_socket(context, master)
        modbus_set_indication_timeout(context, 0, 20_000)
        var request = [UInt8](repeating: 0, count: Int(MODBUS_MAX_ADU_LENGTH))
        while !behaviour.current.isStopped {
            let count = modbus_receive(context, &request)
            guard count > 0 else { continue }
            let (prelude, isDropped) = behaviour.withLock { state in
                state.requestCount += 1
                let isDropped = state.drops > 0
                if isDropped { state.drops -= 1 }
                defer { state.prelude = [] }
                return (state.prelude, isDropped)
            }
            if !prelude.isEmpty { _ = write(master, prelude, prelude.count) }
            if !isDropped { modbus_reply(context, request, count, map) }
        }
    }

    /// A frame with its check sum: CRC-16 with the reversed polynomial 0xA001, low byte first.
    static func frame(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt16 = 0xFFFF
        for byte in bytes {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
        }
        return bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }
}
