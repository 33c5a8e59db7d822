import EnergyKit
import Foundation
import Insights
import Testing

/// Rules that hold for any events, tried on random ones; the seed in a failure repeats it.
@Suite struct TallyPropertyTests {
    @Test(arguments: 1...40)
    func classesAddUpToTheTotal(seed: Int) throws {
        for measure in [InsightTally.Measure.energy, .runtime] {
            var house = RandomDevice(seed: seed)
            let events = house.events(count: 120)
            let tally = try house.tally(events, house.wholeRange, .hourly, measure)
            var sum: Int64 = 0
            for (index, bucket) in tally.buckets.enumerated() {
                let total = measure == .energy ? bucket.energy : bucket.runtime
                #expect(tally.cleanliness(index).reduce(0, +) == total)
                #expect(tally.tariff(index).reduce(0, +) == total)
                #expect(tally.cleanliness(index).allSatisfy { $0 >= 0 } && tally.tariff(index).allSatisfy { $0 >= 0 })
                sum += total
            }
            #expect(sum > 0)
        }
    }

    @Test(arguments: 1...40)
    func cuttingARangeInTwoAddsUp(seed: Int) throws {
        for measure in [InsightTally.Measure.energy, .runtime] {
            var house = RandomDevice(seed: seed)
            let events = house.events(count: 120)
            let range = house.wholeRange
            let middle = range.start.addingTimeInterval(range.duration * house.fraction())
            let all = try house.tally(events, range, .daily, measure)
            let before = try house.tally(events, DateInterval(start: range.start, end: middle), .daily, measure)
            let after = try house.tally(events, DateInterval(start: middle, end: range.end), .daily, measure)
            #expect(sum(all, \.energy) == sum(before, \.energy) + sum(after, \.energy))
            #expect(sum(all, \.runtime) == sum(before, \.runtime) + sum(after, \.runtime))
        }
    }

    @Test(arguments: 1...40)
    func hoursAddUpToDays(seed: Int) throws {
        var house = RandomDevice(seed: seed)
        let events = house.events(count: 120)
        let days = try house.tally(events, house.wholeRange, .daily, .energy)
        let hours = try house.tally(events, house.wholeRange, .hourly, .energy)
        for (index, day) in days.buckets.enumerated() {
            let inDay = hours.buckets.indices.filter {
                hours.edges[$0] >= days.edges[index] && hours.edges[$0] < days.edges[index + 1]
            }
            #expect(inDay.reduce(0) { $0 + hours.buckets[$1].energy } == day.energy)
            #expect(inDay.reduce(0) { $0 + hours.buckets[$1].runtime } == day.runtime)
        }
    }

    @Test(arguments: 1...40)
    func orderOfArrivalDoesNotMatter(seed: Int) {
        var house = RandomDevice(seed: seed)
        let events = house.events(count: 80)
        // The order among repeats decides which counts, so repeats keep theirs by their sequence.
        let expected = Set(SessionSplitter.stretches(of: events))
        #expect(!expected.isEmpty)
        for _ in 1...5 { #expect(Set(SessionSplitter.stretches(of: events.shuffled())) == expected) }
    }

    @Test(arguments: 1...40)
    func totalsAgreeWithASlowAndSimpleSum(seed: Int) throws {
        var house = RandomDevice(seed: seed)
        let events = house.events(count: 120)
        let tally = try house.tally(events, house.wholeRange, .yearly, .energy)
        let (imported, count) = SimpleSum.imported(
            events, from: Instant(house.wholeRange.start), until: Instant(house.wholeRange.end))
        // Each cut stretch rounds once.
        #expect(abs(Double(sum(tally, \.energy)) - imported) <= Double(count))
    }

    private func sum(_ tally: InsightTally, _ part: KeyPath<InsightTally.Bucket, Int64>) -> Int64 {
        tally.buckets.reduce(0) { $0 + $1[keyPath: part] }
    }
}

/// The rules once more, for whole sessions in memory and in floating point.
enum SimpleSum {
    static func imported(
        _ events: [LoadSample], from start: Instant, until end: Instant
    ) -> (milliwattHours: Double, sessions: Int) {
        var last: [String: LoadSample] = [:]
        for event in events {
            let key = "\(event.session) \(event.at) \(event.state)"
            if event.sequence >= last[key]?.sequence ?? .min { last[key] = event }
        }
        let sessions = Dictionary(grouping: last.values, by: \.session).values.map { events in
            events.sorted { ($0.at, $0.state) < ($1.at, $1.state) }
        }.sorted { ($0[0].at, $0[0].session.uuidString) < ($1[0].at, $1[0].session.uuidString) }
        var sum = 0.0
        for (index, session) in sessions.enumerated() where session[0].flow == .imported {
            let cut = index + 1 < sessions.count ? min(end, sessions[index + 1][0].at) : end
            for (earlier, later) in zip(session, session.dropFirst()) {
                let (from, until) = (max(start, earlier.at), min(cut, later.at))
                guard let before = earlier.milliwattHours, let after = later.milliwattHours, from < until else {
                    continue
                }
                let energy = Double(after >= before ? after - before : after)
                sum += energy * Double(until - from) / Double(later.at - earlier.at)
            }
        }
        return (sum, sessions.count)
    }
}

/// A device whose events and guidance are drawn at random: overlaps, falls, silences, repeats and lost ends included.
struct RandomDevice {
    private var state: UInt64
    let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    /// Three days around the night in which clocks go back.
    let wholeRange = DateInterval(start: Date(timeIntervalSince1970: 1_792_792_800), duration: 3 * 86_400 + 1234.567)

