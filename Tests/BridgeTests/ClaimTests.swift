import EnergyKit
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

@testable import Bridge

/// Two hubs under one base topic of a real broker.
@Suite(
    "Two hubs under one base topic",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct ClaimTests {
    private let folders: [TemporaryFolder]
    private let first: BridgeHouse
    private let second: BridgeHouse
    private let broker: MosquittoBroker

    init() async throws {
        folders = [try TemporaryFolder(), try TemporaryFolder()]
        first = try await BridgeHouse(in: folders[0].url)
        second = try await BridgeHouse(in: folders[1].url)
        broker = try await ownBroker()
    }

    private func name(_ house: BridgeHouse) -> @Sendable (String) -> Bool {
        { [instance = house.instance] text in text.contains(instance) }
    }

    private func isLeft(by house: BridgeHouse) async -> Bool {
        await eventually { house.collecting.texts().contains { $0.contains("another hub, on here, shows itself") } }
    }

    /// What a newcomer is told, once it is this house's alone.
    private func retained(of house: BridgeHouse) async throws -> [String: String] {
        var found: [String: String] = [:]
        let isSo = await eventually {
            found = try await Watcher.retained(port: broker.port)
            return found["offpeak/venues/\(house.venue.id)/state"] != nil
                && found.keys.allSatisfy { !$0.hasPrefix("offpeak/venues/") || $0.contains("\(house.venue.id)") }
                && ["car", "pump"].allSatisfy { found["offpeak/devices/\($0)/availability"] != nil }
        }
        #expect(isSo, "\(found.keys.sorted())")
        return found
    }

    @Test("the second shows, clears and takes nothing until the first says good-bye, and then all of it")
    func goodbye() async throws {
        first.read("car") { $0[.powerWatts] = 1111 }
        second.read("car") { $0[.powerWatts] = 2222 }
        let (goes, go) = AsyncStream<Void>.makeStream()
        let running = Task {
            try await first.running(port: broker.port, homeAssistant: HomeAssistantLink(version: "1")) { bridge, _ in
                for await _ in goes { break }
                await bridge.stop()
            }
        }
        let watcher = try await Watcher(port: broker.port)
        try await watcher.wait("offpeak/hub", until: name(first))
        let before = try await retained(of: first)
        try await second.running(port: broker.port, homeAssistant: HomeAssistantLink(version: "1")) { bridge, _ in
            #expect(await isLeft(by: second))
            second.read("car") { $0[.powerWatts] = 3333 }
            let results = try await watcher.client.messages(matching: "offpeak/devices/car/result")
            for _ in 1...3 { try await watcher.send("now", to: "mode") }
            var answers = 0
            for await _ in results {
                answers += 1
                if answers == 3 { break }
            }
            #expect(first.board["car"]?.mode == .now)
            #expect(await bridge.mayPublish() == false)
            #expect(second.board["car"]?.mode == .off)
            var during = try await retained(of: first)
            #expect(try members(of: #require(during["offpeak/devices/car/state"]))["powerWatts"] == 1111)
            // Its mode and times are another.
            during["offpeak/devices/car/state"] = before["offpeak/devices/car/state"]
            #expect(during == before)
            go.yield()
            try await running.value
            try await watcher.wait("offpeak/hub", until: name(second))
            #expect(await bridge.mayPublish())
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["powerWatts"] == 3333 }
            let after = try await retained(of: second)
            #expect(after["offpeak/status"] == "online")
            #expect(second.board["car"]?.mode == .off)
            #expect(try await watcher.result("now", to: "mode")["accepted"] == true)
            #expect(second.board["car"]?.mode == .now)
        }
        #expect(second.collecting.texts().count { $0.contains("another hub") } == 1)
        #expect(first.collecting.texts().count { $0.contains("another hub") } == 0)
    }

    @Test("a hub that is gone without a word, and with what it said still there, is found to be gone")
    func vanished() async throws {
        let watcher = try await Watcher(port: broker.port)
        // Its connection ends properly, but it takes nothing back: not even the last will does.
        try await first.running(port: broker.port) { _, _ in
            try await watcher.wait("offpeak/hub", until: name(first))
            try await watcher.wait("offpeak/status") { $0 == "online" }
        }
        try await second.running(port: broker.port, waits: (.milliseconds(300), .seconds(60))) { _, _ in
            try await watcher.wait("offpeak/hub", until: name(second))
            _ = try await retained(of: second)
        }
        #expect(!second.collecting.texts().contains { $0.contains("another hub") })
    }

    @Test("a waiting hub looks again by itself, and tells of the other once")
    func looksAgain() async throws {
        let watcher = try await Watcher(port: broker.port)
        let (goes, go) = AsyncStream<Void>.makeStream()
        let running = Task {
            try await first.running(port: broker.port) { _, _ in for await _ in goes { break } }
        }
        try await watcher.wait("offpeak/hub", until: name(first))
        let questions = try await watcher.client.messages(matching: "offpeak/hub/claim")
        try await second.running(port: broker.port, waits: (.seconds(3), .milliseconds(20))) { _, _ in
            var heard = 0
            for await _ in questions {
                heard += 1
                if heard == 5 { break }
            }
            go.yield()
            try await running.value
            try await watcher.wait("offpeak/hub", until: name(second))
        }
        #expect(second.collecting.texts().count { $0.contains("another hub") } == 1)
    }

    @Test("a hub that was killed is back after the wait for its twin: its own name does not lock it out")
    func restart() async throws {
        let watcher = try await Watcher(port: broker.port)
        for _ in 1...3 {
            let names = try await watcher.client.messages(matching: "offpeak/hub")
            // Without a good-bye, and with hours until another hub is looked for again.
            try await first.running(port: broker.port, waits: (.milliseconds(300), .seconds(36_000))) { _, _ in
                // Said now, and not kept from before.
                for await message in names where !message.isRetained { break }
                let answer = try await watcher.result("off", to: "mode")
                #expect(answer["accepted"] == true)
            }
        }
    }

    @Test("when the broker forgets everything, the one that holds the base topic or another holds it, and only one")
    func brokerForgets() async throws {
        let watcher = try await Watcher(port: broker.port)
        try await first.running(port: broker.port) { _, _ in
            try await watcher.wait("offpeak/hub", until: name(first))
            try await second.running(port: broker.port) { _, _ in
                #expect(await isLeft(by: second))
                try await broker.restart()
                try await watcher.client.become { $0 == .connected }
                let isOne = await eventually {
                    let found = try await Watcher.retained(port: broker.port)
                    let venues = [first, second].filter { found["offpeak/venues/\($0.venue.id)/state"] != nil }
                    return found["offpeak/status"] == "online" && venues.count == 1
                        && found["offpeak/hub"].map(name(venues[0])) == true
                }
                #expect(isOne)
            }
        }
    }

    @Test("under base topics of their own they do not touch each other")
    func twoBases() async throws {
        let watcher = try await Watcher(port: broker.port)
        try await first.running(port: broker.port) { _, _ in
            try await second.running(port: broker.port, base: "cabin") { _, _ in
                try await watcher.wait("offpeak/hub", until: name(first))
                try await watcher.wait("cabin/hub", until: name(second))
                let isThere = await eventually {
                    let found = try await Watcher.retained(port: broker.port)
                    return found["offpeak/venues/\(first.venue.id)/state"] != nil
                        && found["cabin/venues/\(second.venue.id)/state"] != nil
                }
                #expect(isThere)
            }
        }
    }
}
