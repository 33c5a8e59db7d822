import Foundation
import HubKit
import MQTT
import ProfileKit
import TestSupport
import Testing

/// A device at a real broker that is late, gone, or lies.
@Suite(.timeLimit(.minutes(3))) struct MessageDeviceTests {
    /// A broker with a device that only speaks when the test says so.
    private struct Bench {
        let broker: MosquittoBroker
        let device: MQTTClient
        let clock = ManualClock()
        let networks: DeviceNetworks
        let profile: DeviceProfile

        init(_ mqtt: String, points: String, commands: String = "", patience: Duration = .seconds(60)) async throws {
            let text =
                "vendor: Acme\ntransport: mqtt\nmqtt: \(mqtt)\npoints: \(points)\n"
                + (commands.isEmpty
                    ? "kind: meter\n" : "kind: ev\ncharger: {maximum_amps: 16}\ncommands: \(commands)\n")
            let (profile, errors) = ProfileLibrary.read(text, name: "box", file: "box.yaml")
            self.profile = try #require(profile, "\(errors)")
            broker = try await MosquittoBroker()
            device = try await Self.client(broker)
            networks = DeviceNetworks(patience: patience)
        }

        static func client(_ broker: MosquittoBroker) async throws -> MQTTClient {
            let client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
            for await state in await client.states() where state == .connected { break }
            return client
        }

        func session() async throws -> ProfileSession {
            let topic = DeviceTopic("box", host: broker.host, port: UInt16(broker.port))
            return try #require(try await networks.session(profile, .mqtt(topic), clock: clock, zone: .gmt))
        }

        func say(_ payload: String, at topic: String = "box/power", isRetained: Bool = false) async throws {
            _ = try await device.publish(payload, to: topic, isRetained: isRetained)
        }

        /// Waits until the hub listens, so that nothing is said in vain.
        func heard(_ topic: String = "box/power") async throws {
            try await broker.waitForLog(containing: "\(topic) (QoS 1)")
        }

        /// Says something and waits until the session has it.
        func tell(_ session: ProfileSession, _ payload: String, at topic: String = "box/power") async throws {
            try await say(payload, at: topic)
            let shown = payload.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let isThere = await eventually {
                let rows = await session.rows()
                return rows.contains { $0.place == topic && $0.raw == shown }
            }
            #expect(isThere, "\(payload) does not arrive")
        }
    }

    private static let power = "{power: {from: power, quantity: powerWatts}}"

    @Test func aMessageIsAReadingUntilItIsStale() async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\", stale_seconds: 30}}}", points: Self.power)
        let session = try await bench.session()
        async let first = session.read()
        try await bench.heard()
        try await bench.say("1234.5")
        #expect(try await first.points == ["power": .number(1234.5)])
        let said = bench.clock.now
        await bench.clock.advance(by: 30, keeping: 0)
        let reading = await session.result(try await session.read(), at: bench.clock.now).reading
        // The value keeps the time it was said at, and so does the reading.
        #expect(reading.samples[.powerWatts] == Sample(1234.5, at: said))
        #expect(reading.at == said)
        await bench.clock.advance(by: 1, keeping: 0)
        let error = await #expect(throws: HubError.self) { try await session.read() }
        #expect(error?.message.contains("nothing was said at box/power since 20") == true)
        try await bench.say("0")
        #expect(await eventually { try await session.read().points == ["power": .number(0)] })
    }

    @Test func whatTheBrokerKeptIsNoReadingWithoutATime() async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\"}}}", points: Self.power, patience: .seconds(3))
        try await bench.say("5000", isRetained: true)
        let session = try await bench.session()
        let error = await #expect(throws: HubError.self) { try await session.read() }
        #expect(error?.message.contains("nothing was said at box/power yet") == true)
        try await bench.say("120")
        #expect(await eventually { try await session.read().points == ["power": .number(120)] })
    }

    @Test(arguments: [(0, true), (60, true), (121, false), (604_800, false)] as [(Double, Bool)])
    func whatTheBrokerKeptIsAsOldAsItSays(age: Double, isReading: Bool) async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\", time: t}}}", points: "{power: {from: power, at: w}}",
            patience: isReading ? .seconds(60) : .seconds(3))
        let said = bench.clock.now.addingTimeInterval(-age)
        try await bench.say("{\"t\":\"\(said.formatted(.iso8601))\",\"w\":5}", isRetained: true)
        let session = try await bench.session()
        if isReading {
            #expect(try await session.read().points == ["power": .number(5)])
        } else {
            await #expect(throws: HubError.self) { try await session.read() }
        }
    }

    @Test func whatIsSaidOnlyWhenItChangesHoldsWhileTheDeviceIsThere() async throws {
        let bench = try await Bench(
            "{alive: {topic: \"{topic}/LWT\", online: [Online]}, messages: {power: {topic: \"{topic}/power\", holds: true}}}",
            points: Self.power)
        try await bench.say("Online", at: "box/LWT", isRetained: true)
        try await bench.say("7", isRetained: true)
        let session = try await bench.session()
        #expect(try await session.read().points == ["power": .number(7)])
        await bench.clock.advance(by: 86_400, keeping: 0)
        #expect(try await session.read().points == ["power": .number(7)])
        try await bench.say("Offline", at: "box/LWT", isRetained: true)
        #expect(await eventually { (try? await session.read()) == nil })
        let error = await #expect(throws: HubError.self) { try await session.read() }
        #expect(error?.message == "the device says at box/LWT that it is not there")
        try await bench.say("Online", at: "box/LWT", isRetained: true)
        #expect(await eventually { try await session.read().points == ["power": .number(7)] })
    }

    @Test(
        arguments: [
            ("{\"w\":", "is no JSON"), ("{\"w\":NaN}", "is no JSON"), ("noise \u{1}\u{FFFD}", "is no JSON"),
            ("{\"w\":\"nan\"}", "reads 'nan', which is no number"), ("{\"w\":{}}", "is an object, not a single value"),
            ("{\"w\":true}", "reads true, which is no number"), ("{\"v\":1}", "the device leaves out power"),
            ("[1,2]", "the device leaves out power"), ("{\"w\":1e30}", "more than any home's connection carries"),
        ])
    func aLieIsUnknownAndTheRestLivesOn(lie: String, complaint: String) async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\"}, total: {topic: \"{topic}/total\"}}}",
            points:
                "{power: {from: power, at: w, quantity: powerWatts}, total: {from: total, quantity: importWattHours}}")
        let session = try await bench.session()
        async let first = session.read()
        try await bench.heard("box/total")
        try await bench.say("{\"w\":40}")
        try await bench.say("1000", at: "box/total")
        #expect(await session.result(try await first, at: bench.clock.now).reading.powerWatts == 40)
        try await bench.tell(session, lie)
        let result = await session.result(try await session.read(), at: bench.clock.now)
        #expect(result.reading.powerWatts == nil)
        #expect(result.reading[.importWattHours] == 1000)
        #expect(result.complaint?.contains(complaint) == true, "\(result.complaint ?? "no complaint")")
        try await bench.tell(session, "{\"w\":41}")
        #expect(await session.result(try await session.read(), at: bench.clock.now).reading.powerWatts == 41)
    }

    @Test func aMessageOfTenMegabytesIsNoValueAndCostsNothing() async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\"}, total: {topic: \"{topic}/total\"}}}",
            points: "{power: {from: power, at: w, quantity: powerWatts}, total: {from: total}}")
        let session = try await bench.session()
        async let first = session.read()
        try await bench.heard("box/total")
        try await bench.say("{\"w\":40}")
        try await bench.say("1", at: "box/total")
        _ = try await first
        try await bench.say("{\"w\":" + String(repeating: "1", count: 10_000_000) + "}")
        #expect(
            await eventually {
                let values = try await session.read()
                return values.points["power"] == nil && values.points["total"] == .number(1)
                    && values.complaint?.contains("has 10000006 bytes") == true
            })
    }

    @Test func aBrokerThatGoesIsSaidAndComesBackByItself() async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\", holds: true}}}", points: Self.power,
            commands: "{current: {topic: \"{topic}/set\", payload: \"{value}\"}}")
        let session = try await bench.session()
        async let first = session.read()
        try await bench.heard()
        try await bench.say("7")
        _ = try await first
        await bench.broker.stop()
        #expect(await eventually { (try? await session.read()) == nil })
        let error = await #expect(throws: HubError.self) { try await session.read() }
        #expect(error?.message.contains("there is no connection to the broker mqtt://127.0.0.1") == true)
        // A command for later would come when nobody wants it any more.
        await #expect(throws: HubError.self) { try await session.perform(.current, argument: 16) }
        try await bench.broker.start()
        let late = try await Bench.client(bench.broker)
        let heard = try await late.messages(matching: "box/set")
        #expect(
            await eventually {
                try await late.publish("8", to: "box/power")
                return try await session.read().points == ["power": .number(8)]
            })
        try await session.perform(.current, argument: 16)
        for await message in heard {
            #expect(message.text == "16" && !message.isRetained)
            break
        }
    }

    @Test func whatIsNotSaidByItselfIsAskedFor() async throws {
        let bench = try await Bench(
            "{messages: {power: {topic: \"{topic}/power\", ask: {topic: \"{topic}/get\", payload: now, every_seconds: 60}}}}",
            points: Self.power)
        let questions = try await bench.device.messages(matching: "box/get")
        let device = bench.device
        let answering = Task {
            var count = 0
            for await question in questions where question.text == "now" {
                count += 1
                _ = try? await device.publish("\(count)", to: "box/power")
            }
        }
        defer { answering.cancel() }
        let session = try await bench.session()
        #expect(try await session.read().points == ["power": .number(1)])
        await bench.clock.advance(by: 59, keeping: 0)
        #expect(try await session.read().points == ["power": .number(1)])
        await bench.clock.advance(by: 1, keeping: 0)
        #expect(await eventually { try await session.read().points == ["power": .number(2)] })
    }
}

extension ProfileSession {
    /// What was really sent, as far as it is there.
    fileprivate func rows() async -> [InspectedPoint] { (try? await inspect()) ?? [] }
}
