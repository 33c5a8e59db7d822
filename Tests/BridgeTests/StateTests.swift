import Control
import EnergyKit
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

/// What the broker is told of the house.
///
/// Without the mosquitto broker on the machine nothing here can be tried.
@Suite(
    "State on the broker",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct StateTests {
    private let folder: TemporaryFolder
    private let house: BridgeHouse
    private let broker: MosquittoBroker

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
        broker = try await ownBroker()
    }

    @Test("a device's reading, mode, goal and plan are one flat object, retained")
    func deviceState() async throws {
        let start = house.clock.now
        house.read("car") { reading in
            reading[.powerWatts] = 7200
            reading[.importWattHours] = 12_345.5
            reading[.stateOfChargePercent] = 42
            reading[.currentL1Amps] = 10.5
            reading.plug = .plugged
            reading.charging = .charging
        }
        let goal = ChargingGoal(
            amount: .energy(wattHours: 9000), readyBy: start.addingTimeInterval(36_000), minimumAmps: 6, setAt: start)
        house.board.post(mode: .guided, goal: .charge(goal), limit: nil, for: "car")
        let token = UUID()
        house.plans.post(
            DevicePlan(
                deviceID: "car", venueID: house.venue.id, computedAt: start, token: token,
                intervals: [.init(start: start, end: start.addingTimeInterval(3600), powerWatts: 7200)],
                energyWattHours: 7200, cost: 1.5, gramsCO2: 2000, unmetWattHours: 1800, reason: "cheap now"),
            for: "car")
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["reason"] != nil }
            let retained = try await Watcher.retained(port: broker.port)
            let state = try members(of: #require(retained["offpeak/devices/car/state"]))
            let stateExpected: [String: JSONValue] = [
                "at": "2026-05-28T20:26:40Z", "powerWatts": 7200, "importWattHours": 12_345.5, "stateOfCharge": 42,
                "currentL1Amps": 10.5, "currentAmps": [10.5, .null, .null], "plug": "plugged",
                "charging": "charging", "health": "ok", "mode": "guided",
                "energyWattHours": 9000, "readyBy": "2026-05-29T06:26:40Z", "minimumAmps": 6,
                "repeatsDaily": false,
                "computedAt": "2026-05-28T20:26:40Z", "guidanceToken": .text(token.uuidString),
                "intervals": [
                    ["start": "2026-05-28T20:26:40Z", "end": "2026-05-28T21:26:40Z", "powerWatts": 7200]
                ],
                "plannedEnergyWattHours": 7200, "cost": 1.5, "currency": "EUR", "gramsCO2": 2000,
                "unmetEnergyWattHours": 1800, "reason": "cheap now",
            ]
            #expect(state == stateExpected)
        }
    }

    @Test("what a device does not tell is absent, also where something of that name is wanted of it (field case M-4)")
    func unknownIsAbsent() async throws {
        house.read("car") { $0.plug = .plugged }
        let goal = ChargingGoal(
            amount: .stateOfCharge(percent: 80), readyBy: house.clock.now.addingTimeInterval(3600),
            setAt: house.clock.now)
        house.board.post(mode: .guided, goal: .charge(goal), limit: nil, for: "car")
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            let state = try await watcher.waitJSON("offpeak/devices/car/state") { $0["readyBy"] != nil }
            let stateExpected: [String: JSONValue] = [
                "at": "2026-05-28T20:26:40Z", "plug": "plugged", "health": "ok", "mode": "guided",
                "goalStateOfCharge": 80, "readyBy": "2026-05-28T21:26:40Z", "repeatsDaily": false,
            ]
            #expect(state == stateExpected)
            // A device that was never heard has no values at all.
            let unheard = try await watcher.waitJSON("offpeak/devices/pump/state") { _ in true }
            let unheardExpected: [String: JSONValue] = [
                "health": "starting", "mode": "guided", "setpointCelsius": 20, "goalSetpointCelsius": 20,
                "comfortBandKelvin": 1,
            ]
            #expect(unheard == unheardExpected)
            // A value that gets lost goes from the topic too.
            house.read("car") { $0[.powerWatts] = 0 }
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["powerWatts"] == 0 }
            house.read("car") { $0[.powerWatts] = nil }
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["powerWatts"] == nil }
        }
    }

    @Test(
        "a device is available while it answers, at least in part",
        arguments: [
            (DeviceHealth.State.ok, "online"), (.degraded, "online"), (.offline, "offline"), (.starting, "offline"),
            (.disabled, "offline"),
        ])
    func availability(health: DeviceHealth.State, expected: String) async throws {
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            // Whichever it is to become, it is the other before.
            let before: DeviceHealth.State = expected == "online" ? .offline : .ok
            house.board.post(DeviceHealth(before, since: house.clock.now), for: "car")
            try await watcher.wait("offpeak/devices/car/availability") { $0 != expected }
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["health"] == .text(before.rawValue) }
            house.board.post(DeviceHealth(health, since: house.clock.now, reason: "so it is"), for: "car")
            try await watcher.waitJSON("offpeak/devices/car/state") { $0["health"] == .text(health.rawValue) }
            try await watcher.wait("offpeak/devices/car/availability") { $0 == expected }
        }
    }

    @Test("guidance is retained as the API gives it, each action under its own topic, and a new one takes its place")
    func guidanceTopics() async throws {
        let start = house.clock.now
        let shift = guidance(.shift, at: house.venue.id, from: start)
        house.guidance.issue(shift)
        house.guidance.issue(guidance(.reduce, at: house.venue.id, from: start, firstRating: 0.5))
        let topic = "offpeak/venues/\(house.venue.id)/guidance"
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            let told = try await watcher.waitJSON("\(topic)/shift") { _ in true }
            let toldExpected: [String: JSONValue] = [
                "guidanceToken": .text(shift.guidanceToken.uuidString),
                "energyVenueID": .text(house.venue.id.uuidString), "action": "shift",
                "issuedAt": "2026-05-28T20:26:40Z",
                "interval": ["start": "2026-05-28T20:26:40Z", "end": "2026-05-28T22:26:40Z"],
                "options": ["locationHasRatePlan"],
                "values": [
                    [
                        "start": "2026-05-28T20:26:40Z", "end": "2026-05-28T21:26:40Z", "rating": 0.25,
                        "pricePerKWh": 0.3, "gramsCO2PerKWh": 120,
                    ],
                    [
                        "start": "2026-05-28T21:26:40Z", "end": "2026-05-28T22:26:40Z", "rating": 0.75,
                        "gramsCO2PerKWh": 480,
                    ],
                ],
            ]
            #expect(told == toldExpected)
            try await watcher.waitJSON("\(topic)/reduce") { $0["action"] == "reduce" }
            let next = guidance(.shift, at: house.venue.id, from: start.addingTimeInterval(3600))
            house.guidance.issue(next)
            try await watcher.waitJSON("\(topic)/shift") {
                $0["guidanceToken"] == .text(next.guidanceToken.uuidString)
            }
            let retained = try await Watcher.retained(port: broker.port)
            #expect(try retained["\(topic)/shift"] == text(of: next))
        }
    }

    @Test("guidance that was refused at first is shown when it comes")
    func lateGuidance() async throws {
        house.guidance.refuse()
        try await house.running(port: broker.port) { _, _ in
            // Both actions of the venue wait for another try, and so does its state.
            await house.clock.waitForSleepers(3)
            let late = guidance(.shift, at: house.venue.id, from: house.clock.now)
            house.guidance.issue(late)
            await house.clock.advance(by: 30)
            let watcher = try await Watcher(port: broker.port)
            let told = try await watcher.wait("offpeak/venues/\(house.venue.id)/guidance/shift") { _ in true }
            #expect(try told == text(of: late))
        }
    }

    @Test("values that change quickly end with the last one, and never go back")
    func quickChanges() async throws {
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            let states = try await watcher.client.messages(matching: "offpeak/devices/car/state", bufferingNewest: 9999)
            let last = 400
            for number in 1...last {
                house.read("car") { $0[.powerWatts] = Double(number) }
                // Shown at once, unlike readings, which wait for their turn: both ways meet.
                house.plans.post(
                    DevicePlan(
                        deviceID: "car", venueID: house.venue.id, computedAt: house.clock.now, token: nil,
                        intervals: [], reason: "\(number)"),
                    for: "car")
                await Task.yield()
            }
            var seen: [Double] = []
            for await message in states {
                let state = try members(of: message.text)
                if let watts = state["powerWatts"]?.asNumber { seen.append(watts) }
                if state["powerWatts"] == .number(Double(last)), state["reason"] == .text("\(last)") { break }
            }
            #expect(seen == seen.sorted())
            let retained = try await Watcher.retained(port: broker.port)
            let state = try members(of: #require(retained["offpeak/devices/car/state"]))
            #expect(state["powerWatts"] == .number(Double(last)))
            #expect(state["reason"] == .text("\(last)"))
        }
    }

    @Test("what has not changed is not sent again, but once a minute, that its time be known")
    func unchanged() async throws {
        func read() {
            house.read("car") { $0[.powerWatts] = 7200 }
            house.read("pump") { $0[.roomCelsius] = 21 }
        }
        read()
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            let first = try await watcher.waitJSON("offpeak/devices/car/state") { _ in true }
            try await watcher.waitJSON("offpeak/devices/pump/state") { _ in true }
            let states = try await watcher.client.messages(matching: "offpeak/devices/+/state")
            for _ in 1...5 {
                await house.clock.advance(by: 10)
                read()
            }
            // A change comes behind everything that was said before it.
            house.read("pump") { $0[.roomCelsius] = 22 }
            var said = try await news(in: states)
            while said.state["roomCelsius"] != 22 {
                #expect(said.state["at"] == first["at"], "\(said)")
                said = try await news(in: states)
            }
            await house.clock.advance(by: 10)
            house.read("car") { $0[.powerWatts] = 7200 }
            let repeated = try await news(in: states)
            #expect(repeated.topic == "offpeak/devices/car/state" && repeated.state["at"] != first["at"])
            #expect(repeated.state["powerWatts"] == 7200)
        }
    }

    @Test("what is retained of devices and homes that are gone is cleared, and nothing else")
    func strangersAreCleared() async throws {
        let before = try await Watcher(port: broker.port)
        let gone = [
            "offpeak/devices/sold/state", "offpeak/devices/sold/availability",
            "offpeak/venues/\(UUID())/guidance/shift", "offpeak/venues/not-one/guidance/reduce",
            "offpeak/venues/\(UUID())/state",
        ]
        let foreign = ["offpeak/notes/sold/state", "house/devices/sold/state"]
        for topic in gone + foreign { try await before.client.publish("old", to: topic, isRetained: true) }
        let cleared = try await before.client.messages(matching: "offpeak/#")
        try await house.running(port: broker.port) { _, _ in
            var left = Set(gone)
            for await message in cleared where message.payload.isEmpty {
                left.remove(message.topic)
                if left.isEmpty { break }
            }
            try await before.wait("offpeak/status") { $0 == "online" }
            let retained = try await Watcher.retained(port: broker.port)
            #expect(Set(retained.keys).isDisjoint(with: gone))
            #expect(Set(retained.keys).isSuperset(of: foreign))
        }
    }

    /// The next state that is no old one.
    private func news(
        in states: AsyncStream<MQTTMessage>
    ) async throws -> (topic: String, state: [String: JSONValue]) {
        for await message in states where !message.isRetained { return (message.topic, try members(of: message.text)) }
        throw CancellationError()
    }

    private func text(of guidance: ElectricityGuidance) throws -> String {
        String(decoding: try EnergyKitJSON.encoder().encode(guidance), as: UTF8.self)
    }
}
