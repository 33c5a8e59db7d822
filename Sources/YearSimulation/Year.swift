import Foundation

/// A year of hourly prices and carbon.
struct Year: Sendable {
    /// One hour; what the file leaves out is a gap.
    struct Hour: Sendable {
        var start: Date
        /// What a kWh costs at the meter, with fees and tax.
        var price: Double
        var grams: Double
    }

    let hours: [Hour]
    private let places: [Int: Int]

    /// Fees for each kWh before tax, and the tax, of a German household with a dynamic tariff.
    static let fees = 0.16
    static let tax = 1.19

    /// Reads columns `start_utc`, a price per MWh and grams of CO2 per kWh, in this order.
    /// - Parameters:
    ///   - text: the file.
    ///   - days: how many of its days are kept; `nil` is all.
    /// - Throws: `Fault` that names the line.
    init(csv text: String, days: Int? = nil) throws(Fault) {
        var hours: [Hour] = []
        for (number, line) in text.split(whereSeparator: \.isNewline).enumerated().dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count >= 3, let start = try? Date(String(fields[0]), strategy: .iso8601),
                let price = Double(fields[1]), let grams = Double(fields[2])
            else { throw Fault("line \(number + 1) is not 'start_utc,price per MWh,grams per kWh,…'") }
            hours.append(Hour(start: start, price: (price / 1000 + Self.fees) * Self.tax, grams: grams))
        }
        guard hours.count > 24 * 3 else { throw Fault("there are not three days of hours in it") }
        let sorted = hours.sorted { $0.start < $1.start }
        let end = days.flatMap { days in sorted.first?.start.addingTimeInterval(Double(days) * 86_400) }
        self.hours = sorted.filter { hour in end.map { hour.start < $0 } ?? true }
        places = Dictionary(self.hours.enumerated().map { (Self.number($1.start), $0) }) { first, _ in first }
    }

    private static func number(_ moment: Date) -> Int { Int((moment.timeIntervalSince1970 / 3600).rounded(.down)) }

    /// The hour that holds a moment.
    func hour(at moment: Date) -> Hour? { places[Self.number(moment)].map { hours[$0] } }

    /// The hours that begin in a time.
    func hours(from: Date, to: Date) -> [Hour] {
        (Self.number(from)..<max(Self.number(from), Self.number(to))).compactMap { places[$0].map { hours[$0] } }
    }

    var start: Date { hours.first?.start ?? .distantPast }
    var end: Date { hours.last?.start.addingTimeInterval(3600) ?? .distantPast }
}

/// What is wrong with what the program was given.
struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Chance that is the same whenever a moment is asked for.
struct Chance: Sendable {
    let seed: UInt64

    /// 0…1 for a moment, the same for as many seconds.
    func value(_ moment: Date, every seconds: Double, _ salt: UInt64) -> Double {
        value(UInt64(max(0, moment.timeIntervalSince1970 / seconds)), salt)
    }

    /// 0…1 for a number.
    func value(_ number: UInt64, _ salt: UInt64) -> Double {
        // The finaliser of splitmix64.
        var state = number &* 0x9E37_79B9_7F4A_7C15 &+ salt &* 0xD1B5_4A32_D192_ED03 &+ seed
        state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((state ^ (state >> 31)) >> 11) / Double(1 << 53)
    }
}
