import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage

/// Durable submissions against a C program that does the same transactions, turn by turn; the replay of a long queue; and
/// the memory of a year in which a sink took nothing.
enum EventBenchmark {
    static func run() async throws -> [Figure] {
        var figures: [Figure] = []
        figures += try await submissions("single", total: 500, batch: 1)
        figures += try await submissions("in batches of 100", total: 20_000, batch: 100)
        figures.append(try await together())
        figures.append(try await replay())
        figures += try outage()
        return figures
    }

    private static func submissions(_ name: String, total: Int, batch: Int) async throws -> [Figure] {
        var ours: [Double] = []
        var peers: [Double] = []
        // Short turns and many, since a disk that others use too changes its pace within seconds.
        for _ in 0..<11 {
            ours.append(try await submit(total: total, batch: batch))
            if let peer = try peer(total: total, batch: batch) { peers.append(peer) }
        }
        var figures = [Figure(name: "durable submissions, \(name)", unit: "events/s", values: ours)]
        guard peers.count == ours.count else {
            print("  the C program was not built; run scripts/bench, which builds it")
            return figures
        }
        figures.append(Figure(name: "the same, C program", unit: "events/s", values: peers))
        figures.append(
            Figure(
                name: "durable submissions against C, \(name)", unit: "×", values: zip(ours, peers).map { $0 / $1 },
                bound: 0.9, wantsAbove: true))
        return figures
    }

    /// Where the API's handler of submissions runs: a short one on the store's thread, a long one elsewhere.
    @concurrent private static func submit(total: Int, batch: Int) async throws -> Double {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        // Longer than a batch: a session that comes whole in one call is summed up in the same transaction.
        let events = house.events(total, length: 250)
        let began = ContinuousClock.now
        try await Task(executorPreference: batch == 1 ? house.store.thread : nil) {
            for start in stride(from: 0, to: total, by: batch) {
                _ = try await submitter.submit(Array(events[start..<start + batch]), at: house.venue.id, from: nil)
            }
        }.value
        let taken = (ContinuousClock.now - began) / .seconds(1)
        await house.end()
        return Double(total) / taken
    }

    private static func peer(total: Int, batch: Int) throws -> Double? {
        guard let folder = ProcessInfo.processInfo.environment["OFFPEAK_BENCH_PEERS"] else { return nil }
        let place = EventHouse.folder()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let output = try Child.output(
            "\(folder)/sqlite_events", [place.appendingPathComponent("peer.sqlite").path, String(total), String(batch)])
        return output.firstMatch(of: #/([0-9.]+) events\/s/#).flatMap { Double($0.output.1) }
    }

    /// Many clients with one event each at the same time.
    @concurrent private static func together() async throws -> Figure {
        var values: [Double] = []
        for _ in 0..<5 {
            let house = try await EventHouse()
            let submitter = try await house.submitter()
            let clients = (0..<50).map { house.events(40, device: "car-\($0)") }
            let began = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for events in clients {
                    group.addTask {
                        for event in events { _ = try await submitter.submit([event], at: house.venue.id, from: nil) }
                    }
                }
                try await group.waitForAll()
            }
            values.append(2_000 / ((ContinuousClock.now - began) / .seconds(1)))
            await house.end()
        }
        return Figure(name: "durable submissions, single, 50 clients at once", unit: "events/s", values: values)
    }

    /// 100,000 events that wait for the hub's own session book.
    @concurrent private static func replay() async throws -> Figure {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let events = house.events(100_000)
        for start in stride(from: 0, to: events.count, by: 1_000) {
            _ = try await submitter.submit(Array(events[start..<start + 1_000]), at: house.venue.id, from: nil)
        }
        let began = ContinuousClock.now
        let running = Task { await submitter.run() }
        await submitter.drain(within: .seconds(120))
        let taken = (ContinuousClock.now - began) / .seconds(1)
        let left = try await house.store.depth(sink: "local").waiting
        running.cancel()
        await running.value
        await house.end()
        guard left == 0 else { throw Child.Failure(description: "\(left) events were not replayed") }
        return Figure(name: "replay of 100,000 queued events to the local sink", unit: "s", values: [taken], bound: 5)
    }

    private static func outage() throws -> [Figure] {
        let output = try Child.output(CommandLine.arguments[0], ["--outage"])
        func number(_ word: String) -> Double {
            output.split(separator: "\n").first { $0.hasPrefix(word) }
                .flatMap { $0.split(separator: " ").last }.flatMap { Double($0) } ?? .nan
        }
        return [
            Figure(
                name: "most memory through a year's outage, 8 devices, \(Int(number("events"))) events", unit: "MB",
                values: [number("peak")], bound: 64),
            Figure(name: "delivery of that year once the sink is back", unit: "s", values: [number("seconds")]),
        ]
    }
}

/// A year of eight devices whose sink takes nothing until its end; run as a process of its own, for its memory.
enum OutageRun {
    private static let perDay = 100
    private static let devices = 8

    @concurrent static func run() async throws {
        let house = try await EventHouse()
        let sink = AwaySink()
        let submitter = try await house.submitter([sink])
        let delivery = SinkDelivery(sink, store: house.store, clock: house.clock, log: .silent) { _ in
            try await Task.sleep(for: .milliseconds(20))
        }
        let running = Task { await delivery.run() }
        for day in 0..<365 {
            for device in 0..<devices {
                let events = house.events(perDay, device: "device-\(device)", from: Double(day) * 60)
                try await submitter.record(events, at: house.venue.id, device: "device", recorder: nil)
            }
            delivery.wake()
        }
        sink.comeBack()
        let began = ContinuousClock.now
        await delivery.retryNow()
        while try await house.store.depth(sink: sink.name).waiting > 0 { try await Task.sleep(for: .milliseconds(50)) }
        let taken = (ContinuousClock.now - began) / .seconds(1)
        running.cancel()
        await running.value
        print("events \(sink.count)")
        print("seconds \(taken)")
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let peak = status.firstMatch(of: #/VmHWM:\s+(\d+) kB/#).flatMap { Double($0.output.1) } ?? .nan
        print("peak \(peak / 1024)")
        await house.end()
    }
}
