import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents
@testable import Storage

@Suite("What is accepted of submitted events")
struct ValidationTests {
    /// A batch that breaks a rule, and where.
    struct Breach: Sendable, CustomTestStringConvertible {
        let rule: LoadEventRule
        let index: Int?
        let name: String
        let batch: @Sendable (UUID, UUID) -> [AnyLoadEvent]
        var testDescription: String { "\(rule.rawValue): \(name)" }

        init(
            _ rule: LoadEventRule, at index: Int?, _ name: String,
            _ batch: @escaping @Sendable (_ session: UUID, _ token: UUID) -> [AnyLoadEvent]
        ) {
            (self.rule, self.index, self.name, self.batch) = (rule, index, name, batch)
        }
    }

    static let breaches: [Breach] = [
        Breach(.tokenNeverIssued, at: 0, "a token of nobody") { session, _ in
            [carEvent(.begin, 0, session: session, token: UUID())]
        },
        Breach(.tokenOutOfTime, at: 0, "25 h before the guidance") {
            [carEvent(.begin, -25 * 3600, session: $0, token: $1)]
        },
        Breach(.energy, at: 1, "negative") {
            [
                carEvent(.begin, 0, session: $0, token: $1),
                carEvent(.active, 1, session: $0, token: $1, wattHours: -0.001),
            ]
        },
        Breach(.energy, at: 0, "not a number") { [carEvent(.begin, 0, session: $0, token: $1, wattHours: .nan)] },
        Breach(.energy, at: 0, "infinite") { [carEvent(.begin, 0, session: $0, token: $1, wattHours: .infinity)] },
        Breach(.energy, at: 0, "beyond any home") { [carEvent(.begin, 0, session: $0, token: $1, wattHours: 1e30)] },
        Breach(.power, at: 0, "negative") { [carEvent(.begin, 0, session: $0, token: $1, watts: -7000)] },
        Breach(.power, at: 0, "not a number") { [carEvent(.begin, 0, session: $0, token: $1, watts: .nan)] },
        Breach(.stateOfCharge, at: 0, "101") { [carEvent(.begin, 0, session: $0, token: $1, soc: 101)] },
        Breach(.stateOfCharge, at: 0, "-1") { [carEvent(.begin, 0, session: $0, token: $1, soc: -1)] },
        Breach(.stage, at: 1, "101") {
            [hvacEvent(.begin, 0, session: $0, token: $1), hvacEvent(.active, 1, session: $0, token: $1, stage: 101)]
        },
        Breach(.stage, at: 0, "-1") { [hvacEvent(.begin, 0, session: $0, token: $1, stage: -1)] },
        Breach(.emptyDeviceID, at: 0, "empty") { [carEvent(.begin, 0, session: $0, token: $1, device: "")] },
        Breach(.deviceID, at: 0, "129 characters") {
            [carEvent(.begin, 0, session: $0, token: $1, device: String(repeating: "x", count: 129))]
        },
        Breach(.deviceID, at: 0, "few characters of very many scalars") {
            [carEvent(.begin, 0, session: $0, token: $1, device: "e" + String(repeating: "\u{301}", count: 300))]
        },
        Breach(.deviceID, at: 1, "a line break") {
            [
                carEvent(.begin, 0, session: $0, token: $1),
                carEvent(.active, 1, session: UUID(), token: $1, device: "car\nreading: 1"),
            ]
        },
        Breach(.deviceID, at: 0, "a right-to-left mark") {
            [carEvent(.begin, 0, session: $0, token: $1, device: "car\u{202E}rac")]
        },
        Breach(.deviceID, at: 0, "spaces alone") { [carEvent(.begin, 0, session: $0, token: $1, device: "   ")] },
        Breach(.deviceOfTheHub, at: 1, "the hub's own charger") {
            [
                carEvent(.begin, 0, session: $0, token: $1),
                carEvent(.begin, 0, session: UUID(), token: $1, device: "wallbox"),
            ]
        },
        Breach(.deviceOfTheHub, at: 0, "the hub's own heat pump") {
            [hvacEvent(.begin, 0, session: $0, token: $1, device: "wallbox")]
        },
        Breach(.inTheFuture, at: 0, "6 minutes ahead") { [carEvent(.begin, 86_400 + 360, session: $0, token: $1)] },
        Breach(.tooOld, at: 0, "400 days and an hour") {
            [carEvent(.begin, -399 * 86_400 - 3600, session: $0, token: $1)]
        },
        Breach(.malformed, at: 0, "a time that is no number") { [carEvent(.begin, .nan, session: $0, token: $1)] },
        Breach(.beforeBegin, at: 1, "an active before the begin") {
            [carEvent(.begin, 10, session: $0, token: $1), carEvent(.active, 9, session: $0, token: $1)]
        },
        Breach(.beforeBegin, at: 1, "an end before the begin") {
            [carEvent(.end, 0, session: $0, token: $1), carEvent(.begin, 10, session: $0, token: $1)]
        },
        Breach(.beforeBegin, at: 1, "a second begin") {
            [carEvent(.begin, 0, session: $0, token: $1), carEvent(.begin, 10, session: $0, token: $1)]
        },
        Breach(.afterEnd, at: 2, "an active after the end") {
            [
                carEvent(.begin, 0, session: $0, token: $1), carEvent(.end, 10, session: $0, token: $1),
                carEvent(.active, 11, session: $0, token: $1),
            ]
        },
        Breach(.afterEnd, at: 2, "an active at the end's moment, told after it") {
            [
                carEvent(.begin, 0, session: $0, token: $1), carEvent(.end, 10, session: $0, token: $1),
                carEvent(.active, 10, session: $0, token: $1),
            ]
        },
        Breach(.afterEnd, at: 2, "a second end") {
            [
                carEvent(.begin, 0, session: $0, token: $1), carEvent(.end, 10, session: $0, token: $1),
                carEvent(.end, 20, session: $0, token: $1),
            ]
        },
        Breach(.twoDirections, at: 1, "charging and discharging") {
            [
                carEvent(.begin, 0, session: $0, token: $1),
                carEvent(.active, 10, session: $0, token: $1, direction: .exported),
            ]
        },
        Breach(.sessionOfAnotherDevice, at: 1, "two cars") {
            [
                carEvent(.begin, 0, session: $0, token: $1),
                carEvent(.active, 10, session: $0, token: $1, device: "other"),
            ]
        },
        Breach(.idReused, at: 1, "one id, two contents") {
            let id = UUID()
            return [
                carEvent(.begin, 0, session: $0, token: $1, id: id),
                carEvent(.active, 1, session: $0, token: $1, id: id),
            ]
        },
    ]

