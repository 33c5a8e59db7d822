import CModbus
import Glibc

/// Receives requests and composes replies with libmodbus, one at a time, on the server's thread.
///
/// libmodbus replies out of a mapping of consecutive registers. Ours is a window: before each reply it is moved to the
/// addresses that were asked for and filled from the unit's bank, so that a map with wide gaps needs no memory for them.
final class ServerResponder {
    private let state: ServerState
    private let context: OpaquePointer
    private let window: UnsafeMutablePointer<modbus_mapping_t>

    /// Nil when libmodbus finds no memory.
    init?(state: ServerState) {
        guard let context = modbus_new_tcp("127.0.0.1", 1) else { return nil }
        guard let window = modbus_mapping_new(2000, 2000, 125, 125) else {
            modbus_free(context)
            return nil
        }
        // A client that stops in the middle of a request must not hold up the others for long.
        modbus_set_byte_timeout(context, 0, 100_000)
        self.state = state
        self.context = context
        self.window = window
    }

    deinit {
        modbus_mapping_free(window)
        modbus_free(context)
    }

    /// The request that waits at a socket, or nil when the connection ended or makes no sense.
    func receive(from socket: Int32) -> [UInt8]? {
        modbus_set_socket(context, socket)
        var buffer = [UInt8](repeating: 0, count: Int(MODBUS_TCP_MAX_ADU_LENGTH))
        let count = Int(modbus_receive(context, &buffer))
        guard count >= 8, buffer[2] == 0, buffer[3] == 0 else { return nil }
        let whole = 6 + Int(buffer[4]) << 8 + Int(buffer[5])
        guard whole >= count, whole <= buffer.count else { return nil }
        // libmodbus does not know the length of functions that it does not know; the frame's header does.
        guard whole > count else { return [UInt8](buffer[0..<whole]) }
        let rest = buffer.withUnsafeMutableBytes { bytes in
            recv(socket, bytes.baseAddress?.advanced(by: count), whole - count, Int32(MSG_DONTWAIT))
        }
        return rest == whole - count ? [UInt8](buffer[0..<whole]) : nil
    }

    /// Replies to a request as the fault, if any, wants it.
    /// - Returns: whether the connection is still usable.
    func reply(to request: [UInt8], fault: ModbusFault?, socket: Int32) -> Bool {
        modbus_set_socket(context, socket)
        switch fault {
        case nil, .delay: return answer(request)
        case .drop: return true
        case .close: return false
        case .exception(let exception): return refuse(request, exception)
        case .babble(let bytes): return send(bytes, to: socket)
        case .lateFrame(let thenAnswer):
            let number = (UInt16(request[0]) << 8 | UInt16(request[1])) &- 1
            return decoy(request, thenAnswer) { $0.replaceSubrange(0..<2, with: number.bytes) }
        case .foreignUnit(let unit, let thenAnswer):
            return decoy(request, thenAnswer) { $0[6] = unit }
        case .foreignFunction(let thenAnswer):
            let other: [UInt8: UInt8] = [1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 15: 16, 16: 15]
            return decoy(request, thenAnswer) { $0[7] = other[request[7]] ?? 3 }
        }
    }

    private func answer(_ request: [UInt8]) -> Bool {
        let unit = request[6]
        guard state.value({ $0.units[unit] != nil }) else {
            guard state.unknownUnit == .gatewayException else { return true }
            return refuse(request, .gatewayTargetFailed)
        }
        guard let function = ModbusFunction(rawValue: request[7]) else { return refuse(request, .illegalFunction) }
        do throws(ModbusException) {
            let incoming = try IncomingRequest(function, Array(request[8...]))
            try function.isRead ? fillWindow(unit, incoming) : carryOut(unit, incoming)
            return modbus_reply(context, request, Int32(request.count), window) >= 0
        } catch {
            return refuse(request, error)
        }
    }

