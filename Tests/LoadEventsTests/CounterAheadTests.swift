import Foundation
import LoadEvents
import Testing

/// A reading that took long is stamped late, and the next one then seems to rise faster than energy can flow.
@Suite struct CounterAheadTests {
    @Test(arguments: [0.0, 4, 30, 100]) func nothingIsLostAfterALateReading(late: Double) {
        let start = Date(timeIntervalSince1970: 1_712_313_000)
        var tracker = CounterTracker(maximumWatts: 11_040 * 1.15)
        let counter = { (seconds: Double) in 13_423.7 + 11_040 * seconds / 3600 }
        tracker.read(counter: counter(0), powerWatts: 11_040, at: start)
        // This one was measured when it was asked for, and was stamped only when the answer was there.
        tracker.read(counter: counter(5), powerWatts: 11_040, at: start + 5 + late)
        for step in 1...400 {
            let seconds = 5 + late + Double(step) * 5
            tracker.read(counter: counter(seconds), powerWatts: 11_040, at: start + seconds)
        }
        #expect(abs(tracker.totalWattHours - (counter(2005 + late) - counter(0))) < 1e-6)
    }

    @Test func anotherCounterFarAheadIsStillABeginning() {
        let start = Date(timeIntervalSince1970: 1_712_313_000)
        var tracker = CounterTracker(maximumWatts: 11_040 * 1.15)
        tracker.read(counter: 100, powerWatts: 0, at: start)
        for step in 1...5 {
            tracker.read(counter: 90_000 + Double(step) * 10, powerWatts: 7_200, at: start + Double(step) * 5)
        }
        #expect(tracker.totalWattHours > 0 && tracker.totalWattHours <= 40)
    }
}
