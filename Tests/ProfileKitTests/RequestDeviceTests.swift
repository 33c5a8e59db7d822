import Foundation
import HubKit
import ProfileKit
import TestSupport
import Testing
import ThreadKit
import WebServer

/// A device behind a real HTTP server that is slow, refuses, or lies.
@Suite(.timeLimit(.minutes(3))) struct RequestDeviceTests {
    /// What the device answers at a path, and how it is asked.
    private final class Box: Sendable {
        struct State: Sendable {
            var answers: [String: HTTPResponse] = [:]
            var asked: [String] = []
            var fields: [[String: String]] = []
            var delay: Duration = .zero
            /// Whether it keeps everyone waiting.
            var isHeld = false
            var underWay = 0
            var mostUnderWay = 0
        }

        let state: Locked<State>
        let port: Int
        private let server: WebServer

        init(_ answers: [String: HTTPResponse]) async throws {
            let state = Locked(State(answers: answers))
            self.state = state
            server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
                let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
                let target = request.path + (query.isEmpty ? "" : "?" + query)
                let delay = state.withLock { state in
                    state.asked.append("\(request.method) \(target) \(String(decoding: request.body, as: UTF8.self))")
                    state.fields.append(
                        Dictionary(request.headers.fields.map { ($0.name.lowercased(), $0.value) }) { first, _ in first
                        })
                    state.underWay += 1
                    state.mostUnderWay = max(state.mostUnderWay, state.underWay)
                    return state.delay
                }
                if delay > .zero { try? await Task.sleep(for: delay) }
                while state.withLock({ $0.isHeld }) { try? await Task.sleep(for: .milliseconds(10)) }
                return state.withLock { state in
                    state.underWay -= 1
                    return state.answers[target] ?? .notFound
                }
            }
            try await server.start()
            port = try #require(await server.boundPort)
        }

        func answer(_ path: String, _ response: HTTPResponse) {
            state.withLock { $0.answers[path] = response }
        }

        var asked: [String] { state.withLock { $0.asked } }
    }

    private static func json(_ text: String) -> HTTPResponse { .json(Array(text.utf8)) }

    private static func profile(_ http: String, points: String, rest: String = "") throws -> DeviceProfile {
        // Only chargers take a current.
        let kind = rest.isEmpty ? "meter" : "ev\ncharger: {maximum_amps: 16}"
        let text = "kind: \(kind)\nvendor: Acme\ntransport: http\nhttp: \(http)\npoints: \(points)\n\(rest)"
        let (profile, errors) = ProfileLibrary.read(text, name: "box", file: "box.yaml")
        return try #require(profile, "\(errors)")
    }

    private static func session(
        _ profile: DeviceProfile, port: Int, networks: DeviceNetworks = DeviceNetworks(), clock: ManualClock = .init(),
        _ change: (inout DeviceAddress) -> Void = { _ in }
    ) async throws -> ProfileSession {
        var address = DeviceAddress("http://127.0.0.1:\(port)/")
        change(&address)
        return try #require(try await networks.session(profile, .http(address), clock: clock, zone: .gmt))
    }

    private static let two = "{requests: {power: {path: /power}, total: {path: /total}}}"
    private static let points =
        "{power: {from: power, at: w, quantity: powerWatts}, total: {from: total, at: wh, quantity: importWattHours}}"

    @Test(
        arguments: [
            (json("{\"w\":"), "is no JSON"), (json("{\"w\":NaN}"), "is no JSON"),
            (.text("<html>log in</html>"), "is no JSON but text/plain"), (json(""), "is empty"),
            (json("{\"w\":\"nan\"}"), "reads 'nan', which is no number"), (json("{}"), "the device leaves out power"),
            (json("{\"w\":1e30}"), "more than any home's connection carries"),
            (json("{\"w\":" + String(repeating: "1", count: 10_000_000) + "}"), "the answer is longer than"),
            (.status(500), "was answered with 500"),
        ] as [(HTTPResponse, String)])
    func aLieIsUnknownAndTheRestLivesOn(lie: HTTPResponse, complaint: String) async throws {
        let box = try await Box(["/power": Self.json("{\"w\":40}"), "/total": Self.json("{\"wh\":1000}")])
        let session = try await Self.session(try Self.profile(Self.two, points: Self.points), port: box.port)
        let now = Date(timeIntervalSince1970: 1_780_000_000)
        // A machine with much to do may let the first question wait beyond its time.
        let isRead = await eventually {
            await session.result(try await session.read(), at: now).reading.powerWatts == 40
        }
        #expect(isRead)
        box.answer("/power", lie)
        var result = await session.result(try await session.read(), at: now)
        for _ in 0..<20 where result.complaint?.contains(complaint) != true {
            result = await session.result(try await session.read(), at: now)
        }
        #expect(result.reading.powerWatts == nil)
        #expect(result.reading[.importWattHours] == 1000)
        #expect(result.complaint?.contains(complaint) == true, "\(result.complaint ?? "no complaint")")
        box.answer("/power", Self.json("{\"w\":41}"))
        #expect(await session.result(try await session.read(), at: now).reading.powerWatts == 41)
    }

    @Test func whereNothingIsAnsweredTheReadingFailsWithItsReason() async throws {
        let box = try await Box([:])
        let profile = try Self.profile(
            "{login: [none, basic], errors: {401: \"ask the box\"}, requests: {power: {path: /power}}}",
            points: "{power: {from: power, at: w}}")
        let session = try await Self.session(profile, port: box.port)
        let missing = await #expect(throws: HubError.self) { try await session.read() }
        #expect(missing?.message.hasPrefix("GET /power was answered with 404; ") == true)
        box.answer("/power", .status(401))
        let refused = await #expect(throws: HubError.self) { try await session.read() }
        #expect(refused?.message == "GET /power was answered with 401; ask the box")
        #expect(refused?.retryClass == .needsPerson)
        for status in [301, 302, 307] {
            box.answer("/power", .redirect(to: "https://192.0.2.7/power?token=secret", status: status))
            let sentOn = await #expect(throws: HubError.self) { try await session.read() }
            #expect(
                sentOn?.message == "GET /power was answered with \(status); it sends on to https://192.0.2.7/power, "
                    + "where the hub does not follow; give the address at which it answers itself as 'url' of its connection"
            )
        }
        let dead = try await Self.session(profile, port: try LoopbackPort.free())
        let error = await #expect(throws: HubError.self) { try await dead.read() }
        #expect(error?.code == .connection && error?.retryClass == .transient)
    }

    @Test func aSlowDeviceIsReadAndDelaysNobodyElse() async throws {
        let slow = try await Box(["/power": Self.json("{\"w\":1}")])
        let quick = try await Box(["/power": Self.json("{\"w\":2}")])
        slow.state.withLock { $0.isHeld = true }
        let profile = try Self.profile(
            "{timeout_ms: 10000, requests: {power: {path: /power}}}", points: "{power: {from: power, at: w}}")
        let networks = DeviceNetworks()
        let first = try await Self.session(profile, port: slow.port, networks: networks)
        let second = try await Self.session(profile, port: quick.port, networks: networks)
        async let waiting = first.read()
        #expect(await eventually { slow.asked.count == 1 })
        // All of these come while the slow one is still under way.
        for _ in 0..<5 { #expect(try await second.read().points == ["power": .number(2)]) }
        #expect(slow.state.withLock { $0.underWay } == 1)
        slow.state.withLock { $0.isHeld = false }
        #expect(try await waiting.points == ["power": .number(1)])
    }

    @Test func requestsToOneAddressNeverCross() async throws {
        let box = try await Box(["/power": Self.json("{\"w\":1}"), "/set": Self.json("{}")])
        box.state.withLock { $0.delay = .milliseconds(20) }
        let profile = try Self.profile(
            "{requests: {power: {path: /power}}}", points: "{power: {from: power, at: w}}",
            rest: "commands: {current: {path: /set}}\n")
        let networks = DeviceNetworks()
        let first = try await Self.session(profile, port: box.port, networks: networks)
        let second = try await Self.session(profile, port: box.port, networks: networks)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { _ = try await first.read() }
                group.addTask { _ = try await second.read() }
                group.addTask { try await second.perform(.current, argument: 16) }
            }
            try await group.waitForAll()
        }
        #expect(box.asked.count == 12)
        #expect(box.state.withLock { $0.mostUnderWay } == 1)
    }

    @Test(
        arguments: [
            ("none", nil), ("basic", "Basic aHViOnMzY3JldA=="), ("bearer", "Bearer s3cret"), ("token", "s3cret"),
        ] as [(String, String?)])
    func logsInAsTheProfileSays(login: String, field: String?) async throws {
        let box = try await Box(["/power": Self.json("{\"w\":1}")])
        let profile = try Self.profile(
            "{login: [\(login)], headers: {X-Api-Version: 2}, requests: {power: {path: /power}}}",
            points: "{power: {from: power, at: w}}")
        let session = try await Self.session(profile, port: box.port) { address in
            if login == "basic" { (address.user, address.password) = ("hub", "s3cret") }
            if login == "bearer" || login == "token" { address.token = "s3cret" }
            #expect(!"\(address)".contains("s3cret"))
        }
        _ = try await session.read()
        let fields = try #require(box.state.withLock { $0.fields.first })
        #expect(fields["authorization"] == field)
        #expect(fields["x-api-version"] == "2")
    }

    @Test func aDeviceThatSaysNoWithAYesIsNotBelieved() async throws {
        let box = try await Box([
            "/power": Self.json("{\"Code\":0,\"w\":1}"), "/set?amp=16": Self.json("{\"amp\":\"not allowed\"}"),
        ])
        let profile = try Self.profile(
            "{requests: {power: {path: /power, answer: {at: Code, is: 0}}}}", points: "{power: {from: power, at: w}}",
            rest: "commands: {current: {path: \"/set?amp={value}\", answer: {at: amp, is: true}}}\n")
        let session = try await Self.session(profile, port: box.port)
        #expect(try await session.read().points == ["power": .number(1)])
        box.answer("/power", Self.json("{\"Code\":12,\"w\":0}"))
        let read = await #expect(throws: HubError.self) { try await session.read() }
        #expect(read?.message == "the answer to /power says '12'")
        let told = await #expect(throws: HubError.self) { try await session.perform(.current, argument: 16) }
        #expect(told?.message == "the answer to /set says 'not allowed'")
        box.answer("/set?amp=16", Self.json("{\"amp\":true}"))
        try await session.perform(.current, argument: 16)
    }

    @Test func whatChangesSlowlyIsAskedForSeldomAndValuesOfLastWeekAreNone() async throws {
        let box = try await Box([
            "/power": Self.json("{\"w\":40}"), "/total": Self.json("{\"wh\":1000,\"t\":1780000000}"),
        ])
        let profile = try Self.profile(
            "{requests: {power: {path: /power}, total: {path: /total, every_seconds: 60, time: t, stale_seconds: 300}}}",
            points: Self.points)
        let clock = ManualClock()
        let session = try await Self.session(profile, port: box.port, clock: clock)
        for _ in 0..<3 {
            #expect(try await session.read().points.count == 2)
            await clock.advance(by: 20, keeping: 0)
        }
        #expect(box.asked == ["GET /power ", "GET /total ", "GET /power ", "GET /power "])
        _ = try await session.read()
        #expect(box.asked.suffix(2) == ["GET /power ", "GET /total "])
        await clock.advance(by: 7 * 86_400, keeping: 0)
        let values = try await session.read()
        #expect(values.points == ["power": .number(40)])
        #expect(values.complaint == "/total gives values of 2026-05-28T20:26:40Z")
    }
}
