import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage
import TestSupport
import Testing
import ThreadKit
import WebClient
import WebServer

@testable import Sinks

/// An HTTP server on the other side of a sink, which answers as the test says and keeps what it got.
final class Receiver: Sendable {
    struct Got: Sendable {
        var path: String
        var query: [HTTPRequest.QueryItem]
        var headers: HTTPHeaders
        var body: [UInt8]
    }

    private let got = Locked<[Got]>([])
    private let server: WebServer
    let port: Int

    /// Starts it; the number of the request, from 0, is told to `answer` with the request.
    init(_ answer: @escaping @Sendable (Int, HTTPRequest) async -> HTTPResponse) async throws {
        let got = got
        let server = WebServer(configuration: WebServerConfiguration()) { request in
            let number = got.withLock { got in
                got.append(
                    Got(
                        path: request.path, query: request.query, headers: request.headers, body: request.body))
                return got.count - 1
            }
            return await answer(number, request)
        }
        try await server.start()
        self.server = server
        port = await server.boundPort ?? 0
    }

    var requests: [Got] { got.current }

    func stop() async { await server.stop(within: .zero) }
}

@Suite("Load events to a webhook", .timeLimit(.minutes(1)))
struct WebhookEventSinkTests {
    /// A clock that shows 2026-03-02 12:00:00Z.
    private struct Noon: HubClock {
        let now = Date(timeIntervalSince1970: 1_772_452_800)
        let speed = 1.0
        func sleep(until deadline: Date) async throws {}
    }

    private func sink(
        _ port: Int, _ house: EventStore, secret: String? = "s3cret", token: String? = nil
    ) throws
        -> WebhookEventSink
    {
        WebhookEventSink(
            .init(url: "http://127.0.0.1:\(port)/hook?to=me", secret: secret, token: token),
            client: try WebClient(),
            clock: house.clock, wallClock: Noon())
    }

