import EVDriver
import HVACDriver
import HubKit
import MeterDriver
import ProfileKit
import TestSupport
import Testing

/// Every profile of messages and answers against its virtual twin on a real broker or a real HTTP server.
@Suite(.timeLimit(.minutes(5))) struct FieldTwinTests {
    @Test func everyProfileAndEveryOptionHasATwin() throws {
        let files = try FieldTwinFile.all()
        for profile in ProfileLibrary.shipped.all where profile.link != .modbus {
            let own = files.filter { $0.profile == profile.name }
            #expect(own.contains { $0.options.isEmpty }, "no twin of \(profile.name)")
            for option in profile.options.map(\.name) {
                #expect(own.contains { $0.options.contains(option) }, "no twin of \(profile.name) with \(option)")
            }
        }
        for file in files {
            let profile = try #require(ProfileLibrary.shipped[file.profile], "\(file.name) is of no profile")
            #expect(profile.kind == file.kind)
            #expect(file.name == ([file.profile] + file.options).joined(separator: "+"))
        }
    }

    @Test(arguments: try FieldTwinFile.all()) func whatIsSaidGivesKnownValues(file: FieldTwinFile) async throws {
        let test = try await RunningFieldTwin(file)
        await test.hearAll()
        let reading = try #require(test.running.reading, "\(String(describing: test.running.health?.reason))")
        #expect(RunningTwin.differences(reading, file.expected) == [])
        // Nothing more than what is known.
        #expect(Set(reading.samples.keys) == Set(file.expected.reading.keys))
        #expect(
            RunningTwin.states(reading).keys.sorted() == file.expected.states.filter { $0.value != nil }.keys.sorted())
        #expect(test.running.health?.state == .ok, "\(String(describing: test.running.health?.reason))")
        for step in file.steps {
            try await test.show(step)
            let reading = try #require(test.running.reading)
            #expect(RunningTwin.differences(reading, step.expected) == [], "\(step.name)")
            let health = try #require(test.running.health)
            #expect(health.state == step.health, "\(step.name): \(health.reason ?? "")")
        }
        #expect(await test.twin.told == [], "nobody wanted anything")
    }

    @Test(arguments: try FieldTwinFile.all().filter { !$0.orders.isEmpty })
    func eachCommandIsSentExactly(file: FieldTwinFile) async throws {
        let test = try await RunningFieldTwin(file)
        var before = await test.twin.told
        #expect(before == [])
        for order in file.orders {
            // A load state lasts a while before the next is taken, and a step of power before a higher one.
            if [.reduce, .surplus].contains(order.command.slot) {
                await test.running.pass(test.profile.hvac?.minimumDwellSeconds ?? 0)
            }
            before = await test.twin.told
            #expect(try await test.running.perform(order.command) == .applied, "\(order.command)")
            let told = await test.twin.told
            #expect(Array(told.dropFirst(before.count)) == order.sent, "\(order.command)")
            #expect(try await test.running.perform(order.command) == .unchanged, "\(order.command) again")
            #expect(await test.twin.told == told)
        }
    }

    @Test(arguments: try FieldTwinFile.all().filter(\.options.isEmpty))
    func theDriverKeepsTheHubsPromises(file: FieldTwinFile) async throws {
        let twin = try await RunningFieldTwin.twin(file)
        let profile = try #require(ProfileLibrary.shipped[file.profile])
        let configuration = try RunningFieldTwin.configuration(file, profile, twin)
        let networks = DeviceNetworks(patience: .seconds(5))
        let conformance = DriverConformance(RunningFieldTwin.driver(file.kind, networks), configuration)
        // The conformance suite makes several devices, each of which has to hear something.
        let saying = Task {
            while !Task.isCancelled {
                try? await twin.say(file.said)
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        let breaches = await conformance.breaches()
        saying.cancel()
        #expect(breaches == [])
    }
}

/// A twin of messages or answers, and a device of its profile that speaks to it.
struct RunningFieldTwin {
    let file: FieldTwinFile
    let twin: any FieldTwin
    let profile: DeviceProfile
    let running: RunningDevice
    private let device: any Device

    init(_ file: FieldTwinFile) async throws {
        self.file = file
        profile = try #require(try ProfileLibrary.shipped.profile(file.profile, options: file.options))
        twin = try await Self.twin(file)
        let configuration = try Self.configuration(file, profile, twin)
        let clock = ManualClock()
        let driver = Self.driver(file.kind, DeviceNetworks(patience: .seconds(60)))
        device = try driver.makeDevice(configuration, in: .forTests(clock: clock))
        running = RunningDevice(device, configuration, kind: file.kind, clock: clock)
        try await twin.begin()
        await running.settle()
    }

    static func twin(_ file: FieldTwinFile) async throws -> any FieldTwin {
        if file.isMQTT { try await BrokerTwin(file) } else { try await ServerTwin(file) }
    }

    static func driver(_ kind: DeviceKind, _ networks: DeviceNetworks) -> any DeviceDriver {
        switch kind {
        case .ev: EVDriver(buses: ModbusBuses(), networks: networks)
        case .hvac: HVACDriver(buses: ModbusBuses(), networks: networks)
        case .meter: MeterDriver(buses: ModbusBuses(), networks: networks)
        }
    }

    static func configuration(
        _ file: FieldTwinFile, _ profile: DeviceProfile, _ twin: any FieldTwin
    ) throws -> DeviceConfiguration {
        var configuration = try DeviceConfiguration.forTests(file.kind.rawValue, profile: file.profile, port: 1)
        configuration.connection = twin.connection
        configuration.profileOptions = file.options
        configuration.feedsWatchdog = false
        configuration.role = profile.roles.first
        if profile.charger?.isMaximumKnown == false { configuration.limits.maximumAmps = 32 }
        if profile.hvac?.needsFullPower == true { configuration.limits.maximumWatts = 6000 }
        return configuration
    }

    /// Waits until all that the file has was heard, also what a first reading does not wait for, and for a reading of it.
    func hearAll() async {
        guard file.isMQTT else { return }
        let device = device
        let last = Dictionary(file.said.map { ($0.topic, $0.payload) }) { _, last in last }
        let isHeard = await eventually {
            let rows = try await device.inspect()
            return rows.filter { $0.name.hasPrefix("(") }.allSatisfy { row in
                guard let payload = last[row.place] else { return true }
                let shown = payload.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return row.raw == (shown.isEmpty ? "empty" : shown) || row.raw.hasSuffix("…")
            }
        }
        #expect(isHeard, "the messages do not arrive")
        await running.pass(profile.pollSeconds)
    }

    /// Says what the file has, with some changes, and waits for a reading of it.
    func show(_ step: FieldTwinFile.Step) async throws {
        let changed = Set(step.changes.map(\.topic))
        let all = file.said.filter { !changed.contains($0.topic) } + step.changes
        try await twin.say(all)
        if file.isMQTT {
            let device = device
            let isHeard = await eventually {
                let rows = try await device.inspect()
                return step.changes.allSatisfy { message in
                    rows.contains { $0.place == message.topic && $0.raw == message.payload }
                }
            }
            #expect(isHeard, "\(step.name): the messages do not arrive")
        }
        await running.pass(profile.pollSeconds)
    }
}