    init(seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 }

    /// The next of a series of numbers (splitmix64, https://prng.di.unimi.it/splitmix64.c).
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    private mutating func chance(_ share: Double) -> Bool { fraction() < share }

    mutating func events(count: Int) -> [LoadSample] {
        var at = wholeRange.start.addingTimeInterval(-7200)
        var events: [LoadSample] = []
        var open: [(id: UUID, flow: ElectricityFlowDirection, counter: Int64)] = []
        var number = 0
        while events.count < count {
            at.addTimeInterval((fraction() * (chance(0.1) ? 9000 : 1500) * 1000).rounded() / 1000)
            if open.isEmpty || chance(0.15) {
                number += 1
                let flow: ElectricityFlowDirection = chance(0.2) ? .exported : .imported
                open.append((.named("s\(number)"), flow, chance(0.3) ? Int64(fraction() * 9e6) : 0))
                events.append(sample(open[open.count - 1], at, chance(0.9) ? .begin : .active, events.count))
                continue
            }
            let index = Int(fraction() * Double(open.count))
            open[index].counter = chance(0.07) ? Int64(fraction() * 1e5) : open[index].counter + Int64(fraction() * 3e6)
            let isEnd = chance(0.2)
            events.append(sample(open[index], at, isEnd ? .end : .active, events.count))
            if chance(0.1) {
                var again = events[events.count - 1]
                again.sequence = Int64(events.count)
                events.append(again)
            }
            if isEnd || chance(0.05) { open.remove(at: index) }
        }
        return events
    }

    private mutating func sample(
        _ session: (id: UUID, flow: ElectricityFlowDirection, counter: Int64), _ at: Date, _ state: LoadSample.State,
        _ sequence: Int
    ) -> LoadSample {
        LoadSample(
            session: session.id, at: Instant(at), state: state, flow: session.flow, milliwattHours: session.counter,
            isRunning: chance(0.5), token: .named("g\(Int(fraction() * 4))"), sequence: Int64(sequence))
    }

    /// Three guidances with edges at odd times and gaps; the fourth is unknown.
    static let timelines: [UUID: ClassTimeline] = {
        var random = RandomDevice(seed: 77)
        var timelines: [UUID: ClassTimeline] = [:]
        for number in 0..<3 {
            var at = random.wholeRange.start.addingTimeInterval(-9000)
            var slots: [ClassTimeline.Slot] = []
            while at < random.wholeRange.end {
                let end = at.addingTimeInterval((random.fraction() * 3000).rounded() + 7)
                let clean = Cleanliness.allCases[Int(random.fraction() * 4)]
                let peak = PeakClass.allCases[Int(random.fraction() * 6)]
                if !random.chance(0.2) {
                    slots.append(.init(start: Instant(at), end: Instant(end), cleanliness: clean, tariff: peak))
                }
                at = end
            }
            timelines[.named("g\(number)")] = ClassTimeline(slots)
        }
        return timelines
    }()

    func tally(
        _ events: [LoadSample], _ range: DateInterval, _ granularity: ElectricityInsightQuery.Granularity,
        _ measure: InsightTally.Measure
    ) throws -> InsightTally {
        let edges = try #require(BucketCalendar(zone).edges(of: range, granularity))
        var tally = InsightTally(edges: edges, measure: measure, flow: .imported)
        for stretch in SessionSplitter.stretches(of: events) {
            tally.add(stretch, stretch.token.flatMap { Self.timelines[$0] } ?? .unknown)
        }
        return tally
    }
}
