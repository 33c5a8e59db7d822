import Bridge
import Control
import EnergyKit
import Foundation
import Guidance
import HubKit
import MQTT
import Storage

/// Messages through the wrapper of libmosquitto against a C client of it, turn by turn at the same broker; a thousand
/// devices shown; and what it costs when nothing changes.
///
/// Both have the same broker, messages, quality of service, window and acknowledgements. The wrapper lets what it writes in
/// one turn leave in few packets of the network (`TCP_CORK`), which the plain client does not.
enum BridgeBenchmark {
    private static let rounds = 5
    private static let singles = 2000
    private static let many = 20_000
    private static let window = 64

    static func run() async throws -> [Figure] {
        let port = 18_650
        let broker = try Child(brokerPath, ["-p", String(port)])
        defer { broker.end() }
        let client = try await client(port)
        var (latency, threaded, looping) = ([Double](), [Double](), [Double]())
        var (rate, ratePeer) = ([Double](), [Double]())
        for _ in 0..<rounds {
            latency.append(try await measureLatency(client) * 1000)
            if let peer = try peer(port, "threaded", singles) { threaded.append(peer * 1000) }
            if let peer = try peer(port, "latency", singles) { looping.append(peer * 1000) }
            rate.append(try await measureRate(client))
            if let peer = try peer(port, "rate", many, window) { ratePeer.append(peer) }
        }
        await client.close()
        if threaded.isEmpty { print("  the C client was not built; run scripts/bench, which builds it") }
        var figures = compared("MQTT publish to receive, QoS 1", "ms", latency, threaded)
        if !looping.isEmpty {
            figures.append(
                Figure(name: "C client without threads, which waits for nothing else", unit: "ms", values: looping))
        }
        figures += compared("MQTT there and back, \(window) under way", "messages/s", rate, ratePeer)
        return try await figures + ShownHouse.measure(port)
    }

    private static var brokerPath: String {
        ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? "mosquitto"
    }

    static func client(_ port: Int) async throws -> MQTTClient {
        var configuration = MQTTConfiguration(host: "127.0.0.1", port: port)
        configuration.backoff = MQTTBackoff(initial: .milliseconds(20), maximum: .milliseconds(100))
        configuration.maximumInFlight = window
        let client = try MQTTClient(configuration)
        await client.start()
        for await state in await client.states() where state == .connected { break }
        return client
    }

    private static let payload = [UInt8](repeating: 120, count: 200)

    /// Ours, the C client's, and how much of its speed that is; times where less is better are in milliseconds.
    private static func compared(_ name: String, _ unit: String, _ ours: [Double], _ peers: [Double]) -> [Figure] {
        var figures = [Figure(name: name, unit: unit, values: ours)]
        guard peers.count == ours.count else { return figures }
        figures.append(Figure(name: "the same, C client", unit: unit, values: peers))
        let ratios = zip(ours, peers).map { unit == "ms" ? $1 / $0 : $0 / $1 }
        figures.append(Figure(name: "speed against C client", unit: "×", values: ratios, bound: 0.8, wantsAbove: true))
        return figures
    }

    /// The median of one message at a time, in seconds.
    @concurrent private static func measureLatency(_ client: MQTTClient) async throws -> Double {
        var messages = try await client.messages(matching: "bench/swift", bufferingNewest: 16).makeAsyncIterator()
        var taken: [Double] = []
        for _ in 0..<singles {
            let began = ContinuousClock.now
            try await client.publish(MQTTMessage(topic: "bench/swift", payload: payload))
            _ = await messages.next()
            taken.append((ContinuousClock.now - began) / .seconds(1))
        }
        return taken.sorted()[taken.count / 2]
    }

    /// Messages each second, until the last one is back.
    @concurrent private static func measureRate(_ client: MQTTClient) async throws -> Double {
        let messages = try await client.messages(matching: "bench/swift", bufferingNewest: many)
        let message = MQTTMessage(topic: "bench/swift", payload: payload)
        let began = ContinuousClock.now
        async let publishing = client.publish(all: Array(repeating: message, count: many))
        var received = 0
        for await _ in messages {
            received += 1
            if received == many { break }
        }
        let taken = (ContinuousClock.now - began) / .seconds(1)
        for result in await publishing { _ = try result.get() }
        return Double(many) / taken
    }