    @Test("a batch that breaks a rule is refused whole, naming event and rule", arguments: breaches)
    func refuses(_ breach: Breach) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let failure = await #expect(throws: EnergyKitFailure.self) {
            _ = try await submitter.submit(breach.batch(UUID(), house.token), at: house.venue.id, from: "app")
        }
        #expect(failure?.error == .invalidLoadEvent)
        #expect(failure?.invalidEvent?.rule == breach.rule)
        #expect(failure?.invalidEvent?.index == breach.index)
        #expect(try await house.stored().isEmpty)
    }

    @Test("the hub and its drivers may write for the hub's own devices", arguments: ["wallbox", "car", "Wallbox 2"])
    func ownDevices(device: String) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        _ = try await submitter.submit(house.session(device: device), at: house.venue.id, from: nil)
        #expect(try await house.stored().count == 3)
    }

    @Test("names of every script are device ids", arguments: ["Garage 1/left", "Lädestation", "充電器", "🚗", "a"])
    func deviceIDs(device: String) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        _ = try await submitter.submit(house.session(device: device), at: house.venue.id, from: "app")
        #expect(try await house.stored().count == 3)
    }

    @Test("the same order is asked of events that come call by call")
    func acrossCalls() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        func rule(_ events: [AnyLoadEvent]) async -> LoadEventRule? {
            do {
                _ = try await submitter.submit(events, at: house.venue.id, from: "app")
                return nil
            } catch {
                return (error as? EnergyKitFailure)?.invalidEvent?.rule
            }
        }
        let id = UUID()
        #expect(await rule([carEvent(.begin, 100, session: id, token: house.token)]) == nil)
        #expect(await rule([carEvent(.active, 99, session: id, token: house.token)]) == .beforeBegin)
        #expect(await rule([carEvent(.begin, 110, session: id, token: house.token)]) == .beforeBegin)
        #expect(
            await rule([carEvent(.active, 110, session: id, token: house.token, device: "b")])
                == .sessionOfAnotherDevice)
        #expect(
            await rule([carEvent(.active, 110, session: id, token: house.token, direction: .exported)])
                == .twoDirections)
        #expect(await rule([carEvent(.end, 200, session: id, token: house.token)]) == nil)
        #expect(await rule([carEvent(.active, 150, session: id, token: house.token)]) == nil)
        #expect(await rule([carEvent(.active, 201, session: id, token: house.token)]) == .afterEnd)
        #expect(await rule([carEvent(.end, 300, session: id, token: house.token)]) == .afterEnd)
        #expect(try await house.stored().count == 3)
    }

    @Test("an unknown home, and a token of another home")
    func homes() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let unknown = await #expect(throws: EnergyKitFailure.self) {
            _ = try await submitter.submit(house.session(), at: UUID(), from: nil)
        }
        #expect(unknown?.invalidEvent?.rule == .venue)
        let foreign = guidance(at: UUID(), pricesPerKWh: [0.2])
        try await house.store.keep(foreign)
        let failure = await #expect(throws: EnergyKitFailure.self) {
            let event = carEvent(.begin, 0, session: UUID(), token: foreign.guidance.guidanceToken)
            _ = try await submitter.submit([event], at: house.venue.id, from: nil)
        }
        #expect(failure?.invalidEvent?.rule == .tokenOfAnotherVenue)
    }

    @Test("a token of another client counts, unless the home is strict")
    func strictTokens() async throws {
        let house = try await EventHouse()
        try await house.store.noteRequest(token: house.token, by: "fetcher", at: noon)
        let lenient = try await house.submitter()
        _ = try await lenient.submit(house.session(device: "a"), at: house.venue.id, from: "other")
        let strict = try await house.submitter(strict: true)
        _ = try await strict.submit(house.session(device: "b"), at: house.venue.id, from: "fetcher")
        _ = try await strict.submit(house.session(device: "fetcher"), at: house.venue.id, from: "other")
        let failure = await #expect(throws: EnergyKitFailure.self) {
            _ = try await strict.submit(house.session(device: "c"), at: house.venue.id, from: "other")
        }
        #expect(failure?.invalidEvent?.rule == .tokenOfAnotherClient)
    }

    @Test(
        "what examples of this field do is accepted: power at begin, no begin, a counter that falls, an unknown charge")
    func lenient() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let (first, second) = (UUID(), UUID())
        let events = [
            carEvent(.begin, 0, session: first, token: house.token, watts: 7000, soc: .min),
            carEvent(.active, 10, session: first, token: house.token, watts: 7000, wattHours: 900),
            carEvent(.active, 20, session: first, token: house.token, watts: 7000, wattHours: 100),
            carEvent(.end, 30, session: first, token: house.token, watts: 7000, wattHours: 300),
            carEvent(.active, 25, session: second, token: house.token, watts: 7000, wattHours: 50),
            carEvent(.active, -23 * 3600, session: UUID(), token: house.token, device: "early"),
        ]
        #expect(try await submitter.submit(events, at: house.venue.id, from: "app").accepted == 6)
        let stored = try await house.stored()
        #expect(stored == events)
    }

    @Test("a repeat is a success that changes nothing, also together with new events; an empty call is a success")
    func repeats() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let events = house.session()
        #expect(
            try await submitter.submit(Array(events.prefix(2)), at: house.venue.id, from: "app")
                == SubmissionReceipt(accepted: 2, duplicates: 0))
        #expect(
            try await submitter.submit(events + events, at: house.venue.id, from: "app")
                == SubmissionReceipt(accepted: 1, duplicates: 5))
        #expect(
            try await submitter.submit([], at: house.venue.id, from: "app")
                == SubmissionReceipt(accepted: 0, duplicates: 0))
        #expect(try await house.stored() == events)
        // A year later the same events are too old, but they are still the same events.
        house.clock.advance(to: noon.addingTimeInterval(500 * 86_400))
        #expect(try await submitter.submit(events, at: house.venue.id, from: "app").duplicates == 3)
    }

    @Test("each client has its own allowance of calls a minute, and is told how long to wait")
    func rateLimit() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter(perMinute: 60)
        for _ in 0..<60 { _ = try await submitter.submit([], at: house.venue.id, from: "app") }
        let failure = await #expect(throws: EnergyKitFailure.self) {
            _ = try await submitter.submit([], at: house.venue.id, from: "app")
        }
        #expect(failure?.error == .rateLimitExceeded)
        #expect(failure?.retryAfter == .seconds(1))
        _ = try await submitter.submit([], at: house.venue.id, from: "another app")
        for _ in 0..<100 { _ = try await submitter.submit([], at: house.venue.id, from: nil) }
        house.clock.advance(to: house.clock.now.addingTimeInterval(1))
        _ = try await submitter.submit([], at: house.venue.id, from: "app")
        await #expect(throws: EnergyKitFailure.self) {
            _ = try await submitter.submit([], at: house.venue.id, from: "app")
        }
    }

    @Test("a program that names itself has 60 calls a minute, whatever its credential may do beside")
    func rateLimitOfPrograms() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter(perMinute: 70)
        for _ in 0..<60 { _ = try await submitter.submit([], at: house.venue.id, from: "token/app") }
        let failure = await #expect(throws: EnergyKitFailure.self) {
            _ = try await submitter.submit([], at: house.venue.id, from: "token/app")
        }
        #expect(failure?.error == .rateLimitExceeded)
        #expect(failure?.detail.contains("60") == true)
        _ = try await submitter.submit([], at: house.venue.id, from: "token/other")
        _ = try await submitter.submit([], at: house.venue.id, from: "socket/app")
        for _ in 0..<9 { _ = try await submitter.submit([], at: house.venue.id, from: "token") }
        // Ten names do not get round what the credential itself may do.
        for name in ["token", "token/third"] {
            let failure = await #expect(throws: EnergyKitFailure.self) {
                _ = try await submitter.submit([], at: house.venue.id, from: name)
            }
            #expect(failure?.detail.contains("70") == true)
        }
    }

    @Test("two calls for one session at once are judged one after the other")
    func concurrentCalls() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        _ = try await submitter.submit(
            [carEvent(.begin, 0, session: id, token: house.token)], at: house.venue.id, from: nil)
        let ends = (1...20).map { carEvent(.end, Double($0), session: id, token: house.token) }
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for end in ends {
                group.addTask { (try? await submitter.submit([end], at: house.venue.id, from: nil)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
        #expect(try await house.stored().count == 2)
    }
}
