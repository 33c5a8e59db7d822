import Foundation

/// Watts over a year, in steps of five minutes.
struct LoadSeries: Sendable {
    static let step = 300.0

    let start: Date
    private(set) var watts: [Double]

    init(_ year: Year) {
        start = year.start
        let span = year.end.timeIntervalSince(year.start) + 3 * 86_400
        watts = Array(repeating: 0, count: Int(span / Self.step))
    }

    func moment(_ index: Int) -> Date { start.addingTimeInterval(Double(index) * Self.step) }

    func index(_ moment: Date) -> Int {
        min(max(0, Int(moment.timeIntervalSince(start) / Self.step)), watts.count - 1)
    }

    /// Adds a power from one moment to another, its energy shared among the steps that it touches.
    mutating func add(_ power: Double, from: Date, to: Date) {
        var now = from
        while now < to {
            let index = index(now)
            let end = min(to, moment(index + 1))
            guard end > now else { return }
            watts[index] += power * end.timeIntervalSince(now) / Self.step
            now = end
        }
    }

    mutating func add(_ power: Double, at index: Int) { watts[index] += power }
}
