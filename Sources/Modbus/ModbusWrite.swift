/// A write that a client sent to a virtual device.
package struct ModbusWrite: Equatable, Sendable {
    /// The unit number it was sent to.
    package let unit: UInt8
    /// The function it was sent with: 5, 6, 15 or 16.
    package let function: UInt8
    /// The first address, counted from zero.
    package let address: UInt16
    /// What is written there.
    package let change: Change

    /// The new values.
    package enum Change: Equatable, Sendable {
        /// Holding registers (functions 6 and 16).
        case registers([UInt16])
        /// Coils (functions 5 and 15).
        case coils([Bool])
    }

    /// Makes a write.
    package init(unit: UInt8, function: UInt8, address: UInt16, change: Change) {
        self.unit = unit
        self.function = function
        self.address = address
        self.change = change
    }

    /// The registers written; empty if coils were.
    package var values: [UInt16] {
        if case .registers(let values) = change { values } else { [] }
    }

    /// The coils written; empty if registers were.
    package var coils: [Bool] {
        if case .coils(let values) = change { values } else { [] }
    }
}
