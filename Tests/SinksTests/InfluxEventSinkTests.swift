import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage
import TestSupport
import Testing
import WebClient
import WebServer

@testable import Sinks

@Suite("Load events as line protocol")
struct LineProtocolTests {
    @Test("an event is a line with tags, fields and nanoseconds")
    func line() async throws {
        let house = try await EventStore()
        let events = house.stored(house.session(estimated: true) + house.others)
        let id = events[1].event.id.uuidString
        let session = try #require(events[1].event.sessionID).uuidString
        let token = try #require(events[1].event.guidanceToken).uuidString
        let venue = house.venue.id.uuidString
        let second = Int(house.clock.now.timeIntervalSince1970)
        #expect(
            LineProtocol.line(events[1])
                == "load_event,venue=\(venue),device=car,kind=electricVehicle,direction=imported,state=active "
                + "power_watts=7200.0,energy_watt_hours=120.5,state_of_charge=50i,energy_estimated=true,"
                + "following_guidance=true,session=\"\(session)\",guidance_token=\"\(token)\",id=\"\(id)\" "
                + "\(second + 60)000000002")
        #expect(
            LineProtocol.line(events[3]).contains(
                #",device=pump\,\ \=1,kind=hvac,state=active stage=40i,"#))
        #expect(
            LineProtocol.line(events[4]).contains(" stored_watt_hours=30000.0,state_of_charge=61i,id="))
    }

    @Test(
        "what has a meaning in a line is escaped",
        arguments: [
            ("a b", #"a\ b"#), ("a,b=c", #"a\,b\=c"#), ("a\nb\r\t", #"a\ b\ \ "#), (#"a\"#, #"a\\ "#),
            ("ä🚗\"", "ä🚗\""),
        ])
    func escapes(value: String, wanted: String) { #expect(LineProtocol.escaped(value) == wanted) }

    @Test(
        "times are exact to the millisecond",
        arguments: [(1_772_452_800.125, 1_772_452_800_125), (1_772_452_800.123, 1_772_452_800_123), (-0.5, -500)]
            as [(Double, Int64)])
    func milliseconds(seconds: Double, wanted: Int64) {
        #expect(LineProtocol.milliseconds(Date(timeIntervalSince1970: seconds)) == wanted)
    }

    @Test("times that InfluxDB does not know stay within those it knows", arguments: [1e12, -1e12, 1e300])
    func extremes(seconds: Double) async throws {
        let event = ElectricHVACLoadEvent(
            timestamp: Date(timeIntervalSince1970: seconds), measurement: .init(stage: 4),
            session: .init(
                id: UUID(), state: .active, guidanceState: .init(wasFollowingGuidance: false, guidanceToken: UUID())),
            deviceID: "pump")
        let line = LineProtocol.line(StoredEvent(sequence: 999_999, venueID: UUID(), event: .hvac(event)))
        #expect(abs(try #require(Int64(line.split(separator: " ").last ?? ""))) <= 9_223_372_036_854_775_806)
    }

    @Test(
        "events of one moment are points of their own, and each stays the same point",
        arguments: [0, 999_990, 5_000_000])
    func oneMoment(before: Int64) async throws {
        let house = try await EventStore()
        let events = Array(repeating: house.session(of: 5), count: 4).flatMap { $0 }.map { atOneMoment($0, house) }
        let stored = events.enumerated().map {
            StoredEvent(sequence: before + Int64($0 + 1), venueID: house.venue.id, event: $1)
        }
        let keys = stored.map { key(LineProtocol.line($0)) }
        #expect(Set(keys).count == events.count)
        #expect(stored.reversed().map { key(LineProtocol.line($0)) } == keys.reversed())
    }

    /// What InfluxDB knows a point by.
    private func key(_ line: String) -> [Substring] {
        let parts = line.split(separator: " ")
        return [parts[0], parts[parts.count - 1]]
    }
}

/// The event of a car, moved to the house's now and in the middle of its session.
private func atOneMoment(_ event: AnyLoadEvent, _ house: EventStore) -> AnyLoadEvent {
    guard case .electricVehicle(let car) = event else { return event }
    return .electricVehicle(
        ElectricVehicleLoadEvent(
            timestamp: house.clock.now, measurement: car.measurement,
            session: .init(id: car.session.id, state: .active, guidanceState: car.session.guidanceState),
            deviceID: car.deviceID))
}

/// Load events in a real InfluxDB of version 1, and the requests for version 2 at a server that checks them.
@Suite("Load events to InfluxDB", .timeLimit(.minutes(2)))
struct InfluxEventSinkTests {
    private func sink(
        _ port: Int, _ house: EventStore, database: String = "home", password: String? = nil
    ) throws
        -> InfluxEventSink
    {
        InfluxEventSink(
            base: "http://127.0.0.1:\(port)/",
            target: .database(database, user: "offpeak", password: password ?? InfluxServer.password),
            client: try WebClient(), clock: house.clock)
    }

    private static let isInstalled = InfluxServer.isInstalled

    @Test(
        "each event is a point, a repeat changes nothing, odd names come back as they were",
        .enabled(if: isInstalled, "the InfluxDB server is not installed"))
    func delivers() async throws {
        let server = try await InfluxServer()
        let house = try await EventStore()
        let names = ["a,b = c", #"d\e"#, "ä\"🚗"]
        let events = house.stored(
            house.session(of: 30) + house.others + names.flatMap { house.session(device: $0) })
        let sink = try sink(server.port, house)
        for _ in 0..<2 { try await sink.deliver(events) }
        let answer = try await server.ask("SELECT id FROM load_event")
        let ids = answer["results"][0]["series"][0]["values"].array.compactMap { $0[1].string }
        #expect(Set(ids) == Set(events.map(\.event.id.uuidString)) && ids.count == events.count)
        let devices = try await server.ask("SHOW TAG VALUES FROM load_event WITH KEY = device")
        let found = devices["results"][0]["series"][0]["values"].array.compactMap { $0[1].string }
        #expect(Set(found) == Set(["car", "pump, =1"] + names))
        let energy = try await server.ask(
            "SELECT max(energy_watt_hours) FROM load_event WHERE device = 'car'")
        #expect(energy["results"][0]["series"][0]["values"][0][1].number == 29 * 120.5)
    }

    @Test(
        "events of one second all arrive, once each, also when they are delivered again in other batches",
        .enabled(if: isInstalled, "the InfluxDB server is not installed"))
    func oneSecond() async throws {
        let server = try await InfluxServer()
        let house = try await EventStore()
        let sink = try sink(server.port, house)
        let events = house.stored((0..<10).flatMap { _ in house.session(of: 7) }.map { atOneMoment($0, house) })
        try await sink.deliver(events)
        for batch in stride(from: 0, to: events.count, by: 9) {
            try await sink.deliver(Array(events[batch..<min(batch + 9, events.count)]))
        }
        let answer = try await server.ask("SELECT id FROM load_event")
        let ids = answer["results"][0]["series"][0]["values"].array.compactMap { $0[1].string }
        #expect(ids == events.map(\.event.id.uuidString))
    }

    @Test(
        "a point that does not fit is set aside, and those beside it arrive",
        .enabled(if: isInstalled, "the InfluxDB server is not installed"))
    func partialWrite() async throws {
        let server = try await InfluxServer()
        let house = try await EventStore()
        let sink = try sink(server.port, house)
        // The database already has this field with another type, for the time that one event falls into.
        let clash = try await HTTPClient(port: server.port).send(
            "POST", "/write?db=home&u=offpeak&p=correct%20horse",
            body: "load_event stage=\"high\" \(Int(house.clock.now.timeIntervalSince1970))000000000")
        #expect(clash.status == 204)
        let events = house.session(of: 10) + house.others
        try await house.delivering(to: sink) { submitter in
            try await house.submit(events, submitter)
            #expect(await house.untilEmpty(sink.name))
            let dead = try await house.store.deadLetters(sink: sink.name, limit: 10)
            #expect(dead.map(\.event.event.id) == [events[10].id])
            #expect(dead.first?.reason.contains("field type conflict") == true, "\(dead.map(\.reason))")
        }
        let answer = try await server.ask("SELECT id FROM load_event")
        #expect(answer["results"][0]["series"][0]["values"].array.count == 11)
    }

    @Test(
        "wrong credentials and a missing database need a person; after an outage everything arrives",
        .enabled(if: isInstalled, "the InfluxDB server is not installed"))
    func troubles() async throws {
        let server = try await InfluxServer()
        let house = try await EventStore()
        let events = house.session(of: 50)
        let wrong = await failure(
            of: try sink(server.port, house, password: "hunter2"), house.stored(events))
        #expect(wrong?.retryClass == .needsPerson && wrong?.message.contains("hunter2") == false)
        let missing = await failure(
            of: try sink(server.port, house, database: "nowhere"), house.stored(events))
        #expect(missing?.retryClass == .needsPerson)
        await server.stop()
        let sink = try sink(server.port, house)
        #expect(await failure(of: sink, house.stored(events))?.retryClass == .transient)
        try await house.delivering(to: sink) { submitter in
            try await house.submit(events, submitter)
            try await server.start()
            let isDone = await eventually {
                try await submitter.retry(sink: sink.name)
                return try await house.store.depth(sink: sink.name).waiting == 0
            }
            #expect(isDone)
        }
        let answer = try await server.ask("SELECT count(id) FROM load_event")
        #expect(answer["results"][0]["series"][0]["values"][0][1].number == 50)
    }

    @Test("version 2 gets bucket, organisation and token where it wants them")
    func versionTwo() async throws {
        let receiver = try await Receiver { _, _ in .status(204) }
        let house = try await EventStore()
        let events = house.stored(house.session())
        let sink = InfluxEventSink(
            base: "http://127.0.0.1:\(receiver.port)",
            target: .bucket("load & more", organisation: "home", token: "t0ken"), client: try WebClient(),
            clock: house.clock)
        try await sink.deliver(events)
        let request = try #require(receiver.requests.first)
        #expect(request.path == "/api/v2/write")
        #expect(
            request.query.map { "\($0.name)=\($0.value)" } == [
                "org=home", "bucket=load & more", "precision=ns",
            ])
        #expect(request.headers.values("Authorization") == ["Token t0ken"])
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == events.map { LineProtocol.line($0) }.joined(separator: "\n"))
        await receiver.stop()
    }
}
