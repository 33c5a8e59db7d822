import EnergyKit
import Foundation
import HubKit
import SQLite
import TestSupport
import Testing
import ThreadKit

@testable import LoadEvents
@testable import Storage

/// Guidance that is there once the test says so.
final class GuidanceOnDemand: GuidanceProviding {
    private let answer = Locked<ElectricityGuidance?>(nil)
    private let asked = Locked<[String]>([])

    /// Who asked, and for what.
    var questions: [String] { asked.current }

    func give(_ guidance: ElectricityGuidance) { answer.withLock { $0 = guidance } }

    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance {
        asked.withLock { $0.append("\(action.rawValue) for \(requester)") }
        guard let guidance = answer.current else { throw EnergyKitFailure(.guidanceUnavailable) }
        return guidance
    }

    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> { AsyncThrowingStream { $0.finish() } }
}

/// A board with one device whose readings the test posts, and a recorder on a real store.
struct RecordedHouse {
    let house: EventHouse
    let board = DeviceBoard()
    let provider = GuidanceOnDemand()
    let id: DeviceID
    let submitter: EventSubmitter
    let recorder: SessionRecorder
    let accepted: AsyncStream<StoredEvent>

    init(_ house: EventHouse, kind: DeviceKind = .ev, followsGuidance: Bool = true) async throws {
        self.house = house
        id = "device"
        board.add(
            DeviceConfiguration(
                id: id, name: "Device", venueID: house.venue.id, driver: "test", connection: .none), kind: kind,
            capabilities: DeviceCapabilities(), health: DeviceHealth(.ok, since: house.clock.now))
        if followsGuidance { board.post(FollowedGuidance(token: house.token, isFollowing: true), for: id) }
        submitter = try await house.submitter()
        recorder = SessionRecorder(
            board: board, submitter: submitter, guidance: provider, store: house.store, clock: house.clock, log: .silent
        )
        accepted = await submitter.acceptedEvents()
        try await recorder.start()
    }

    /// A reading `seconds` after noon, when the clock shows that too.
    func post(_ seconds: Double, watts: Double, counter: Double? = nil, plug: PlugState = .plugged) {
        let moment = noon.addingTimeInterval(seconds)
        house.clock.advance(to: moment)
        var reading = DeviceReading(at: moment)
        reading[.powerWatts] = watts
        reading[.importWattHours] = counter
        reading.plug = plug
        board.post(reading, for: id)
    }

    /// The next events that are accepted.
    func next(_ count: Int) async -> [AnyLoadEvent] {
        var events: [AnyLoadEvent] = []
        for await event in accepted {
            events.append(event.event)
            if events.count == count { break }
        }
        return events
    }
}

@Suite("The recorder", .timeLimit(.minutes(5)))
struct SessionRecorderTests {
    private func house() async throws -> EventHouse { try await EventHouse(clock: SteppedClock(noon)) }

    @Test("what the board shows becomes a session in the store")
    func records() async throws {
        let one = try await RecordedHouse(try await house())
        let recorder = one.recorder
        try await running({ await recorder.run() }) {
            one.post(60, watts: 7200, counter: 1000)
            #expect(await one.next(2).map(line) == ["begin 0 W 0 Wh", "active 7200 W 0 Wh"])
            one.post(660, watts: 7200, counter: 2200)
            one.board.post(mode: .now, goal: nil, limit: nil, for: one.id)
            #expect(await one.next(1).map(line) == ["active 7200 W 1200 Wh"])
            one.post(720, watts: 0, counter: 2320, plug: .unplugged)
            #expect(await one.next(1).map(line) == ["end 0 W 1320 Wh"])
        }
        let stored = try await one.house.stored()
        #expect(stored.count == 4 && Set(stored.map(\.sessionID)).count == 1)
        #expect(stored.allSatisfy { $0.guidanceToken == one.house.token && $0.device?.name == "Device" })
        #expect(try await one.house.store.recorder(device: "device") == nil)
        // The hub's own events keep the rules that it asks of others.
        let copy = try await EventHouse()
        try await copy.store.keep(one.house.guidance)
        let venues = VenueRegistry([one.house.venue])
        let judge = EventSubmitter(store: copy.store, venues: venues, sinks: [], clock: copy.clock, log: .silent)
        #expect(try await judge.submit(stored, at: one.house.venue.id, from: nil).accepted == 4)
    }

