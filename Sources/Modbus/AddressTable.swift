/// Values at 16-bit addresses, kept in pages so that a map with wide gaps stays small.
struct AddressTable<Value: Sendable>: Sendable {
    private static var pageSize: Int { 256 }
    private let unset: Value
    private var pages: [Int: Page] = [:]

    private struct Page: Sendable {
        var values: [Value]
        var isDefined: [Bool]

        init(_ unset: Value) {
            values = Array(repeating: unset, count: AddressTable.pageSize)
            isDefined = Array(repeating: false, count: AddressTable.pageSize)
        }

        mutating func set(_ value: Value, at offset: Int) {
            values[offset] = value
            isDefined[offset] = true
        }
    }

    /// An empty table that reads `unset` wherever nothing was set.
    init(unset: Value) {
        self.unset = unset
    }

    /// Puts values at consecutive addresses; what would pass the last address is left out.
    mutating func set(_ values: some Collection<Value>, at address: UInt16) {
        for (place, value) in zip(Int(address)...Int(UInt16.max), values) {
            let (page, offset) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            let unset = unset
            pages[page, default: Page(unset)].set(value, at: offset)
        }
    }

    /// The values at consecutive addresses, or nil if the range passes the last address or, where that matters, one
    /// of them was never set.
    func values(at address: UInt16, count: Int, mustBeDefined: Bool) -> [Value]? {
        let end = Int(address) + count
        guard count >= 0, end <= 65536 else { return nil }
        var result: [Value] = []
        result.reserveCapacity(count)
        var place = Int(address)
        while place < end {
            let (number, offset) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            let stop = min(Self.pageSize, offset + end - place)
            if let page = pages[number] {
                if mustBeDefined, page.isDefined[offset..<stop].contains(false) { return nil }
                result.append(contentsOf: page.values[offset..<stop])
            } else {
                if mustBeDefined { return nil }
                result.append(contentsOf: repeatElement(unset, count: stop - offset))
            }
            place += stop - offset
        }
        return result
    }
}