    private static func peer(_ port: Int, _ what: String, _ numbers: Int...) throws -> Double? {
        guard let folder = ProcessInfo.processInfo.environment["OFFPEAK_BENCH_PEERS"] else { return nil }
        let path = "\(folder)/mqtt_client"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let output = try Child.output(path, [String(port), what] + numbers.map(String.init))
        return output.split(whereSeparator: { " \n".contains($0) }).compactMap { Double($0) }.last
    }
}

/// A house of a thousand devices on a broker.
private enum ShownHouse {
    private static let devices = 1000
    private static let idleSeconds = 10

    @concurrent static func measure(_ port: Int) async throws -> [Figure] {
        let clock = SystemClock()
        let folder = EventHouse.folder()
        let store = try await HubStore(folder: folder, clock: clock, log: .silent)
        let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")
        let (board, plans, venues) = (DeviceBoard(), PlanBook(), VenueRegistry([venue]))
        let guidance = NoGuidance()
        let controller = Controller(
            board: board, plans: plans, venues: venues, guidance: guidance, store: store, clock: clock, log: .silent)
        let ids = (0..<devices).compactMap { DeviceID("d\($0)") }
        for id in ids {
            var configuration = DeviceConfiguration(
                id: id, name: id.rawValue, venueID: venue.id, driver: "standing", connection: .none)
            configuration.role = .load
            board.add(
                configuration, kind: .meter,
                capabilities: DeviceCapabilities(meter: MeterCapabilities(power: true, importEnergy: true, phases: 3)),
                health: DeviceHealth(.ok, since: clock.now))
            board.post(reading(1, at: clock.now), for: id)
        }
        let client = try MQTTClient(
            MQTTBridge.configured(MQTTConfiguration(host: "127.0.0.1", port: port), base: "bench-house"))
        let bridge = MQTTBridge(
            client: client, base: "bench-house", board: board, plans: plans, controller: controller,
            guidance: guidance, venues: venues, clock: clock, log: .silent,
            homeAssistant: HomeAssistantLink(prefix: "bench-assistant", version: "1"))
        let watcher = try await BridgeBenchmark.client(port)
        let all = try await watcher.messages(matching: "bench-house/devices/+/state", bufferingNewest: 100_000)
        let running = Task { await bridge.run() }
        let began = ContinuousClock.now
        await client.start()
        let whole = Seen()
        let counting = Task { for await message in all { await whole.note(message.topic) } }
        while await whole.topics < devices { try await Task.sleep(for: .milliseconds(1)) }
        let shown = (ContinuousClock.now - began) / .seconds(1)

        // Readings as devices give them, every other second, with nothing new in them.
        try await Task.sleep(for: .seconds(2))
        let before = (await whole.messages, processorSeconds())
        for _ in 0..<idleSeconds / 2 {
            for id in ids { board.post(reading(1, at: clock.now), for: id) }
            try await Task.sleep(for: .seconds(2))
        }
        let after = (await whole.messages, processorSeconds())
        running.cancel()
        await client.close()
        await running.value
        counting.cancel()
        await watcher.close()
        await store.close()
        try? FileManager.default.removeItem(at: folder)
        return [
            Figure(name: "full state of \(devices) devices on the broker", unit: "s", values: [shown], bound: 2),
            Figure(
                name: "messages about them in \(idleSeconds) s without a change", unit: "",
                values: [Double(after.0 - before.0)], bound: 0),
            Figure(
                name: "processor meanwhile, \(devices) readings every 2 s", unit: "%",
                values: [(after.1 - before.1) / Double(idleSeconds) * 100]),
        ]
    }

    private static func reading(_ watts: Double, at now: Date) -> DeviceReading {
        var reading = DeviceReading(at: now)
        for (quantity, value) in [
            (Quantity.powerWatts, watts), (.importWattHours, 1000), (.currentL1Amps, 1), (.currentL2Amps, 1),
            (.currentL3Amps, 1),
        ] { reading[quantity] = value }
        return reading
    }

    /// The processor time that this program has used so far, in seconds.
    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    private actor Seen {
        private var known: Set<String> = []
        private(set) var messages = 0
        var topics: Int { known.count }

        func note(_ topic: String) {
            known.insert(topic)
            messages += 1
        }
    }
}

/// A home about whose hours nothing is known.
private struct NoGuidance: GuidanceProviding {
    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance { throw EnergyKitFailure(.guidanceUnavailable) }

    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> { AsyncThrowingStream { _ in } }
}
