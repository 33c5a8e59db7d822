import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import LoadEvents
@testable import Storage

/// What is accepted although it is not as it should be, and what a repeat does.
@Suite("What a submission may be", .timeLimit(.minutes(5)))
struct AcceptedSubmissionTests {
    /// A session that is accepted, and what is noted on it.
    struct Oddity: Sendable, CustomTestStringConvertible {
        let note: String
        /// One array of events for each call.
        let calls: @Sendable (_ session: UUID, _ token: UUID) -> [[AnyLoadEvent]]
        var testDescription: String { note }
    }

    static let oddities: [Oddity] = [
        Oddity(note: "its begin had power") { session, token in
            [[carEvent(.begin, 0, session: session, token: token, watts: 7000)]]
        },
        Oddity(note: "its begin had power or stage") { session, token in
            [[hvacEvent(.begin, 0, session: session, token: token, stage: 100)]]
        },
        Oddity(note: "its end had power") { session, token in
            [
                [carEvent(.begin, 0, session: session, token: token)],
                [carEvent(.end, 60, session: session, token: token, watts: 7000, wattHours: 100)],
            ]
        },
        Oddity(note: "its end had power or stage") { session, token in
            [
                [hvacEvent(.begin, 0, session: session, token: token)],
                [hvacEvent(.end, 60, session: session, token: token, stage: 30)],
            ]
        },
        Oddity(note: "it opened without a begin") { session, token in
            [[carEvent(.active, 0, session: session, token: token, watts: 7000, wattHours: 12)]]
        },
        Oddity(note: "the whole session came in one call") { session, token in
            [
                [
                    carEvent(.begin, 0, session: session, token: token),
                    carEvent(.active, 900, session: session, token: token, watts: 7000, wattHours: 1750),
                    carEvent(.end, 1800, session: session, token: token, wattHours: 3500),
                ]
            ]
        },
        Oddity(note: "before the guidance it quotes") { session, token in
            [[carEvent(.begin, -86_400, session: session, token: token)]]
        },
        Oddity(note: "its energy fell") { session, token in
            [
                [carEvent(.begin, 0, session: session, token: token)],
                [carEvent(.active, 60, session: session, token: token, watts: 7000, wattHours: 900)],
                [carEvent(.active, 120, session: session, token: token, watts: 7000, wattHours: 100)],
            ]
        },
        Oddity(note: "cuts it") { session, token in
            [
                [carEvent(.begin, -60, session: UUID(), token: token)],
                [carEvent(.begin, 0, session: session, token: token)],
            ]
        },
    ]