    private func fillWindow(_ unit: UInt8, _ incoming: IncomingRequest) throws(ModbusException) {
        let (address, count) = (incoming.address, incoming.count)
        moveWindow(to: address, count: count)
        switch incoming.function {
        case .readHoldingRegisters, .readInputRegisters:
            let kind: RegisterKind = incoming.function == .readHoldingRegisters ? .holding : .input
            let found = state.value { $0.units[unit]?.words(kind, address: address, count: count) }
            guard let found else { throw state.value { $0.absence } }
            fill(words: found)
        default:
            let isCoils = incoming.function == .readCoils
            let found = state.value { values in
                isCoils
                    ? values.units[unit]?.coils(address: address, count: count)
                    : values.units[unit]?.discreteInputs(address: address, count: count)
            }
            guard let found else { throw state.value { $0.absence } }
            fill(bits: found)
        }
    }

    private func carryOut(_ unit: UInt8, _ incoming: IncomingRequest) throws(ModbusException) {
        let (address, count) = (incoming.address, incoming.count)
        let isKnown = state.value { values in
            guard let bank = values.units[unit] else { return false }
            return switch incoming.change {
            case .registers: bank.words(.holding, address: address, count: count) != nil
            case .coils: bank.coils(address: address, count: count) != nil
            }
        }
        guard isKnown else { throw .illegalDataAddress }
        let write = ModbusWrite(
            unit: unit, function: incoming.function.rawValue, address: address, change: incoming.change)
        if let refusal = state.apply(write) { throw refusal }
        moveWindow(to: address, count: count)
    }

    /// Sends a reply that must not be taken for the answer, then perhaps the answer.
    private func decoy(_ request: [UInt8], _ thenAnswer: Bool, _ spoil: (inout [UInt8]) -> Void) -> Bool {
        guard let function = ModbusFunction(rawValue: request[7]),
            let incoming = try? IncomingRequest(function, Array(request[8...]))
        else { return answer(request) }
        if function.isRead {
            guard (try? fillWindow(request[6], incoming)) != nil else { return answer(request) }
            invertWindow(count: incoming.count)
        } else {
            moveWindow(to: incoming.address, count: incoming.count)
        }
        var spoilt = request
        spoil(&spoilt)
        guard modbus_reply(context, spoilt, Int32(spoilt.count), window) >= 0 else { return false }
        return thenAnswer ? answer(request) : true
    }

    private func refuse(_ request: [UInt8], _ exception: ModbusException) -> Bool {
        guard exception.code >= UInt8(MODBUS_EXCEPTION_MAX) else {
            return modbus_reply_exception(context, request, UInt32(exception.code)) >= 0
        }
        // libmodbus sends only the codes that it knows; devices do not keep to them.
        return send(
            request[0..<4] + [0, 3, request[6], request[7] | 0x80, exception.code], to: modbus_get_socket(context))
    }

    private func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

// MARK: - The window

extension ServerResponder {
    private func moveWindow(to address: UInt16, count: Int) {
        let (start, number) = (Int32(address), Int32(count))
        window.pointee.start_registers = start
        window.pointee.start_input_registers = start
        window.pointee.start_bits = start
        window.pointee.start_input_bits = start
        window.pointee.nb_registers = min(number, 125)
        window.pointee.nb_input_registers = min(number, 125)
        window.pointee.nb_bits = number
        window.pointee.nb_input_bits = number
    }

    private func fill(words: [UInt16]) {
        for (index, word) in words.enumerated() {
            window.pointee.tab_registers[index] = word
            window.pointee.tab_input_registers[index] = word
        }
    }

    private func fill(bits: [Bool]) {
        for (index, bit) in bits.enumerated() {
            window.pointee.tab_bits[index] = bit ? 1 : 0
            window.pointee.tab_input_bits[index] = bit ? 1 : 0
        }
    }

    private func invertWindow(count: Int) {
        for index in 0..<min(count, 125) {
            window.pointee.tab_registers[index] ^= 0xFFFF
            window.pointee.tab_input_registers[index] ^= 0xFFFF
        }
        for index in 0..<count {
            window.pointee.tab_bits[index] ^= 1
            window.pointee.tab_input_bits[index] ^= 1
        }
    }
}
