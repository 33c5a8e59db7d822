/// A request that a server received, checked against the specification's limits.
///
/// libmodbus would check some of this too, but it answers such a request only after a pause that holds up the others.
struct IncomingRequest {
    let function: ModbusFunction
    let address: UInt16
    let count: Int
    /// The values to write; empty for a read.
    let change: ModbusWrite.Change

    /// Reads the part of a request that follows the function code.
    /// - Throws: the exception that the client must get.
    init(_ function: ModbusFunction, _ body: [UInt8]) throws(ModbusException) {
        guard body.count >= 4 else { throw .illegalDataValue }
        address = Self.word(body, 0)
        let second = Self.word(body, 2)
        self.function = function
        switch function {
        case .readCoils, .readDiscreteInputs: count = try Self.checked(second, limit: 2000)
        case .readHoldingRegisters, .readInputRegisters: count = try Self.checked(second, limit: 125)
        case .writeCoil, .writeRegister: count = 1
        case .writeCoils: count = try Self.checked(second, limit: 1968)
        case .writeRegisters: count = try Self.checked(second, limit: 123)
        }
        change = try Self.change(function, second, count, body)
        guard Int(address) + count <= 65536 else { throw .illegalDataAddress }
    }

    private static func change(
        _ function: ModbusFunction, _ second: UInt16, _ count: Int, _ body: [UInt8]
    ) throws(ModbusException) -> ModbusWrite.Change {
        switch function {
        case .writeCoil:
            guard second == 0 || second == 0xFF00 else { throw .illegalDataValue }
            return .coils([second != 0])
        case .writeRegister: return .registers([second])
        case .writeCoils:
            guard body.count == 5 + (count + 7) / 8, Int(body[4]) == body.count - 5 else { throw .illegalDataValue }
            return .coils((0..<count).map { body[5 + $0 / 8] >> UInt8($0 % 8) & 1 == 1 })
        case .writeRegisters:
            guard body.count == 5 + count * 2, Int(body[4]) == count * 2 else { throw .illegalDataValue }
            return .registers((0..<count).map { word(body, 5 + $0 * 2) })
        default: return .registers([])
        }
    }

    private static func checked(_ count: UInt16, limit: Int) throws(ModbusException) -> Int {
        guard (1...limit).contains(Int(count)) else { throw .illegalDataValue }
        return Int(count)
    }

    private static func word(_ bytes: [UInt8], _ index: Int) -> UInt16 {
        UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
    }
}