    @Test("what examples of this field do is accepted and noted on the session", arguments: oddities)
    func isNoted(_ oddity: Oddity) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter([LocalSink(store: house.store)])
        let id = UUID()
        try await running({ await submitter.run() }) {
            for call in oddity.calls(id, house.token) {
                _ = try await submitter.submit(call, at: house.venue.id, from: "app")
                await submitter.drain(within: .seconds(20))
            }
            let noted = try #require(try await house.store.session(id)).irregularities
            #expect(noted.count == 1 && noted.first?.contains(oddity.note) == true, "\(noted)")
        }
    }

    @Test("a session as it should be has no notes, and its token may change on the way") func isRegular() async throws {
        let house = try await EventHouse()
        let next = guidance(at: house.venue.id, from: noon.addingTimeInterval(600), pricesPerKWh: [0.1])
        try await house.store.keep(next)
        let submitter = try await house.submitter([LocalSink(store: house.store)])
        let id = UUID()
        try await running({ await submitter.run() }) {
            for event in [
                carEvent(.begin, 0, session: id, token: house.token),
                carEvent(.active, 900, session: id, token: next.guidance.guidanceToken, watts: 7200, wattHours: 1800),
                carEvent(.end, 1800, session: id, token: next.guidance.guidanceToken, wattHours: 3600),
            ] { _ = try await submitter.submit([event], at: house.venue.id, from: "app") }
            await submitter.drain(within: .seconds(20))
            #expect(try await house.store.session(id)?.irregularities == [])
        }
    }

    @Test("a session's events may come in any order, in one call or several", arguments: 1...12)
    func anyOrder(seed: UInt64) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        var random = SeededGenerator(state: seed)
        let (car, pump) = (UUID(), UUID())
        var events = house.session(car)
        events += [
            hvacEvent(.begin, 5, session: pump, token: house.token),
            hvacEvent(.active, 6, session: pump, token: house.token, stage: 60),
            hvacEvent(.end, 700, session: pump, token: house.token),
        ]
        events.shuffle(using: &random)
        let cut = Int.random(in: 0...events.count, using: &random)
        for part in [events.prefix(cut), events.dropFirst(cut)] {
            let accepted = try await submitter.submit(Array(part), at: house.venue.id, from: "app").accepted
            #expect(accepted == part.count)
        }
        #expect(try await house.stored() == events)
    }

    @Test("a batch with one bad event anywhere leaves no trace", arguments: [0, 1, 250, 499])
    func allOrNothing(place: Int) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        var events = (0..<500).map {
            carEvent($0 == 0 ? .begin : .active, Double($0), session: id, token: house.token, wattHours: Double($0))
        }
        let good = events[place]
        events[place] = carEvent(.active, Double(place), session: id, token: house.token, wattHours: -1, id: good.id)
        #expect(try await Verdict(of: events, submitter, house) == Verdict(.energy, place))
        #expect(try await house.store.session(id) == nil)
        // The same ids are free for the mended batch.
        events[place] = good
        #expect(try await submitter.submit(events, at: house.venue.id, from: "app").accepted == 500)
    }

    @Test("the same event is the same in other units and after a restart; another content is refused")
    func repeats() async throws {
        let house = try await EventHouse()
        let (id, session) = (UUID(), UUID())
        func event(_ energy: Measurement<UnitEnergy>) -> AnyLoadEvent {
            carEvent(.active, 0, session: session, token: house.token, energy: energy, id: id)
        }
        let first = event(Measurement(value: 1.5, unit: .kilowattHours))
        let submitter = try await house.submitter()
        #expect(try await submitter.submit([first, first], at: house.venue.id, from: "a").accepted == 1)
        // As after a restart: nothing is remembered but the store.
        let later = try await house.submitter()
        let same = event(Measurement(value: 1_500_000, unit: .EnergyKit.milliwattHours))
        #expect(
            try await later.submit([same], at: house.venue.id, from: "b")
                == SubmissionReceipt(accepted: 0, duplicates: 1))
        let other = event(Measurement(value: 1.6, unit: .kilowattHours))
        #expect(try await Verdict(of: [other], later, house) == Verdict(.idReused, 0))
        #expect(try await Verdict(of: [same, other], later, house) == Verdict(.idReused, 1))
        #expect(try await house.stored().count == 1)
    }

    @Test("an id of an event of another home is refused") func idOfAnotherHome() async throws {
        let house = try await EventHouse()
        let event = carEvent(.begin, 0, session: UUID(), token: house.token)
        _ = try await house.store.append(
            EventBatch(venueID: UUID(), events: [EventRow(event: event, session: event.sessionID, state: "begin")]),
            sinks: [])
        let submitter = try await house.submitter()
        #expect(try await Verdict(of: [event], submitter, house) == Verdict(.idReused, 0))
    }

    @Test("100,000 events in one call are judged as a whole, also by the last of their session") func manyEvents()
        async throws
    {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        var events: [AnyLoadEvent] = []
        for session in 0..<1_000 {
            let id = UUID()
            for step in 0..<100 {
                events.append(
                    carEvent(
                        step == 0 ? .begin : step == 98 ? .end : .active, Double(session) * 80 + Double(step) / 2,
                        session: id, token: house.token, wattHours: Double(step)))
            }
        }
        // The last event of each session lies after its end, which counts for the very last alone.
        for index in stride(from: 99, to: 99_999, by: 100) { events[index] = events[index - 1] }
        #expect(try await Verdict(of: events, submitter, house) == Verdict(.afterEnd, 99_999))
    }

    @Test("thousands of whole sessions in one call are accepted") func manySessions() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let events = (0..<4_000).flatMap { number -> [AnyLoadEvent] in
            let id = UUID()
            return [
                carEvent(.begin, Double(number), session: id, token: house.token),
                carEvent(.end, Double(number) + 0.5, session: id, token: house.token),
            ]
        }
        #expect(try await submitter.submit(events, at: house.venue.id, from: "app").accepted == 8_000)
    }
}
