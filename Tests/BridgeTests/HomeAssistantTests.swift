import Control
import EnergyKit
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

@testable import Bridge

/// What Home Assistant finds on the broker.
@Suite(
    "Home Assistant",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct HomeAssistantTests {
    private let folder: TemporaryFolder
    private let house: BridgeHouse
    private let broker: MosquittoBroker

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
        broker = try await ownBroker()
    }

    private static let config = "homeassistant/device/offpeak_car/config"

    private func online<Value>(_ body: (Watcher) async throws -> Value) async throws -> Value {
        var value: Value?
        try await house.running(port: broker.port, homeAssistant: HomeAssistantLink(version: "1.2.3")) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            try await watcher.wait("offpeak/status") { $0 == "online" }
            value = try await body(watcher)
        }
        return try #require(value)
    }

    private func members(_ value: JSONValue?) throws -> [String: JSONValue] {
        guard case .object(let members) = try #require(value) else { throw HubError(.refused, "not an object") }
        return members
    }

    @Test("every device is announced with identity, origin, availability and entities")
    func announcement() async throws {
        try await online { watcher in
            let car = try await watcher.waitJSON(Self.config) { _ in true }
            #expect(
                try members(car["device"]) == [
                    "identifiers": ["offpeak_car"], "name": "car", "manufacturer": "Offpeak", "sw_version": "1.2.3",
                ])
            #expect(car["origin"] == ["name": "Offpeak", "sw_version": "1.2.3"])
            #expect(
                car["availability"] == [
                    ["topic": "offpeak/status"], ["topic": "offpeak/devices/car/availability"],
                ])
            #expect(car["availability_mode"] == "all" && car["state_topic"] == "offpeak/devices/car/state")
            let components = try members(car["components"])
            for (key, component) in components {
                let entity = try members(component)
                #expect(entity["unique_id"] == .text("offpeak_car_\(key)") && entity["platform"] != nil)
            }
            #expect(try members(components["mode"])["command_topic"] == "offpeak/devices/car/set/mode")
            let pump = try await watcher.waitJSON("homeassistant/device/offpeak_pump/config") { _ in true }
            let climate = try members(try members(pump["components"])["climate"])
            #expect(climate["min_temp"] == 5 && climate["max_temp"] == 30)
        }
    }

    @Test("energy and power are what the energy dashboard takes")
    func energyDashboard() throws {
        var configuration = DeviceConfiguration(
            id: "meter", name: "Grid", venueID: UUID(), driver: "meter", connection: .none)
        configuration.role = .grid
        let board = DeviceBoard()
        board.add(
            configuration, kind: .meter,
            capabilities: DeviceCapabilities(
                meter: MeterCapabilities(power: true, importEnergy: true, exportEnergy: true, phases: 3)),
            health: DeviceHealth(.ok, since: house.clock.now))
        let state = try #require(board["meter"])
        let document = DeviceDiscovery(device: state, base: "a/b c", currency: "EUR", version: "1").document
        #expect(
            Set(document.components.keys) == [
                "power", "import", "export", "current_l1", "current_l2", "current_l3", "problem",
            ])
        for (key, name) in [("import", "Import"), ("export", "Feed-in")] {
            let entity = try #require(document.components[key])
            #expect(entity.deviceClass == "energy" && entity.stateClass == "total_increasing")
            #expect(entity.unitOfMeasurement == "kWh" && entity.name == name)
        }
        let power = try #require(document.components["power"])
        #expect(power.deviceClass == "power" && power.stateClass == "measurement" && power.unitOfMeasurement == "W")
        #expect(document.device.identifiers == ["a_b_c_meter"])
    }

    /// `importWattHours` is what solar produces, a battery gives and a load takes: the way of the positive power.
    @Test(
        "both counters are named for what they count",
        arguments: [
            (.grid, "Import", "Feed-in"), (.solar, "Produced", "Drawn"), (.battery, "Discharged", "Charged"),
            (.load, "Energy", "Fed back"),
        ] as [(MeterRole, String, String)])
    func counters(role: MeterRole, imported: String, exported: String) throws {
        var configuration = DeviceConfiguration(
            id: "meter", name: "Meter", venueID: UUID(), driver: "meter", connection: .none)
        configuration.role = role
        let board = DeviceBoard()
        board.add(
            configuration, kind: .meter,
            capabilities: DeviceCapabilities(
                meter: MeterCapabilities(power: true, importEnergy: true, exportEnergy: true)),
            health: DeviceHealth(.ok, since: house.clock.now))
        let state = try #require(board["meter"])
        let components = DeviceDiscovery(device: state, base: "offpeak", currency: "EUR", version: "1").document
            .components
        #expect(components["import"]?.name == imported && components["export"]?.name == exported)
    }

    @Test("a battery that takes orders has a mode and a plan, another one neither", arguments: [true, false])
    func battery(takesOrders: Bool) throws {
        var configuration = DeviceConfiguration(
            id: "store", name: "Battery", venueID: UUID(), driver: "meter", connection: .none)
        configuration.role = .battery
        configuration.battery = BatteryConfiguration(capacityWattHours: 10_000, chargeWatts: 5000, dischargeWatts: 5000)
        var capabilities = DeviceCapabilities(meter: MeterCapabilities(power: true))
        if takesOrders { capabilities.battery = BatteryCapabilities(hold: true, charge: true) }
        let board = DeviceBoard()
        board.add(
            configuration, kind: .meter, capabilities: capabilities, health: DeviceHealth(.ok, since: house.clock.now))
        let state = try #require(board["store"])
        let components = DeviceDiscovery(device: state, base: "offpeak", currency: "EUR", version: "1").document
            .components
        let more: Set<String> = takesOrders ? ["mode", "plan", "next_start"] : []
        #expect(Set(components.keys) == Set(["power", "charge", "problem"]).union(more))
        guard takesOrders else { return }
        #expect(components["mode"]?.options == ["off", "now", "guided"])
        #expect(components["mode"]?.commandTopic == "offpeak/devices/store/set/mode")
    }

    /// The state's values as Home Assistant's own template language gives them.
    private func rendered(_ device: String, in state: String, _ watcher: Watcher) async throws -> [String: JSONValue] {
        let config = try await watcher.wait("homeassistant/device/offpeak_\(device)/config") { _ in true }
        let program = """
            import jinja2, json, sys
            config, state = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
            known = jinja2.Environment()
            show = lambda text: known.from_string(text).render(value_json=state)
            print(json.dumps({key: show(entity["value_template"])
                for key, entity in config["components"].items() if "value_template" in entity}))
            """
        let files = try [("config", config), ("state", state)].map { name, text in
            let file = folder.url.appendingPathComponent("\(device)-\(name).json")
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let outcome = try await ChildProcess.run("python3", ["-c", program] + files)
        try #require(outcome.status == 0, "python3 with jinja2 is needed: \(outcome.standardError)")
        return try BridgeTests.members(of: outcome.standardOutput)
    }

    @Test("what is known is shown, and what is not is unknown and never zero (M-4)")
    func templates() async throws {
        try await online { watcher in
            let empty = try await rendered("car", in: "{\"health\": \"ok\", \"mode\": \"off\"}", watcher)
            #expect(empty["problem"] == "OFF" && empty["mode"] == "off")
            for (key, value) in empty where !["problem", "mode", "plan"].contains(key) {
                #expect(value == "None", "\(key)")
            }
            house.read("car") { reading in
                reading.plug = .plugged
                reading.charging = .charging
                reading[.stateOfChargePercent] = 42
                reading[.limitAmps] = 16
            }
            let goal = ChargingGoal(
                amount: .energy(wattHours: 9500), readyBy: house.clock.now.addingTimeInterval(3600),
                setAt: house.clock.now)
            house.board.post(
                mode: .guided, goal: .charge(goal), limit: PriceLimit(pricePerKWh: 0), for: "car")
            let state = try await watcher.wait("offpeak/devices/car/state") { $0.contains("limitPricePerKWh") }
            let full = try await rendered("car", in: state, watcher)
            #expect(full["plugged"] == "ON" && full["charging"] == "ON" && full["mode"] == "guided")
            #expect(full["charge"] == "42" && full["limit"] == "16" && full["goal_energy"] == "9.5")
            #expect(full["limit_price"] == "0" && full["ready_by"] == "2026-05-28T21:26:40Z")
            #expect(full["planned_energy"] == "None" && full["cost"] == "None")
        }
    }

    /// Home Assistant may see that the state of a device that is gone was cleared before it sees that the device is.
    @Test("an empty state has no value for any entity, and none that Home Assistant would complain of")
    func clearedState() async throws {
        try await online { watcher in
            for device in ["car", "pump"] {
                let config = try await watcher.wait("homeassistant/device/offpeak_\(device)/config") { _ in true }
                let program = """
                    import jinja2, json, sys
                    known = jinja2.Environment(undefined=jinja2.StrictUndefined)
                    entities = json.load(open(sys.argv[1]))["components"].items()
                    print(json.dumps({f"{key} {name}": known.from_string(text).render(value="")
                        for key, entity in entities for name, text in entity.items()
                        if "template" in name and "command" not in name}))
                    """
                let file = try folder.write(config, to: "\(device)-cleared.json")
                let outcome = try await ChildProcess.run("python3", ["-c", program, file.path])
                try #require(outcome.status == 0, "\(outcome.standardError)")
                let shown = try BridgeTests.members(of: outcome.standardOutput)
                #expect(shown.count > 3)
                for (name, value) in shown { #expect(["None", "none"].contains(value), "\(device) \(name)") }
            }
        }
    }

    @Test("an amount alone keeps the goal's time")
    func amountAlone() async throws {
        try await online { watcher in
            let refused = try await watcher.result(#"{"energyWattHours": 5000}"#, to: "goal")
            #expect(refused["accepted"] == false)
            _ = try await watcher.result(
                #"{"energyWattHours": 9500, "readyBy": "2026-05-29T07:00:00Z", "repeatsDaily": true}"#, to: "goal")
            let answer = try await watcher.result(#"{"energyWattHours": 5000}"#, to: "goal")
            #expect(answer == ["command": "goal", "accepted": true])
            guard case .charge(let goal) = house.board["car"]?.goal else {
                Issue.record("there is no goal")
                return
            }
            #expect(goal.amount == .energy(wattHours: 5000) && goal.repeatsDaily)
            #expect(goal.readyBy == (try Date("2026-05-29T07:00:00Z", strategy: .iso8601)))
        }
    }

    @Test("a home shows the rating of the moment and the next good hours, from slot to slot")
    func home() async throws {
        let start = house.clock.now
        house.guidance.issue(
            ElectricityGuidance(
                guidanceToken: UUID(), energyVenueID: house.venue.id, suggestedAction: .shift, issuedAt: start,
                interval: DateInterval(start: start, duration: 4 * 3600), options: [],
                values: [0.8, 0.2, 0.3, 0.9].enumerated().map { index, rating in
                    ElectricityGuidance.Value(
                        interval: DateInterval(
                            start: start.addingTimeInterval(Double(index) * 3600), duration: 3600),
                        rating: rating, pricePerKWh: index == 1 ? nil : rating, gramsCO2PerKWh: nil)
                }))
        try await online { watcher in
            let topic = "offpeak/venues/\(house.venue.id)/state"
            let now = try await watcher.waitJSON(topic) { $0["rating"] == 0.8 }
            #expect(
                now == [
                    "rating": 0.8, "pricePerKWh": 0.8, "goodFrom": "2026-05-28T21:26:40Z",
                    "goodUntil": "2026-05-28T23:26:40Z",
                ])
            for minute in 1...60 {
                await house.clock.waitForSleepers(1)
                await house.clock.advance(to: start.addingTimeInterval(Double(minute) * 60))
            }
            let next = try await watcher.waitJSON(topic) { $0["rating"] == 0.2 }
            #expect(next["pricePerKWh"] == nil && next["goodFrom"] == "2026-05-28T21:26:40Z")
            let id = house.venue.id.uuidString.lowercased()
            let config = try await watcher.waitJSON("homeassistant/device/offpeak_venue_\(id)/config") { _ in true }
            #expect(config["state_topic"] == .text(topic))
            let limit = try members(try members(config["components"])["limit"])
            #expect(limit["platform"] == "number" && limit["payload_reset"] == "None")
            #expect(limit["command_topic"] == .text("offpeak/venues/\(house.venue.id)/set/limit"))
        }
    }

    @Test("everything is told again when Home Assistant comes up, but not for a birth that is retained")
    func birth() async throws {
        try await online { watcher in
            try await watcher.wait(Self.config) { _ in true }
            let told = try await watcher.client.messages(matching: Self.config, bufferingNewest: 99)
            var messages = told.makeAsyncIterator()
            let first = await messages.next()
            #expect(first?.isRetained == true)
            try await watcher.client.publish("online", to: "homeassistant/status")
            let again = await messages.next()
            #expect(again?.text == first?.text && again?.isRetained == false)
        }
    }

    @Test("devices that are gone are removed there, and what others announce stays")
    func gone() async throws {
        let before = try await Watcher(port: broker.port)
        let sold = "homeassistant/device/offpeak_sold/config"
        let foreign = [
            "homeassistant/device/offpeak_other/config": #"{"origin":{"name":"Else"},"state_topic":"offpeak/x"}"#,
            "homeassistant/device/second_car/config": #"{"origin":{"name":"Offpeak"},"state_topic":"second/x"}"#,
            "homeassistant/device/odd/config": "no JSON",
        ]
        try await before.client.publish(
            #"{"origin":{"name":"Offpeak"},"state_topic":"offpeak/devices/sold/state"}"#, to: sold, isRetained: true)
        for (topic, text) in foreign { try await before.client.publish(text, to: topic, isRetained: true) }
        let removals = try await before.client.messages(matching: sold)
        try await online { watcher in
            for await message in removals where message.payload.isEmpty { break }
            try await watcher.wait(Self.config) { _ in true }
            let retained = try await Watcher.retained(port: broker.port)
            #expect(retained[sold] == nil && retained[Self.config] != nil)
            for (topic, text) in foreign { #expect(retained[topic] == text) }
        }
    }
}
