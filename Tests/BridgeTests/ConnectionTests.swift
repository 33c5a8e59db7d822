import Bridge
import Control
import EnergyKit
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

/// A broker that comes and goes.
///
/// Without the mosquitto broker on the machine nothing here can be tried.
@Suite(
    "Status and reconnecting",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct ConnectionTests {
    private let folder: TemporaryFolder
    private let house: BridgeHouse

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
    }

    @Test("the status is online, and offline by the last will when the hub is killed")
    func lastWill() async throws {
        let broker = try await ownBroker()
        let watcher = try await Watcher(port: broker.port)
        let statuses = try await watcher.client.messages(matching: "offpeak/status")
        let inner = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [port = broker.port as Int, path = inner.path as String] in
            let house = try await BridgeHouse(in: URL(fileURLWithPath: path))
            try await house.running(port: port) { _, _ in
                try await Watcher(port: port).wait("offpeak/status") { $0 == "online" }
                kill(getpid(), SIGKILL)
            }
        }
        var seen: [String] = []
        for await message in statuses {
            seen.append(message.text)
            if message.text == "offline" { break }
        }
        #expect(seen.first == "online")
        let retained = try await Watcher.retained(port: broker.port)
        #expect(retained["offpeak/status"] == "offline")
    }

    @Test("stopping says offline for the hub and each device, and nothing that happens after says otherwise")
    func stopping() async throws {
        let broker = try await ownBroker()
        house.read("car") { $0[.powerWatts] = 1 }
        house.read("pump") { $0[.powerWatts] = 1 }
        try await house.running(port: broker.port) { bridge, _ in
            let watcher = try await Watcher(port: broker.port)
            for topic in ["status", "devices/car/availability", "devices/pump/availability"] {
                try await watcher.wait("offpeak/\(topic)") { $0 == "online" }
            }
            await bridge.stop()
            for number in 1...20 {
                house.plans.post(
                    DevicePlan(
                        deviceID: "car", venueID: house.venue.id, computedAt: house.clock.now, token: nil,
                        intervals: [], reason: "\(number)"),
                    for: "car")
                let retained = try await Watcher.retained(port: broker.port)
                for topic in ["status", "devices/car/availability", "devices/pump/availability"] {
                    #expect(retained["offpeak/\(topic)"] == "offline")
                }
            }
        }
        // The good-bye is one: no last will follows, and what was said stays.
        #expect(try await Watcher.retained(port: broker.port)["offpeak/status"] == "offline")
    }

    @Test("a last will that comes late, from a connection that is long gone, is put right")
    func lateWill() async throws {
        let broker = try await ownBroker()
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            try await watcher.wait("offpeak/status") { $0 == "online" }
            let statuses = try await watcher.client.messages(matching: "offpeak/status")
            try await watcher.client.publish("offline", to: "offpeak/status", isRetained: true)
            var seen: [String] = []
            for await message in statuses where !message.isRetained {
                seen.append(message.text)
                if seen.count == 2 { break }
            }
            #expect(seen == ["offline", "online"])
            #expect(try await Watcher.retained(port: broker.port)["offpeak/status"] == "online")
        }
    }

    @Test("a broker that is away at the start is told everything when it comes (field case M-1)")
    func brokerAwayAtStart() async throws {
        let broker = try await ownBroker()
        await broker.stop()
        house.guidance.issue(guidance(.shift, at: house.venue.id, from: house.clock.now))
        try await house.running(port: broker.port) { _, client in
            try await client.become { if case .disconnected = $0 { true } else { false } }
            // The house goes on meanwhile.
            house.read("car") { $0[.powerWatts] = 1 }
            try await house.controller.setMode(.now, for: "car")
            house.read("car") { $0[.powerWatts] = 2 }
            try await broker.start()
            try await expectTheTruth(port: broker.port, carWatts: 2, carMode: "now", action: "shift")
        }
    }

    @Test("a broker that forgot everything is told all of it, as it is now (field case M-1)", arguments: [false, true])
    func brokerForgets(isKilled: Bool) async throws {
        let broker = try await ownBroker()
        house.guidance.issue(guidance(.reduce, at: house.venue.id, from: house.clock.now, firstRating: 0.1))
        house.read("car") { $0[.powerWatts] = 1 }
        try await house.running(port: broker.port) { _, client in
            for round in 1...3 {
                try await expectTheTruth(
                    port: broker.port, carWatts: Double(round), carMode: round % 2 == 1 ? "off" : "now",
                    action: "reduce")
                if isKilled { await broker.kill() } else { await broker.stop() }
                try await client.become { if case .disconnected = $0 { true } else { false } }
                house.read("car") { $0[.powerWatts] = Double(round + 1) }
                try await house.controller.setMode(round % 2 == 1 ? .now : .off, for: "car")
                house.guidance.issue(guidance(.reduce, at: house.venue.id, from: house.clock.now))
                try await broker.start()
                // Its subscriptions are there again as soon as it says that it is.
                let watcher = try await Watcher(port: broker.port)
                try await watcher.wait("offpeak/status") { $0 == "online" }
                let answer = try await watcher.result("21", to: "setpoint", of: "pump")
                #expect(answer == ["command": "setpoint", "accepted": true])
            }
        }
    }

    /// What a newcomer is told is the house as it is now: every topic, and none besides.
    private func expectTheTruth(
        port: Int, carWatts: Double, carMode: String, action: String
    ) async throws {
        let watcher = try await Watcher(port: port)
        let venue = "offpeak/venues/\(house.venue.id)/guidance/\(action)"
        let latest = try await house.guidance.guidance(
            action == "shift" ? .shift : .reduce, at: house.venue.id, for: "test")
        try await watcher.waitJSON("offpeak/devices/car/state") {
            $0["powerWatts"] == .number(carWatts) && $0["mode"] == .text(carMode)
        }
        try await watcher.waitJSON(venue) { $0["guidanceToken"] == .text(latest.guidanceToken.uuidString) }
        try await watcher.wait("offpeak/venues/\(house.venue.id)/state") { _ in true }
        try await watcher.wait("offpeak/devices/pump/state") { _ in true }
        try await watcher.wait("offpeak/devices/pump/availability") { _ in true }
        try await watcher.wait("offpeak/devices/car/availability") { $0 == "online" }
        try await watcher.wait("offpeak/status") { $0 == "online" }

        let retained = try await Watcher.retained(port: port)
        #expect(
            Set(retained.keys) == [
                "offpeak/status", "offpeak/hub", "offpeak/devices/car/state", "offpeak/devices/car/availability",
                "offpeak/devices/pump/state", "offpeak/devices/pump/availability", venue,
                "offpeak/venues/\(house.venue.id)/state",
            ])
        #expect(retained["offpeak/status"] == "online")
        #expect(retained["offpeak/devices/car/availability"] == "online")
        #expect(retained["offpeak/devices/pump/availability"] == "offline")
        let car = try members(of: #require(retained["offpeak/devices/car/state"]))
        #expect(
            car == [
                "at": "2026-05-28T20:26:40Z", "powerWatts": .number(carWatts), "mode": .text(carMode), "health": "ok",
            ])
        let told = try members(of: #require(retained[venue]))
        #expect(told["guidanceToken"] == .text(latest.guidanceToken.uuidString))
    }
}
