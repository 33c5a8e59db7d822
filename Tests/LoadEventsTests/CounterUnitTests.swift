import Foundation
import Testing

@testable import LoadEvents

/// Counters that change their unit while they count.
@Suite("Counters in another unit")
struct CounterUnitTests {
    static let factors: [Double] = [10, 100, 1000, 3600, 0.1, 0.01, 0.001, 1.0 / 3600]

    /// Counts at 7.2 kW, read each minute; from a moment on in the other unit, whole numbers of it where `isWhole`.
    private func total(
        dividingBy factor: Double, from change: Int, isWhole: Bool = false, until end: Int = 240, back: Int? = nil
    ) -> Double {
        var tracker = CounterTracker(maximumWatts: 11_000)
        for minute in 0...end {
            let wattHours = 13_423_700 + Double(minute) * 120
            let isOther = minute >= change && minute < back ?? .max
            var shown = isOther ? wattHours / factor : wattHours
            if isWhole { shown.round(.down) }
            tracker.read(counter: shown, powerWatts: nil, at: noon.addingTimeInterval(Double(minute) * 60))
        }
        return tracker.totalWattHours
    }

    @Test("what flows is counted on in the unit of the beginning", arguments: factors)
    func unit(factor: Double) {
        #expect(abs(total(dividingBy: factor, from: 100) - 28_800) < 1)
    }

    @Test("of a coarser unit the last two digits' worth may be under way", arguments: [100.0, 1000])
    func wholeNumbers(factor: Double) {
        #expect(abs(total(dividingBy: factor, from: 100, isWhole: true) - 28_800) <= 2 * factor)
    }

    @Test("back in the first unit it goes on too", arguments: factors)
    func thereAndBack(factor: Double) {
        #expect(abs(total(dividingBy: factor, from: 80, back: 160) - 28_800) < 1)
    }

    @Test("a change while nothing flows for a day is seen when it flows again")
    func whileIdle() {
        var tracker = CounterTracker(maximumWatts: 11_000)
        for minute in 0...1500 {
            let wattHours = 13_423_700 + Double(max(0, minute - 1440)) * 120
            tracker.read(
                counter: minute < 30 ? wattHours : wattHours / 1000, powerWatts: nil,
                at: noon.addingTimeInterval(Double(minute) * 60))
        }
        #expect(abs(tracker.totalWattHours - 7_200) < 1)
    }

    @Test("one reading in another unit is a glitch, and a reset that happens to fit is a reset")
    func lookAlikes() {
        var glitched = CounterTracker(maximumWatts: 11_000)
        for (minute, counter) in [13_423_700, 13_423.82, 13_423_940, 13_424_060].enumerated() {
            glitched.read(counter: counter, powerWatts: nil, at: noon.addingTimeInterval(Double(minute) * 60))
        }
        #expect(glitched.totalWattHours == 360)

        var begun = CounterTracker(maximumWatts: 11_000)
        for (minute, counter) in [500_000.0, 500, 620, 740, 860, 980].enumerated() {
            begun.read(counter: counter, powerWatts: nil, at: noon.addingTimeInterval(Double(minute) * 60))
        }
        // The first reading after the reset fits kilowatt-hours, the second no more.
        #expect((360...480).contains(begun.totalWattHours))
    }

    @Test("the state of a counter in another unit survives being stored")
    func stored() throws {
        var tracker = CounterTracker(maximumWatts: 11_000)
        for minute in 0...60 {
            let wattHours = 13_423_700 + Double(minute) * 120
            tracker.read(
                counter: minute < 20 ? wattHours : wattHours / 1000, powerWatts: nil,
                at: noon.addingTimeInterval(Double(minute) * 60))
            tracker = try JSONDecoder().decode(CounterTracker.self, from: JSONEncoder().encode(tracker))
        }
        #expect(abs(tracker.totalWattHours - 7_200) < 1)
    }
}
