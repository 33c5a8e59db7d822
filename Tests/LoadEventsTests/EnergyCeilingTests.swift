import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents

/// Energy by quarter-hour, spread evenly between the events of each session as the hub's books do it.
struct Quarters {
    private(set) var wattHours: [Int: Double] = [:]

    /// - Parameter samples: each event's session, time in seconds and energy, in order.
    init(_ samples: [(session: UUID?, seconds: Double, wattHours: Double)]) {
        for session in Dictionary(grouping: samples, by: \.session).values {
            for (before, after) in zip(session, session.dropFirst()) { spread(before, after) }
        }
    }

    /// The quarters of real events.
    init(_ events: [AnyLoadEvent]) {
        self.init(
            events.map { ($0.sessionID, $0.timestamp.timeIntervalSince(noon), $0.energyWattHours ?? 0) })
    }

    private mutating func spread(
        _ before: (session: UUID?, seconds: Double, wattHours: Double),
        _ after: (session: UUID?, seconds: Double, wattHours: Double)
    ) {
        let (energy, time) = (after.wattHours - before.wattHours, after.seconds - before.seconds)
        guard time > 0 else {
            wattHours[Int((after.seconds / 900).rounded(.down)), default: 0] += energy
            return
        }
        var start = before.seconds
        while start < after.seconds {
            let quarter = (start / 900).rounded(.down)
            let end = min((quarter + 1) * 900, after.seconds)
            wattHours[Int(quarter), default: 0] += energy * (end - start) / time
            start = end
        }
    }
}

/// Whatever the readings' times and the counter's steps, no stretch of time is told more than the connection carries, and
/// every sum is right.
@Suite("No quarter-hour above the connection")
struct EnergyCeilingTests {
    private let most = 11_000.0

    private func expectWithin(_ events: [AnyLoadEvent], sum: Double) {
        for (quarter, wattHours) in Quarters(events).wattHours {
            #expect(wattHours <= most / 4 + 0.01, "quarter \(quarter)")
        }
        let ends = events.filter { $0.stateName == "end" }.compactMap(\.energyWattHours)
        #expect(abs(ends.reduce(0, +) - sum) < 0.002 * Double(ends.count), "\(ends)")
        #expect(events.map(\.timestamp) == events.map(\.timestamp).sorted())
    }

    @Test("a sample with a reading of before the mark", arguments: [1, 30, 60, 119] as [Double])
    func staleSample(age: Double) {
        var charger = Charger(maximumWatts: most)
        charger.read(0, watts: 0, counter: 0)
        for second in stride(from: age, through: 3600, by: age) {
            // The mark, and a person in between: both know the counter of the reading before.
            for mark in [900.0, 1800, 2700] where mark > second - age && mark <= second { charger.wake(mark) }
            if Int(second / age) % 7 == 3 { charger.wake(second - 0.5, userActed: true) }
            charger.read(second, watts: most, counter: most * second / 3600)
        }
        let last = most * (3600 / age).rounded(.down) * age / 3600
        charger.read(3601, watts: 0, counter: last, plug: .unplugged)
        expectWithin(charger.events, sum: last)
    }

    @Test("a counter in whole kWh, unplugged right after a step", arguments: [3700, 7400, 10_900] as [Double])
    func coarseCounter(watts: Double) throws {
        var charger = Charger(maximumWatts: most)
        charger.read(0, watts: 0, counter: 5000)
        var steps = 0.0
        var second = 10.0
        while steps < 7 {
            charger.read(second, watts: watts, counter: 5000 + 1000 * steps)
            second += 10
            steps = (watts * second / 3_600_000).rounded(.down)
        }
        // A step has to be seen twice to be believed.
        charger.read(second, watts: watts, counter: 12_000)
        charger.read(second + 10, watts: watts, counter: 12_000)
        charger.read(second + 11, watts: 0, counter: 12_000, plug: .unplugged)
        expectWithin(charger.events, sum: 7000)
        // The next car's session begins when this one's energy has all been told.
        charger.read(second + 12, watts: 0, counter: 12_000)
        charger.read(second + 20, watts: watts, counter: 12_000)
        charger.read(second + 1800, watts: 0, counter: 13_000, plug: .unplugged)
        expectWithin(charger.events, sum: 8000)
    }

    @Test("a silent device's acts and guidance are told with its next reading")
    func silence() {
        var charger = Charger(maximumWatts: most)
        charger.read(0, watts: 0, counter: 0)
        charger.read(10, watts: 10_000, counter: 20)
        charger.wake(3500, userActed: true)
        charger.guidance = FollowedGuidance(token: UUID(), isFollowing: false)
        charger.wake(3590)
        #expect(charger.events.map(line) == ["begin 0 W 0 Wh", "active 10000 W 20 Wh"])
        let told = charger.read(3600, watts: 10_000, counter: 9992)
        #expect(told.map(line) == ["active 10000 W 9992 Wh"])
        #expect(told.first?.guidanceToken == charger.guidance?.token)
        #expect(charger.read(3610, watts: 10_000, counter: 10_020).isEmpty)
        charger.read(3620, watts: 0, counter: 10_020, plug: .unplugged)
        expectWithin(charger.events, sum: 10_020)
    }

    @Test("what flowed unseen while the clock was set")
    func clockSet() {
        var charger = Charger(maximumWatts: most)
        charger.read(0, watts: 0, counter: 0)
        charger.read(60, watts: most, counter: most / 60)
        charger.events += charger.machine.clockWasSet(
            device: ElectricalLoadDevice(id: "charger", name: "Charger", type: .electricVehicle), vehicle: nil)
        charger.read(7200, watts: most, counter: most / 20)
        charger.read(7201, watts: 0, counter: most / 20, plug: .unplugged)
        expectWithin(charger.events, sum: most / 20)
    }

    @Test("two wrong readings after hours of rest make no energy of those hours")
    func glitchAfterRest() {
        var tracker = CounterTracker(maximumWatts: most)
        for minute in 0..<600 {
            tracker.read(counter: 1000, powerWatts: 0, at: noon.addingTimeInterval(Double(minute) * 60))
        }
        tracker.read(counter: 61_000, powerWatts: 0, at: noon.addingTimeInterval(36_000))
        tracker.read(counter: 61_000, powerWatts: 0, at: noon.addingTimeInterval(36_060))
        tracker.read(counter: 1000, powerWatts: 0, at: noon.addingTimeInterval(36_120))
        #expect(tracker.totalWattHours == 0)
    }

    @Test("a session that an older version kept goes on")
    func olderState() throws {
        var charger = Charger(maximumWatts: most)
        charger.read(0, watts: 0, counter: 0)
        charger.read(10, watts: 7200, counter: 20)
        var text = String(decoding: try JSONEncoder().encode(charger.machine), as: UTF8.self)
        text.replace(#/"toldWattHours":[0-9.]+,?/#, with: "")
        #expect(!text.contains("toldWattHours"))
        charger.machine = try JSONDecoder().decode(EVSessionMachine.self, from: Data(text.utf8))
        charger.read(910, watts: 7200, counter: 1820)
        charger.read(920, watts: 0, counter: 1840, plug: .unplugged)
        expectWithin(charger.events, sum: 1840)
    }
}
