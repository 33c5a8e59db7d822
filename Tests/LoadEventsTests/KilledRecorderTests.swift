import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents
@testable import Storage

/// The hub is killed, so that only what is on disk is left of it, and the counter is not what it was (field cases S-1, S-2).
@Suite("A kill beside a counter that begins anew")
struct KilledRecorderTests {
    /// Steps the recorder through readings of 10.8 kW, which is 3 Wh in a second; it is dropped after them.
    private func record(
        _ house: EventHouse, _ moments: [Double], unpluggedAt end: Double? = nil, _ counter: (Double) -> Double
    ) async throws {
        let one = try await RecordedHouse(house)
        for second in moments {
            one.post(second, watts: second == 0 ? 0 : 10_800, counter: counter(second))
            await one.recorder.look(at: one.id)
        }
        guard let end else { return }
        one.post(end, watts: 0, counter: counter(end), plug: .unplugged)
        await one.recorder.look(at: one.id)
    }

    private func told(_ house: EventHouse) async throws -> Double {
        let stored = try await house.stored()
        #expect(Set(stored.map(\.sessionID)).count == 1)
        #expect(stored.last?.stateName == "end")
        return try #require(stored.last?.energyWattHours)
    }

    @Test("what was counted before it began anew is not lost, whichever reading was the last", arguments: 1...9)
    func resetBeforeKill(readings: Int) async throws {
        let house = try await EventHouse(clock: SteppedClock(noon))
        let counter = { (second: Double) in second < 100 ? 13_000 + second * 3 : (second - 100) * 3 }
        let before = stride(from: 0.0, to: 100, by: 10) + stride(from: 100.0, through: 160, by: 2).prefix(readings)
        let last = before.last ?? 0
        try await record(house, before, counter)
        let after = Array(stride(from: last + 2, through: last + 60, by: 2))
        try await record(house, after, unpluggedAt: last + 62, counter)
        // What flowed between the last reading before it began anew and the first after is never shown.
        let told = try await told(house)
        #expect(abs(told - ((last + 62) * 3 - 30)) < 1, "\(told)")
    }

    @Test("one that begins anew twice, with a kill after each")
    func twice() async throws {
        let house = try await EventHouse(clock: SteppedClock(noon))
        let counter = { (second: Double) in
            second < 100 ? 13_000 + second * 3 : second < 200 ? (second - 100) * 3 : (second - 200) * 3
        }
        for (start, end) in [(0.0, 104.0), (106, 204), (206, 300)] {
            let moments = Array(stride(from: start, through: end, by: 2))
            try await record(house, moments, unpluggedAt: end == 300 ? 302 : nil, counter)
        }
        let told = try await told(house)
        #expect(abs(told - (302 * 3 - 12)) < 1, "\(told)")
    }

    @Test("a counter that stumbles before a kill and goes on where it was after", arguments: [0.0, 13_000_000, 12_000])
    func stumble(wrong: Double) async throws {
        let house = try await EventHouse(clock: SteppedClock(noon))
        let counter = { (second: Double) in (100..<103).contains(second) ? wrong : 13_000 + second * 3 }
        try await record(house, Array(stride(from: 0.0, through: 102, by: 2)), counter)
        try await record(house, Array(stride(from: 104.0, through: 160, by: 2)), unpluggedAt: 162, counter)
        let told = try await told(house)
        #expect(abs(told - 162 * 3) < 1, "\(told)")
    }

    @Test("a power cut that takes the counter along costs what flowed in the last minute at most")
    func powerCut() async throws {
        let house = try await EventHouse(clock: SteppedClock(noon))
        let counter = { (second: Double) in second < 600 ? 13_000 + second * 3 : (second - 600) * 3 }
        try await record(house, Array(stride(from: 0.0, to: 600, by: 10)), counter)
        try await record(house, Array(stride(from: 600.0, to: 700, by: 10)), unpluggedAt: 700, counter)
        let told = try await told(house)
        #expect(told <= 2100 && told >= 2100 - 210, "\(told)")
    }

    @Test("a device that stumbles at every reading is not a write for each")
    func sparesTheDisk() async throws {
        let house = try await EventHouse(clock: SteppedClock(noon))
        let one = try await RecordedHouse(house)
        var texts: Set<String?> = []
        for step in 0..<200 {
            one.post(Double(step) / 4, watts: step == 0 ? 0 : 10_800, counter: step % 2 == 0 ? 13_000 : 0)
            await one.recorder.look(at: one.id)
            texts.insert(try await house.store.recorder(device: one.id.rawValue))
        }
        #expect(texts.count <= 35)
    }
}

private func + (first: StrideTo<Double>, second: PrefixSequence<StrideThrough<Double>>) -> [Double] {
    Array(first) + Array(second)
}