    @Test(
        "a batch is one POST with the events as they are on disk, signed, with a key that names the batch"
    )
    func delivers() async throws {
        let receiver = try await Receiver { _, _ in .status(204) }
        let house = try await EventStore()
        let events = house.stored(house.session(of: 40) + house.others)
        let sink = try sink(receiver.port, house, token: "abc")
        try await sink.deliver(events)
        try await sink.deliver(events)
        try await sink.deliver(Array(events.dropLast()))

        let requests = receiver.requests
        let first = try #require(requests.first)
        let expected = try events.map { event in
            let kind =
                switch event.event {
                case .electricVehicle: "electricVehicle"
                case .hvac: "hvac"
                case .electricVehicleStatus: "electricVehicleStatus"
                }
            return
                #"{"sequence":\#(event.sequence),"venueID":"\#(house.venue.id.uuidString)","kind":"\#(kind)","event":"#
                + String(decoding: try EnergyKitJSON.encoder().encode(event.event), as: UTF8.self) + "}"
        }
        #expect(
            String(decoding: first.body, as: UTF8.self)
                == #"{"events":[\#(expected.joined(separator: ","))]}"#)
        #expect(first.headers.values("Content-Type") == ["application/json"])
        #expect(first.headers.values("Authorization") == ["Bearer abc"])
        let keys = requests.map { $0.headers.values("Idempotency-Key") }
        #expect(keys[0] == keys[1] && keys[0] != keys[2] && keys[0].first?.count == 32)
        let signature = try #require(first.headers.values("Offpeak-Signature").first)
        #expect(
            signature == WebhookEventSink.signature(of: first.body, at: 1_772_452_800, secret: "s3cret"))
        await receiver.stop()
    }

    @Test("the signature is what any other program works out")
    func signature() async throws {
        let python = """
            import hashlib, hmac
            print(hmac.new('s3cret ü'.encode(), b'1772452800.{"events":[]}', hashlib.sha256).hexdigest(), end='')
            """
        let outcome = try await ChildProcess.run("python3", ["-c", python])
        try #require(outcome.status == 0, "python3 is not there: \(outcome.standardError)")
        let ours = WebhookEventSink.signature(
            of: Array(#"{"events":[]}"#.utf8), at: 1_772_452_800, secret: "s3cret ü")
        #expect(ours == "t=1772452800,v1=\(outcome.standardOutput)")
    }

    @Test("without a secret nothing is signed; neither secret nor token is shown in texts")
    func secrets() async throws {
        let receiver = try await Receiver { _, _ in .status(401) }
        let house = try await EventStore()
        let plain = try sink(receiver.port, house, secret: nil)
        let error = await failure(of: plain, house.stored(house.session()))
        #expect(receiver.requests.first?.headers.values("Offpeak-Signature") == [])
        let told = try sink(receiver.port, house, secret: "hunter2", token: "letmein")
        let text = "\(error as Any) \(told) \(String(reflecting: told))"
        #expect(!text.contains("hunter2") && !text.contains("letmein"))
        await receiver.stop()
    }

    @Test("one event that is refused is found in its batch, and all others arrive")
    func poison() async throws {
        let house = try await EventStore()
        let events = house.session(of: 60)
        let bad = events[23].id.uuidString
        let receiver = try await Receiver { _, request in
            String(decoding: request.body, as: UTF8.self).contains(bad)
                ? .text("no \(bad)", status: 422) : .status(200)
        }
        try await house.delivering(to: try sink(receiver.port, house)) { submitter in
            try await house.submit(events, submitter)
            #expect(await house.untilEmpty("webhook"))
            let dead = try await house.store.deadLetters(sink: "webhook", limit: 10)
            #expect(dead.map(\.event.event.id) == [events[23].id])
            #expect(dead.first?.reason.contains("422") == true)
            #expect(receiver.requests.count < 20)
        }
        await receiver.stop()
    }

    @Test(
        "Retry-After is kept, in seconds and as a date",
        arguments: ["37", "Mon, 02 Mar 2026 12:00:37 GMT"])
    func retryAfter(text: String) async throws {
        let receiver = try await Receiver { number, _ in
            .text("later", status: number == 0 ? 429 : 503, headers: [("Retry-After", text)])
        }
        let house = try await EventStore()
        for _ in 0..<2 {
            let error = await failure(of: try sink(receiver.port, house), house.stored(house.session()))
            #expect(error?.retryClass == .rateLimited(until: house.clock.now.addingTimeInterval(37)))
        }
        await receiver.stop()
    }

    @Test("a server that is away, or takes the events and says nothing, is tried again")
    func away() async throws {
        let house = try await EventStore()
        let nobody = try sink(try LoopbackPort.free(), house)
        #expect(await failure(of: nobody, house.stored(house.session()))?.retryClass == .transient)
        // An answer that never comes ends with the task.
        let silent = try await Receiver { _, _ in
            try? await Task.sleep(for: .seconds(600))
            return .status(200)
        }
        let sink = try sink(silent.port, house)
        let events = house.stored(house.session())
        let task = Task { try await sink.deliver(events) }
        #expect(await eventually(every: .milliseconds(5)) { !silent.requests.isEmpty })
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        await silent.stop()
    }
}

/// Every status that HTTP has, from a real server.
@Suite("What an HTTP answer means", .timeLimit(.minutes(2)))
struct HTTPStatusTests {
    @Test(
        "every status is success, a wait, a person's matter or a refusal, and no delivery ever stands still"
    )
    func everyStatus() async throws {
        let status = Locked(0)
        let receiver = try await Receiver { _, _ in .text("so it is", status: status.current) }
        let house = try await EventStore()
        var sink = WebhookEventSink(
            .init(url: "http://127.0.0.1:\(receiver.port)/"), client: try WebClient(), clock: house.clock)
        let events = house.stored(house.session())
        for code in 100...599 {
            // After an interim status comes another one, or nothing; every other answer is worth waiting for.
            let idle: Duration = code < 200 ? .milliseconds(100) : .seconds(30)
            sink.limits = WebLimits(connect: .seconds(10), idle: idle, total: .seconds(60))
            status.withLock { $0 = code }
            let error = await failure(of: sink, events)
            let wanted: RetryClass? =
                switch code {
                case 200..<300: nil
                case 408, 421, 425, 500...: .transient
                case 429: .rateLimited(until: nil)
                case 300..<400, 401, 403, 404, 405, 407, 410: .needsPerson
                case 400..<500: .permanent
                // No final answer has these; whatever the server made of it, the events are kept.
                default: error?.retryClass == .needsPerson ? .needsPerson : .transient
                }
            #expect(error?.retryClass == wanted, "\(code): \(error as Any)")
        }
        await receiver.stop()
    }

    @Test("whatever is answered in between, every event arrives or is set aside with its reason")
    func throughAll() async throws {
        let house = try await EventStore()
        let receiver = try await Receiver { number, _ in
            // 200 after each other status, so that single events can pass.
            number % 2 == 0 ? .text("no", status: 200 + (number / 2) % 400) : .status(200)
        }
        let sink = WebhookEventSink(
            .init(url: "http://127.0.0.1:\(receiver.port)/"), client: try WebClient(), clock: house.clock)
        let events = house.session(of: 120)
        try await house.store.register(sink: sink.name, withHistory: false)
        let submitter = EventSubmitter(
            store: house.store, venues: VenueRegistry([house.venue]), sinks: [sink], clock: house.clock,
            log: .silent)
        try await submitter.start()
        try await house.submit(events, submitter)
        let delivery = SinkDelivery(sink, store: house.store, clock: house.clock, log: .silent) { _ in
            try Task.checkCancellation()
        }
        let running = Task { await delivery.run() }
        #expect(await house.untilEmpty(sink.name))
        running.cancel()
        await running.value
        let dead = try await house.store.deadLetters(sink: sink.name, limit: 1000).map(\.event.event.id)
        let texts = receiver.requests.map { String(decoding: $0.body, as: UTF8.self) }
        for event in events where !dead.contains(event.id) {
            #expect(texts.contains { $0.contains(event.id.uuidString) })
        }
        await receiver.stop()
    }
}
