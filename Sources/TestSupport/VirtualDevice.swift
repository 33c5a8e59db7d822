package import Modbus
import ThreadKit

/// A virtual device on a real Modbus TCP server: its registers are set as raw words, and it keeps what was written.
package final class VirtualDevice: Sendable {
    /// The server.
    package let server: ModbusServer
    /// The unit it answers to.
    package let unit: UInt8
    private let kept: Locked<[ModbusWrite]>

    /// Starts a device on a free port; a register that is not named here does not exist.
    /// - Parameters:
    ///   - unit: the unit it answers to.
    ///   - holding: registers by their first address.
    ///   - input: registers by their first address.
    ///   - coils: coils by their first address.
    ///   - accepts: says which exception answers a write; `nil` accepts it.
    package init(
        unit: UInt8, holding: [UInt16: [UInt16]] = [:], input: [UInt16: [UInt16]] = [:],
        coils: [UInt16: [Bool]] = [:],
        accepts: @escaping @Sendable (ModbusWrite) -> ModbusException? = { _ in nil }
    ) throws {
        let kept = Locked<[ModbusWrite]>([])
        self.kept = kept
        self.unit = unit
        let bank = RegisterBank(refusesUndefined: true, holding: holding, input: input, coils: coils)
        server = try ModbusServer(units: [unit: bank]) { write in
            if let refusal = accepts(write) { return refusal }
            kept.withLock { $0.append(write) }
            return nil
        }
    }

    deinit { server.stop() }

    /// Every write that was carried out, in order.
    package var writes: [ModbusWrite] { kept.current }

    /// The writes as plain values: the first address and the words.
    package var written: [Written] { writes.map { Written($0.address, $0.values) } }

    /// Forgets the writes so far.
    package func forgetWrites() { kept.withLock { $0.removeAll() } }

    /// Sets registers.
    package func set(_ kind: RegisterKind, _ address: UInt16, _ words: [UInt16]) {
        server.set(kind, unit: unit, address: address, words: words)
    }

    /// Takes registers away, as a firmware without them would.
    package func replace(holding: [UInt16: [UInt16]] = [:], input: [UInt16: [UInt16]] = [:]) {
        server.update(unit: unit) { $0 = RegisterBank(refusesUndefined: true, holding: holding, input: input) }
    }

    /// One write.
    package struct Written: Equatable, Sendable, CustomStringConvertible {
        /// The first address.
        package let address: UInt16
        /// The words.
        package let words: [UInt16]

        /// Describes a write.
        package init(_ address: UInt16, _ words: [UInt16]) {
            self.address = address
            self.words = words
        }

        package var description: String { "\(address) = \(words)" }
    }
}
