package import HubKit
import Modbus

/// Finds the models of a SunSpec device: the mark "SunS" at one of the usual places, then one model behind the other.
package enum SunSpecChain {
    /// Where the mark may stand.
    package static let bases: [UInt16] = [40_000, 50_000, 0]
    /// "SunS" in two words.
    private static let mark: [UInt16] = [0x5375, 0x6E53]
    /// The identifier behind the last model; 0 is none either, but memory that nobody filled.
    private static let end = 0xFFFF
    /// Far more than any device has; a device that lies must not keep the hub for ever.
    private static let most = 256

    /// Walks the chain.
    /// - Parameter read: reads holding registers.
    /// - Returns: the models in their order; nothing where the device has no mark.
    /// - Throws: what reading throws, other than exceptions of the device.
    package static func find(
        _ read: (_ address: UInt16, _ count: Int) async throws -> [UInt16]
    ) async throws -> [SunSpecBlock]? {
        for base in bases {
            guard try await words(read, at: Int(base)) == mark else { continue }
            return try await walk(from: Int(base) + 2, read)
        }
        return nil
    }

    private static func walk(
        from first: Int, _ read: (UInt16, Int) async throws -> [UInt16]
    ) async throws -> [SunSpecBlock] {
        var chain: [SunSpecBlock] = []
        var address = first
        while chain.count < most, let head = try await words(read, at: address), head[0] != end, head[0] != 0 {
            chain.append(SunSpecBlock(model: Int(head[0]), address: address, length: Int(head[1])))
            address += 2 + Int(head[1])
        }
        return chain
    }

    /// Two words; nothing where the device has none there.
    private static func words(
        _ read: (UInt16, Int) async throws -> [UInt16], at address: Int
    ) async throws -> [UInt16]? {
        guard let place = UInt16(exactly: address), place < .max else { return nil }
        do {
            let words = try await read(place, 2)
            return words.count == 2 ? words : nil
        } catch ModbusError.exception(let code) where code == .illegalDataAddress || code == .illegalDataValue {
            return nil
        }
    }
}