    @Test("S-2 the session goes on after the hub stopped, or was killed, in the middle", arguments: [true, false])
    func restart(isStopped: Bool) async throws {
        let house = try await house()
        let first = try await RecordedHouse(house)
        let recorder = first.recorder
        try await running({ await recorder.run() }) {
            first.post(60, watts: 7200, counter: 1000)
            _ = await first.next(2)
        }
        if isStopped { await recorder.stop() }
        let second = try await RecordedHouse(house)
        let successor = second.recorder
        try await running({ await successor.run() }) {
            second.post(660, watts: 7200, counter: 0)
            second.post(1000, watts: 7200, counter: 2800)
            #expect(await second.next(1).last?.stateName == "active")
            second.post(1060, watts: 0, counter: 2900, plug: .unplugged)
            #expect(await second.next(1).map(line) == ["end 0 W 1900 Wh"])
        }
        let stored = try await house.stored()
        #expect(Set(stored.map(\.sessionID)).count == 1)
        #expect(stored.filter { $0.stateName == "begin" }.count == 1)
    }

    @Test("what can't be written is kept in order and written when it can be")
    func keepsWhatFails() async throws {
        let one = try await RecordedHouse(try await house())
        let recorder = one.recorder
        let block = "CREATE TRIGGER block BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END"
        try await one.house.store.write { try $0.execute(block) }
        one.post(60, watts: 7200, counter: 1000)
        try await running({ await recorder.run() }) {
            // The recorder sleeps until the quarter-hour; what it looked at before has failed by then or fails now.
            await one.house.clock.untilSomeoneSleeps()
            one.post(120, watts: 3000, counter: 1100)
            one.post(180, watts: 0, counter: 1150, plug: .unplugged)
            try await one.house.store.write { try $0.execute("DROP TRIGGER block") }
            // A write that was under way just then still fails, and is tried again at a later look.
            var seconds = 600.0
            let isWritten = await eventually {
                one.post(seconds, watts: 0, counter: 1150, plug: .unplugged)
                seconds += 300
                return try await one.house.stored().count >= 3
            }
            #expect(isWritten)
            let events = await one.next(3)
            #expect(events.first.map(line) == "begin 0 W 0 Wh")
            #expect(Set(events.map(\.sessionID)).count == 1)
        }
        await recorder.stop()
        let stored = try await one.house.stored()
        #expect(stored.last.map(line) == "end 0 W 150 Wh")
        #expect(Set(stored.map(\.id)).count == stored.count)
    }

    @Test("a quarter-hour mark is sampled although no reading comes just then")
    func quarterHour() async throws {
        let one = try await RecordedHouse(try await house())
        let recorder = one.recorder
        try await running({ await recorder.run() }) {
            one.post(840, watts: 7200, counter: 1000)
            _ = await one.next(2)
            await one.house.clock.untilSomeoneSleeps()
            one.house.clock.advance(to: noon.addingTimeInterval(900))
            let sample = await one.next(1)
            #expect(sample.map(line) == ["active 7200 W 0 Wh"])
            #expect(sample.first?.timestamp == noon.addingTimeInterval(900))
        }
    }

    @Test(
        "a device under no guidance gets some asked for, and its session begins when the flow did",
        arguments: [DeviceKind.ev, .hvac])
    func asksForGuidance(kind: DeviceKind) async throws {
        let one = try await RecordedHouse(try await house(), kind: kind, followsGuidance: false)
        let recorder = one.recorder
        var run = DeviceReading(at: noon.addingTimeInterval(60))
        run[.powerWatts] = 2000
        run[.stagePercent] = 40
        one.board.post(run, for: one.id)
        one.provider.give(one.house.guidance.guidance)
        try await running({ await recorder.run() }) {
            let events = await one.next(2)
            #expect(events.map(\.guidanceToken) == [one.house.token, one.house.token])
            #expect(events.map(\.wasFollowing) == [false, false])
        }
        #expect(one.provider.questions == [kind == .ev ? "shift for device" : "reduce for device"])
    }

    @Test("a meter records nothing")
    func meters() async throws {
        let one = try await RecordedHouse(try await house(), kind: .meter)
        let recorder = one.recorder
        try await running({ await recorder.run() }) {
            one.post(60, watts: 7200, counter: 1000)
            await one.house.clock.untilSomeoneSleeps()
        }
        #expect(try await one.house.stored().isEmpty)
    }
}
