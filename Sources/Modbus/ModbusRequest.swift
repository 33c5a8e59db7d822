/// A function code that this library sends or serves.
enum ModbusFunction: UInt8 {
    case readCoils = 1
    case readDiscreteInputs = 2
    case readHoldingRegisters = 3
    case readInputRegisters = 4
    case writeCoil = 5
    case writeRegister = 6
    case writeCoils = 15
    case writeRegisters = 16

    /// Whether asking twice does no harm.
    var isRead: Bool {
        rawValue <= ModbusFunction.readInputRegisters.rawValue
    }
}

/// One request as the protocol data unit that goes on the wire, and what its answer must look like.
struct ModbusRequest {
    let unit: UInt8
    let function: ModbusFunction
    let address: UInt16
    let count: Int
    /// The function code and what follows it (Modbus Application Protocol 1.1b3, chapter 6).
    let pdu: [UInt8]

    /// A request for `count` registers or bits, with the limits of the specification.
    static func read(
        _ function: ModbusFunction, unit: UInt8, address: UInt16, count: Int
    ) throws(ModbusError) -> ModbusRequest {
        let limit = function == .readCoils || function == .readDiscreteInputs ? 2000 : 125
        try check(address: address, count: count, limit: limit)
        let pdu = [function.rawValue] + address.bytes + UInt16(count).bytes
        return ModbusRequest(unit: unit, function: function, address: address, count: count, pdu: pdu)
    }

    /// A request to write one register or coil; a coil's value is 0xFF00 or 0.
    static func writeOne(_ function: ModbusFunction, unit: UInt8, address: UInt16, value: UInt16) -> ModbusRequest {
        let pdu = [function.rawValue] + address.bytes + value.bytes
        return ModbusRequest(unit: unit, function: function, address: address, count: 1, pdu: pdu)
    }

    /// A request to write several registers at once.
    static func write(unit: UInt8, address: UInt16, values: [UInt16]) throws(ModbusError) -> ModbusRequest {
        try check(address: address, count: values.count, limit: 123)
        let head = [ModbusFunction.writeRegisters.rawValue] + address.bytes + UInt16(values.count).bytes
        let pdu = head + [UInt8(values.count * 2)] + values.flatMap(\.bytes)
        return ModbusRequest(unit: unit, function: .writeRegisters, address: address, count: values.count, pdu: pdu)
    }

    private static func check(address: UInt16, count: Int, limit: Int) throws(ModbusError) {
        guard (1...limit).contains(count) else {
            throw .invalidRequest(reason: "\(count) values asked, one request takes 1 to \(limit)")
        }
        guard Int(address) + count <= 65536 else {
            throw .invalidRequest(
                reason: "addresses \(address) to \(Int(address) + count - 1) pass the last one, 65535")
        }
    }

    /// Where this request goes, for messages.
    func place(_ endpoint: String) -> ModbusPlace {
        ModbusPlace(endpoint: endpoint, unit: unit, function: function.rawValue, address: address, count: count)
    }
}

/// What a frame that came in is to the request that waits.
enum ReplyVerdict: Equatable {
    /// The answer.
    case answer
    /// The device's refusal, with its code.
    case refusal(UInt8)
    /// A reply to something else: to be dropped.
    case foreign
    /// Meant as the answer, but wrong in itself.
    case malformed(String)
}

extension ModbusRequest {
    /// Judges the protocol data unit of a reply from the right unit.
    func judge(_ reply: ArraySlice<UInt8>) -> ReplyVerdict {
        guard let code = reply.first, code & 0x7F == function.rawValue else { return .foreign }
        let body = reply.dropFirst()
        if code & 0x80 != 0 {
            guard let exception = body.first else { return .malformed("an exception without a code") }
            return .refusal(exception)
        }
        return function.isRead ? judgeRead(body) : judgeEcho(body)
    }

    private func judgeRead(_ body: ArraySlice<UInt8>) -> ReplyVerdict {
        let isBits = function == .readCoils || function == .readDiscreteInputs
        let expected = isBits ? (count + 7) / 8 : count * 2
        guard let announced = body.first, Int(announced) == body.count - 1 else {
            return .malformed("a reply whose length does not fit its byte count")
        }
        guard Int(announced) == expected else {
            return .malformed("\(announced) bytes of data where \(expected) were asked for")
        }
        return .answer
    }

    private func judgeEcho(_ body: ArraySlice<UInt8>) -> ReplyVerdict {
        guard body.count == 4 else { return .malformed("a confirmation of \(body.count) bytes instead of 4") }
        let sent = pdu[1..<5]
        guard body.prefix(2).elementsEqual(sent.prefix(2)) else { return .foreign }
        guard body.elementsEqual(sent) else {
            return .malformed("a confirmation of other values than were written")
        }
        return .answer
    }

    /// The registers in an answer that was judged right.
    static func words(in answer: [UInt8]) -> [UInt16] {
        let count = (answer.count - 2) / 2
        return [UInt16](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count {
                buffer[index] = UInt16(answer[2 + index * 2]) << 8 | UInt16(answer[3 + index * 2])
            }
            filled = count
        }
    }

    /// The first `count` bits in an answer that was judged right; the lowest bit of a byte comes first.
    static func bits(in answer: [UInt8], count: Int) -> [Bool] {
        (0..<count).map { answer[2 + $0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    }
}

extension UInt16 {
    /// High byte first, as Modbus sends it.
    var bytes: [UInt8] {
        [UInt8(truncatingIfNeeded: self >> 8), UInt8(truncatingIfNeeded: self)]
    }
}
