import Foundation
import Testing

@testable import LoadEvents

@Suite("A lifetime counter that stumbles")
struct CounterTrackerTests {
    /// Counters in kWh read every 5 minutes at a connection of 11 kW, and the kWh that flowed.
    struct Case: CustomTestStringConvertible {
        let name: String
        let counters: [Double?]
        let total: Double
        var every = 300.0
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "it rises", counters: [100, 100.5, 101], total: 1),
        Case(name: "it stands", counters: [100, 100, 100], total: 0),
        Case(name: "S-1 it falls to 0 and comes back", counters: [13423.70, 0, 13423.72], total: 0.02),
        Case(name: "S-1 it begins again near 0", counters: [13423.70, 0.20, 0.50, 0.90], total: 0.7),
        Case(name: "it begins again at 0, stands a while, then rises", counters: [500, 0, 0, 0, 0.4, 0.8], total: 0.8),
        Case(name: "S-2 it shows 0 for a while and comes back further on", counters: [20, 0, 0, 0, 0, 22], total: 2),
        Case(name: "S-4 it is rounded down", counters: [544.587493, 544.587], total: 0),
        Case(name: "S-4 it is rounded down and rises on", counters: [544.587493, 544.587, 544.6], total: 0.012507),
        Case(name: "a reading is missing", counters: [100, nil, 101], total: 1),
        Case(name: "it jumps up and back", counters: [100, 900_000, 100.2], total: 0.2),
        Case(name: "it jumps up for good, as a new meter", counters: [100, 5000, 5000.3, 5000.6], total: 0.6),
        Case(
            name: "it counted from 0 after a reboot and then remembers",
            counters: [1000, 0.1, 0.2, 0.3, 1000.6], total: 0.6),
        Case(name: "one low reading among rising ones", counters: [10, 10.5, 3, 11, 11.5], total: 1.5),
        Case(
            name: "two glitches do not add up to a new counter", counters: [100, 0, 1, 100.1, 0, 1, 100.2], total: 0.2),
        Case(name: "it is not a number", counters: [100, .nan, 100.5, .infinity, 101], total: 1),
        Case(name: "it is negative", counters: [100, -5, 100.5], total: 0.5),
        Case(name: "it steps by a whole kWh", counters: [7, 7, 8, 8, 8, 9, 9], total: 2, every: 120),
    ]

    @Test("counts what really flowed", arguments: cases)
    func counts(_ example: Case) {
        var tracker = CounterTracker(maximumWatts: 11_000)
        for (index, counter) in example.counters.enumerated() {
            tracker.read(
                counter: counter.map { $0 * 1000 }, powerWatts: nil,
                at: noon.addingTimeInterval(Double(index) * example.every))
        }
        #expect(abs(tracker.totalWattHours - example.total * 1000) < 1e-6)
        #expect(!tracker.isEstimated)
    }

    @Test("a counter that wraps at a known width goes on")
    func wraps() {
        var tracker = CounterTracker(maximumWatts: 11_000, wrapsAtWattHours: 655_350)
        tracker.read(counter: 655_300, powerWatts: nil, at: noon)
        tracker.read(counter: 450, powerWatts: nil, at: noon.addingTimeInterval(300))
        #expect(tracker.totalWattHours == 500)
    }

    @Test(
        "a counter that has used up its bits or digits goes on, and is not taken for one begun anew",
        arguments: [6_553_600.0, 16_777_216, 429_496_729.6, 4_294_967_296, 42_949_672_960, 10_000_000, 1e9, 1e11])
    func runsOver(width: Double) {
        var tracker = CounterTracker(maximumWatts: 11_000)
        for step in 0...200 {
            let counter = (width - 2015 + Double(step) * 20).truncatingRemainder(dividingBy: width)
            tracker.read(counter: counter, powerWatts: 7200, at: noon.addingTimeInterval(Double(step) * 10))
        }
        #expect(abs(tracker.totalWattHours - 4000) < 1e-3)
    }

    @Test("a counter that falls to 0 and comes back close to an edge has not run over")
    func glitchAtTheEdge() {
        var tracker = CounterTracker(maximumWatts: 11_000)
        tracker.read(counter: 9_999_990, powerWatts: nil, at: noon)
        tracker.read(counter: 0, powerWatts: nil, at: noon.addingTimeInterval(10))
        tracker.read(counter: 0, powerWatts: nil, at: noon.addingTimeInterval(20))
        tracker.read(counter: 9_999_995, powerWatts: nil, at: noon.addingTimeInterval(30))
        #expect(tracker.totalWattHours == 5)
    }

    @Test("without a counter the power is integrated, and said to be estimated")
    func integrates() {
        var tracker = CounterTracker(maximumWatts: 11_000)
        for second in stride(from: 0.0, through: 3600, by: 60) {
            tracker.read(counter: nil, powerWatts: 6000, at: noon.addingTimeInterval(second))
        }
        #expect(abs(tracker.totalWattHours - 6000) < 1e-6)
        #expect(tracker.isEstimated)
    }

    @Test("nothing is made up for a time without readings")
    func doesNotBridge() {
        var tracker = CounterTracker(maximumWatts: 11_000)
        tracker.read(counter: nil, powerWatts: 6000, at: noon)
        tracker.read(counter: nil, powerWatts: 6000, at: noon.addingTimeInterval(7200))
        #expect(tracker.totalWattHours == 0)
    }

    @Test("a reading older than the last is passed over")
    func ignoresThePast() {
        var tracker = CounterTracker(maximumWatts: 11_000)
        tracker.read(counter: 1000, powerWatts: nil, at: noon.addingTimeInterval(600))
        tracker.read(counter: 900, powerWatts: nil, at: noon)
        tracker.read(counter: 1100, powerWatts: nil, at: noon.addingTimeInterval(1200))
        #expect(tracker.totalWattHours == 100)
    }

    @Test("whatever a counter says, the total never falls and never outruns the connection", arguments: 1...60)
    func staysWithinTheConnection(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var tracker = CounterTracker(maximumWatts: 11_000)
        var seconds = 0.0
        var last = 0.0
        let start = noon
        for _ in 0..<400 {
            let counter: Double? =
                switch Int.random(in: 0..<5, using: &random) {
                case 0: nil
                case 1: 0
                case 2: Double.random(in: 0...50, using: &random)
                default: Double.random(in: 0...50_000, using: &random)
                }
            tracker.read(counter: counter, powerWatts: nil, at: start.addingTimeInterval(seconds))
            #expect(tracker.totalWattHours >= last)
            #expect(tracker.totalWattHours <= 11_000 * seconds / 3600 + 1e-6)
            last = tracker.totalWattHours
            seconds += Double.random(in: 1...900, using: &random)
        }
    }

    @Test("glitches in a true counter do not change what it counts", arguments: 1...60)
    func survivesGlitches(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var tracker = CounterTracker(maximumWatts: 11_000)
        var truth = Double.random(in: 1_000_000...20_000_000, using: &random)
        let first = truth
        tracker.read(counter: first, powerWatts: nil, at: noon)
        for step in 1...500 {
            truth += Double.random(in: 0...25, using: &random)
            let shown: Double? =
                switch Int.random(in: 0..<12, using: &random) {
                case 0: 0
                case 1: nil
                case 2: truth - 0.4
                default: truth
                }
            tracker.read(counter: shown, powerWatts: nil, at: noon.addingTimeInterval(Double(step) * 10))
        }
        tracker.read(counter: truth, powerWatts: nil, at: noon.addingTimeInterval(5_100))
        #expect(abs(tracker.totalWattHours - (truth - first)) < 1e-3)
    }
}
