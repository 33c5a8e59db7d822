import Foundation

/// Where counters begin again at 0 because their bits or digits are used up.
enum CounterWidth {
    /// Registers of 16, 24, 31 and 32 bits in steps of 0.1 Wh to 1 kWh, and displays of 6 to 12 decimal digits, all in
    /// watt-hours; narrower ones are full so often that any new beginning might look like it.
    static let natural: [Double] = {
        let bits = [16, 24, 31, 32].flatMap { bits in [0.1, 1, 10, 100, 1000].map { pow(2, Double(bits)) * $0 } }
        let digits = (6...12).map { pow(10, Double($0)) }
        return (bits + digits).filter { $0 >= 1_000_000 }.sorted()
    }()

    /// What flowed if the counter ran over on its way from one value to another.
    /// - Parameters:
    ///   - old: the value before, in watt-hours.
    ///   - new: the value after it.
    ///   - room: what can have flowed between, in watt-hours.
    /// - Returns: nothing where no width explains the new value.
    static func rise(from old: Double, to new: Double, room: Double) -> Double? {
        natural.first { $0 > old && $0 - old + new <= room }.map { $0 - old + new }
    }
}
