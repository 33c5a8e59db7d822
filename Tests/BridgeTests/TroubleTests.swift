import Control
import EnergyKit
import Foundation
import Guidance
import HubKit
import MQTT
import TestSupport
import Testing

@testable import Bridge

/// What a broker and the way to it do to a hub (field cases M-1 and M-4): after every trouble a newcomer at the broker
/// is told exactly the house as it is then, and nothing besides.
@Suite(
    "Troubles with the broker",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(5)))
struct TroubleTests {
    /// What happens.
    enum Trouble: CaseIterable, Sendable {
        /// Stopped and started again without its memory; or killed; or with its memory of last time.
        case stopped, killed, remembering
        /// The connection breaks, while the broker goes on.
        case cut
        /// The connection stands, and nothing passes until the hub gives it up.
        case silent
        /// Everything passes a few bytes at a time.
        case slow
        /// The broker halts with the connection open, for longer than it may leave messages unanswered.
        case halted
        /// The hub comes to a broker that refuses it.
        case refusing
        /// There is no broker any more, then another one that knows nothing.
        case replaced
        /// Somebody else writes over what the hub said, while the hub can't hear it.
        case overwritten
    }

    private let folder: TemporaryFolder
    private let house: BridgeHouse

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
    }

    @Test("a newcomer is told the truth after it, and commands reach the house", arguments: Trouble.allCases)
    func truthAfter(trouble: Trouble) async throws {
        let broker = try await broker(isPersistent: trouble == .remembering)
        let proxy = try LoopbackProxy(to: broker.port)
        try await running(proxy) { client in
            change(1)
            try await expectTheTruth(at: broker)
            let last = try await suffer(trouble, broker, proxy, client)
            try await expectTheTruth(at: last)
            try await expectCommand(at: last)
        }
    }

    @Test("one trouble after the other, in any order", arguments: [1, 2, 3] as [UInt64])
    func manyTroubles(seed: UInt64) async throws {
        var chance = SplitMix(state: seed)
        let broker = try await broker()
        let proxy = try LoopbackProxy(to: broker.port)
        try await running(proxy) { client in
            for round in 1...5 {
                let trouble =
                    [.stopped, .killed, .cut, .silent, .slow, .halted, .overwritten].randomElement(
                        using: &chance) ?? Trouble.cut
                change(10 * round)
                _ = try await suffer(trouble, broker, proxy, client)
                try await expectTheTruth(at: broker)
            }
            try await expectCommand(at: broker)
        }
    }

    // MARK: - The house

    private func broker(isPersistent: Bool = false) async throws -> MosquittoBroker {
        try await MosquittoBroker(isPersistent: isPersistent)
    }

    private func running(_ proxy: LoopbackProxy, _ body: (MQTTClient) async throws -> Void) async throws {
        try await house.running(
            port: proxy.port, homeAssistant: HomeAssistantLink(version: "1"),
            settings: { settings in
                settings.acknowledgementTimeout = .seconds(2)
                settings.connectTimeout = .seconds(2)
            }
        ) { _, client in try await body(client) }
    }

    /// Everything that is shown takes another value.
    private func change(_ number: Int) {
        house.read("car") { reading in
            // Some values come and go: unknown is absent, also after a trouble.
            if number % 2 == 0 { reading[.powerWatts] = Double(number) }
            reading[.importWattHours] = Double(number * 1000)
            reading.plug = .plugged
        }
        if number % 3 == 0 {
            house.board.post(DeviceHealth(.offline, since: house.clock.now), for: "pump")
        } else {
            house.read("pump") { $0[.roomCelsius] = Double(number) / 10 }
        }
        house.plans.post(
            DevicePlan(
                deviceID: "car", venueID: house.venue.id, computedAt: house.clock.now, token: nil, intervals: [],
                reason: "for reason \(number)"),
            for: "car")
        for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
            house.guidance.issue(
                guidance(action, at: house.venue.id, from: house.clock.now, firstRating: 1 / Double(number + 1)))
        }
    }

    // MARK: - Troubles

    /// - Returns: the broker that the hub is at afterwards.
    private func suffer(
        _ trouble: Trouble, _ broker: MosquittoBroker, _ proxy: LoopbackProxy, _ client: MQTTClient
    ) async throws -> MosquittoBroker {
        func isAway(_ state: MQTTState) -> Bool { if case .disconnected = state { true } else { false } }
        switch trouble {
        case .stopped, .killed, .remembering:
            if trouble == .killed { await broker.kill() } else { await broker.stop() }
            try await client.become(isAway)
            change(2)
            try await broker.start()
        case .cut:
            change(3)
            proxy.cut()
            change(4)
        case .silent:
            proxy.become(.silent)
            change(5)
            try await client.become(isAway)
            change(6)
            proxy.become(.open)
        case .slow:
            proxy.become(.slow(bytes: 256, pause: .milliseconds(2)))
            for number in 7...20 {
                change(number)
                try await Task.sleep(for: .milliseconds(20))
            }
            try await expectTheTruth(at: broker)
            proxy.become(.open)
            change(21)
        case .halted:
            await broker.suspend()
            change(22)
            try await client.become(isAway)
            change(23)
            await broker.resume()
        case .refusing:
            let refusing = try await MosquittoBroker(users: ["somebody": "else"])
            proxy.lead(to: refusing.port)
            proxy.cut()
            try await client.become { state in
                if case .disconnected(.refused, _) = state { true } else { false }
            }
            change(24)
            proxy.lead(to: broker.port)
        case .replaced:
            proxy.become(.closed)
            try await client.become(isAway)
            change(25)
            let other = try await MosquittoBroker()
            proxy.lead(to: other.port)
            proxy.become(.open)
            return other
        case .overwritten:
            proxy.become(.closed)
            try await client.become(isAway)
            let stranger = try await Watcher(port: broker.port)
            for (topic, text) in [
                ("status", "offline"), ("devices/car/state", "{}"), ("devices/sold/state", "{}"),
                ("devices/car/availability", "offline"),
            ] { try await stranger.client.publish(text, to: "offpeak/\(topic)", isRetained: true) }
            proxy.become(.open)
        }
        return broker
    }

    // MARK: - The truth

    private var truth: [String: String] {
        get async throws {
            var truth = ["offpeak/status": "online"]
            for device in house.board.all {
                let id = device.configuration.id
                let isThere = device.health.state == .ok || device.health.state == .degraded
                truth["offpeak/devices/\(id)/availability"] = isThere ? "online" : "offline"
                truth["offpeak/devices/\(id)/state"] = FlatState.text(
                    DeviceJSON(device, plan: house.plans[id], currency: "EUR"))
                truth["homeassistant/device/offpeak_\(id)/config"] = try DeviceDiscovery(
                    device: device, base: "offpeak", currency: "EUR", version: "1"
                ).document.text()
            }
            let venue = house.venue
            truth["homeassistant/device/offpeak_venue_\(venue.id.uuidString.lowercased())/config"] =
                try VenueDiscovery(venue: venue, base: "offpeak", version: "1", hasChargers: true, hasPresence: false)
                .document.text()
            for (action, name) in [(ElectricityGuidance.SuggestedAction.shift, "shift"), (.reduce, "reduce")] {
                let issued = try await house.guidance.guidance(action, at: venue.id, for: "test")
                truth["offpeak/venues/\(venue.id)/guidance/\(name)"] = try json(issued)
                if action == .shift {
                    truth["offpeak/venues/\(venue.id)/state"] = try json(VenueState(issued, at: house.clock.now))
                }
            }
            return truth
        }
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try EnergyKitJSON.encoder().encode(value), as: UTF8.self)
    }

    private func expectTheTruth(at broker: MosquittoBroker) async throws {
        let truth = try await truth
        let isTold = await eventually(within: .seconds(60), every: .milliseconds(100)) {
            try await retained(at: broker) == truth
        }
        guard !isTold else { return }
        let told = try await retained(at: broker)
        for topic in Set(told.keys).union(truth.keys).sorted() where told[topic] != truth[topic] {
            Issue.record("\(topic): \(told[topic] ?? "nothing") instead of \(truth[topic] ?? "nothing")")
        }
    }

    /// What a newcomer is told, without the hub's own name.
    private func retained(at broker: MosquittoBroker) async throws -> [String: String] {
        var told = try await Watcher.retained(port: broker.port)
        #expect(told.removeValue(forKey: "offpeak/hub")?.contains(house.instance) ?? true)
        return told
    }

    private func expectCommand(at broker: MosquittoBroker) async throws {
        let watcher = try await Watcher(port: broker.port)
        #expect(try await watcher.result("21", to: "setpoint", of: "pump")["accepted"] == true)
        try await expectTheTruth(at: broker)
    }
}

/// Numbers by chance, the same ones for the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
