/// The four tables of one virtual device: what a unit number of a `ModbusServer` answers from.
package struct RegisterBank: Sendable {
    /// Whether an address that was never set answers exception 2, as a real device does; otherwise it reads as 0 and
    /// may be written.
    package var refusesUndefined: Bool

    private var holding = AddressTable<UInt16>(unset: 0)
    private var input = AddressTable<UInt16>(unset: 0)
    private var coils = AddressTable<Bool>(unset: false)
    private var discreteInputs = AddressTable<Bool>(unset: false)

    /// Makes a bank from blocks of consecutive values, each at its first address.
    package init(
        refusesUndefined: Bool = false, holding: [UInt16: [UInt16]] = [:], input: [UInt16: [UInt16]] = [:],
        coils: [UInt16: [Bool]] = [:], discreteInputs: [UInt16: [Bool]] = [:]
    ) {
        self.refusesUndefined = refusesUndefined
        for (address, words) in holding { self.holding.set(words, at: address) }
        for (address, words) in input { self.input.set(words, at: address) }
        for (address, values) in coils { self.coils.set(values, at: address) }
        for (address, values) in discreteInputs { self.discreteInputs.set(values, at: address) }
    }

    /// Sets registers from `address` on, and defines them.
    package mutating func set(_ kind: RegisterKind, address: UInt16, words: [UInt16]) {
        switch kind {
        case .holding: holding.set(words, at: address)
        case .input: input.set(words, at: address)
        }
    }

    /// The registers from `address` on, or nil where a client would get exception 2.
    package func words(_ kind: RegisterKind, address: UInt16, count: Int) -> [UInt16]? {
        let table = kind == .holding ? holding : input
        return table.values(at: address, count: count, mustBeDefined: refusesUndefined)
    }

    /// Sets coils from `address` on, and defines them.
    package mutating func setCoils(address: UInt16, values: [Bool]) {
        coils.set(values, at: address)
    }

    /// The coils from `address` on, or nil where a client would get exception 2.
    package func coils(address: UInt16, count: Int) -> [Bool]? {
        coils.values(at: address, count: count, mustBeDefined: refusesUndefined)
    }

    /// Sets discrete inputs from `address` on, and defines them.
    package mutating func setDiscreteInputs(address: UInt16, values: [Bool]) {
        discreteInputs.set(values, at: address)
    }

    /// The discrete inputs from `address` on, or nil where a client would get exception 2.
    package func discreteInputs(address: UInt16, count: Int) -> [Bool]? {
        discreteInputs.values(at: address, count: count, mustBeDefined: refusesUndefined)
    }
}
