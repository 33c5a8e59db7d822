import EnergyKit
import Foundation
import HubKit
import Testing

@testable import LoadEvents
@testable import Storage

/// What a submission must keep, rule by rule, on both sides of each border.
@Suite("The rules of a submission", .timeLimit(.minutes(5)))
struct SubmissionRuleTests {
    private static let day = 86_400.0

    /// A house, and its verdict on a batch: the rule that it breaks and the event's place, or nothing.
    private func verdict(
        strict: Bool = false, _ batch: (EventHouse) async throws -> [AnyLoadEvent]
    ) async throws -> Verdict? {
        let house = try await EventHouse()
        let submitter = try await house.submitter(strict: strict)
        let events = try await batch(house)
        return try await Verdict(of: events, submitter, house)
    }

    @Test("a home that does not exist", arguments: [0, 1, 3]) func unknownHome(count: Int) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let events = Array(house.session().prefix(count))
        #expect(try await Verdict(of: events, submitter, house, at: UUID()) == Verdict(.venue, nil))
    }

    @Test("a status event that names another home") func statusOfAnotherHome() async throws {
        let found = try await verdict { house in house.session() + [statusEvent(1, venue: UUID())] }
        #expect(found == Verdict(.venue, 3))
        #expect(try await verdict { house in [statusEvent(1, venue: house.venue.id)] } == nil)
    }

    @Test("a token that this hub never issued", arguments: [true, false]) func strangeToken(isCar: Bool) async throws {
        for token in [UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))] {
            let event =
                isCar
                ? carEvent(.begin, 0, session: UUID(), token: token)
                : hvacEvent(.begin, 0, session: UUID(), token: token)
            #expect(try await verdict { house in house.session() + [event] } == Verdict(.tokenNeverIssued, 3))
        }
    }

    @Test("a token that was issued for another home") func tokenOfAnotherHome() async throws {
        let found = try await verdict { house in
            let foreign = guidance(at: UUID(), pricesPerKWh: [0.2])
            try await house.store.keep(foreign)
            return [carEvent(.begin, 0, session: UUID(), token: foreign.guidance.guidanceToken)]
        }
        #expect(found == Verdict(.tokenOfAnotherVenue, 0))
    }

    @Test(
        "a token counts for its guidance's interval and a day beside it",
        arguments: [(-86_400, true), (-86_400.001, false), (86_700, true)] as [(Double, Bool)])
    func tokenInTime(seconds: Double, isAccepted: Bool) async throws {
        let found = try await verdict { [carEvent(.active, seconds, session: UUID(), token: $0.token)] }
        #expect(found == (isAccepted ? nil : Verdict(.tokenOutOfTime, 0)))
    }

    @Test("a token stops counting a day after its guidance's end") func tokenAfterItsEnd() async throws {
        let house = try await EventHouse(clock: SteppedClock(noon.addingTimeInterval(10 * Self.day)))
        let submitter = try await house.submitter()
        func event(_ seconds: Double) -> [AnyLoadEvent] {
            [carEvent(.active, seconds, session: UUID(), token: house.token)]
        }
        #expect(try await Verdict(of: event(2 * Self.day - 0.001), submitter, house) == nil)
        #expect(try await Verdict(of: event(2 * Self.day), submitter, house) == Verdict(.tokenOutOfTime, 0))
    }

    @Test("a text with U+0000, which no database holds", arguments: ["Car\u{0}", "\u{0}", "a\u{0}b"])
    func nul(text: String) async throws {
        let devices = [
            ElectricalLoadDevice(id: "car", name: text, type: .electricVehicle),
            ElectricalLoadDevice(id: text, name: "Car", type: .electricVehicle),
        ]
        for device in devices {
            func named(_ event: AnyLoadEvent) -> AnyLoadEvent? {
                switch event {
                case .electricVehicle(let car):
                    .electricVehicle(
                        ElectricVehicleLoadEvent(
                            id: car.id, timestamp: car.timestamp, measurement: car.measurement, session: car.session,
                            deviceID: car.deviceID, device: device))
                case .hvac(let pump):
                    .hvac(
                        ElectricHVACLoadEvent(
                            id: pump.id, timestamp: pump.timestamp, measurement: pump.measurement,
                            session: pump.session, deviceID: pump.deviceID, device: device))
                case .electricVehicleStatus: nil
                }
            }
            let car = try await verdict {
                $0.session() + [named(carEvent(.begin, 0, session: UUID(), token: $0.token))].compactMap(\.self)
            }
            #expect(car == Verdict(.malformed, 3))
            let pump = try await verdict {
                [named(hvacEvent(.begin, 0, session: UUID(), token: $0.token))].compactMap(\.self)
            }
            #expect(pump == Verdict(.malformed, 0))
        }
        let status = ElectricVehicleStatusEvent(
            timestamp: noon, device: devices[0], venueID: UUID(), status: .chargerPluggedIn, stateOfCharge: 50,
            energy: .wattHours(1))
        #expect(try await verdict { _ in [.electricVehicleStatus(status)] } == Verdict(.malformed, 0))
    }

    @Test("energy that is none", arguments: [-0.001, -1e300, .nan, .infinity, -.infinity, 1e30])
    func energy(wattHours: Double) async throws {
        for unit in [UnitEnergy.EnergyKit.milliwattHours, .kilowattHours, .joules] {
            let value = Measurement(value: wattHours, unit: UnitEnergy.EnergyKit.wattHours).converted(to: unit)
            let found = try await verdict { house in
                [
                    carEvent(.begin, 0, session: house.token, token: house.token),
                    carEvent(.active, 1, session: house.token, token: house.token, energy: value),
                ]
            }
            #expect(found == Verdict(.energy, 1), "\(value)")
        }
        let status = try await verdict { [statusEvent(1, venue: $0.venue.id, wattHours: wattHours)] }
        #expect(status == Verdict(.energy, 0))
    }

    @Test("energy that is some", arguments: [0, -0.0, 0.000_1, 1e9]) func someEnergy(wattHours: Double) async throws {
        #expect(
            try await verdict { [carEvent(.end, 0, session: UUID(), token: $0.token, wattHours: wattHours)] } == nil)
    }

    @Test("power that is none", arguments: [-1, .nan, .infinity, 1e30]) func power(watts: Double) async throws {
        let found = try await verdict { [carEvent(.active, 0, session: UUID(), token: $0.token, watts: watts)] }
        #expect(found == Verdict(.power, 0))
    }

    @Test("a state of charge is 0 to 100 percent", arguments: [-1, 0, 100, 101, .max, .min + 1])
    func stateOfCharge(percent: Int) async throws {
        let isAccepted = (0...100).contains(percent)
        let expected = isAccepted ? nil : Verdict(.stateOfCharge, 0)
        #expect(
            try await verdict { [carEvent(.begin, 0, session: UUID(), token: $0.token, soc: percent)] } == expected)
        #expect(try await verdict { [statusEvent(0, venue: $0.venue.id, soc: percent)] } == expected)
        #expect(try await verdict { [statusEvent(0, venue: $0.venue.id, target: percent)] } == expected)
    }

    @Test("a charge that nothing can read is for load events only") func unknownCharge() async throws {
        #expect(try await verdict { [carEvent(.begin, 0, session: UUID(), token: $0.token, soc: .min)] } == nil)
        #expect(
            try await verdict { [statusEvent(0, venue: $0.venue.id, soc: .min)] } == Verdict(.stateOfCharge, 0))
    }

    @Test("a stage is 0 to 100", arguments: [.min, -1, 0, 1, 100, 101, .max]) func stage(stage: Int) async throws {
        let found = try await verdict { [hvacEvent(.active, 0, session: UUID(), token: $0.token, stage: stage)] }
        #expect(found == ((0...100).contains(stage) ? nil : Verdict(.stage, 0)))
    }

    @Test("an event after its session's end", arguments: ["begin", "active", "end"], [false, true])
    func afterTheEnd(state: String, isLaterCall: Bool) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        var events = house.session(id)
        let late = carEvent(.init(rawValue: state) ?? .end, 1801, session: id, token: house.token)
        if isLaterCall {
            #expect(try await Verdict(of: events, submitter, house) == nil)
            events = []
        }
        let expected = Verdict(state == "begin" ? .beforeBegin : .afterEnd, events.count)
        #expect(try await Verdict(of: events + [late], submitter, house) == expected)
    }

    @Test("an event before its session's begin", arguments: ["active", "end"], [false, true])
    func beforeTheBegin(state: String, isLaterCall: Bool) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        var events = [carEvent(.begin, 0, session: id, token: house.token)]
        let early = carEvent(.init(rawValue: state) ?? .end, -1, session: id, token: house.token)
        if isLaterCall {
            #expect(try await Verdict(of: events, submitter, house) == nil)
            events = []
        }
        #expect(try await Verdict(of: events + [early], submitter, house) == Verdict(.beforeBegin, events.count))
    }

    @Test("two directions in one session", arguments: [false, true]) func directions(isLaterCall: Bool) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        var events = [carEvent(.begin, 0, session: id, token: house.token)]
        let back = carEvent(.active, 10, session: id, token: house.token, direction: .exported)
        if isLaterCall {
            #expect(try await Verdict(of: events, submitter, house) == nil)
            events = []
        }
        #expect(try await Verdict(of: events + [back], submitter, house) == Verdict(.twoDirections, events.count))
        // Two sessions at the same time, one each way, are right.
        let other = carEvent(.begin, 10, session: UUID(), token: house.token, direction: .exported)
        #expect(try await Verdict(of: [other], submitter, house) == nil)
    }

    @Test("a session id of two devices", arguments: [false, true]) func devices(isLaterCall: Bool) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        var events = [carEvent(.begin, 0, session: id, token: house.token)]
        if isLaterCall {
            #expect(try await Verdict(of: events, submitter, house) == nil)
            events = []
        }
        for other in [
            carEvent(.active, 10, session: id, token: house.token, device: "car 2"),
            hvacEvent(.active, 10, session: id, token: house.token),
        ] {
            let expected = Verdict(.sessionOfAnotherDevice, events.count)
            #expect(try await Verdict(of: events + [other], submitter, house) == expected)
        }
    }

    @Test(
        "a time is at most 5 minutes ahead and 400 days back",
        arguments: [
            (300, nil), (300.5, .inTheFuture), (1e12, .inTheFuture), (1e300, .inTheFuture),
            (-400 * 86_400, nil), (-400 * 86_400 - 1, .tooOld), (-1e12, .tooOld), (.nan, .malformed),
            (.infinity, .malformed), (-.infinity, .malformed),
        ] as [(Double, LoadEventRule?)])
    func time(fromNow: Double, rule: LoadEventRule?) async throws {
        let found = try await verdict { house in
            // A status event quotes no guidance, so that only its time is judged.
            [statusEvent(Self.day + fromNow, venue: house.venue.id)]
        }
        #expect(found == rule.map { Verdict($0, 0) })
    }

    @Test("an empty device id") func emptyDevice() async throws {
        #expect(
            try await verdict { [carEvent(.begin, 0, session: UUID(), token: $0.token, device: "")] }
                == Verdict(.emptyDeviceID, 0))
        #expect(
            try await verdict { [hvacEvent(.begin, 0, session: UUID(), token: $0.token, device: "")] }
                == Verdict(.emptyDeviceID, 0))
        #expect(try await verdict { [statusEvent(0, venue: $0.venue.id, device: "")] } == Verdict(.emptyDeviceID, 0))
    }

    @Test("the refusal names the event, its place and the rule, in words too", arguments: [0, 2, 3])
    func naming(place: Int) async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        var events = house.session()
        let bad = hvacEvent(.begin, 0, session: UUID(), token: house.token, stage: 250)
        events.insert(bad, at: place)
        let failure = await #expect(throws: EnergyKitFailure.self) {
            _ = try await submitter.submit(events, at: house.venue.id, from: "app")
        }
        #expect(failure?.error == .invalidLoadEvent && failure?.retryAfter == nil)
        #expect(failure?.invalidEvent?.eventID == bad.id && failure?.invalidEvent?.index == place)
        let words = try #require(failure?.errorDescription)
        #expect(words.contains("event \(place)") && words.contains("stage") && words.contains("250"))
    }
}

/// The rule that a batch breaks, and the place of the event.
struct Verdict: Equatable {
    var rule: LoadEventRule
    var index: Int?

    init(_ rule: LoadEventRule, _ index: Int?) {
        (self.rule, self.index) = (rule, index)
    }

    /// Submits a batch; where it is refused nothing of it may have been stored.
    init?(
        of events: [AnyLoadEvent], _ submitter: EventSubmitter, _ house: EventHouse, at venue: UUID? = nil
    ) async throws {
        let before = try await house.stored().count
        do {
            _ = try await submitter.submit(events, at: venue ?? house.venue.id, from: "app")
            return nil
        } catch let failure as EnergyKitFailure {
            #expect(failure.error == .invalidLoadEvent)
            #expect(try await house.stored().count == before)
            let invalid = try #require(failure.invalidEvent)
            self.init(invalid.rule, invalid.index)
        }
    }
}

/// A car's status event.
func statusEvent(
    _ seconds: Double, venue: UUID, wattHours: Double = 0, soc: Int = 50, target: Int? = nil, device: String = "car"
) -> AnyLoadEvent {
    .electricVehicleStatus(
        ElectricVehicleStatusEvent(
            timestamp: noon.addingTimeInterval(seconds),
            device: ElectricalLoadDevice(id: device, name: "Car", type: .electricVehicle), venueID: venue,
            status: .chargerPluggedIn, stateOfCharge: soc, energy: .wattHours(wattHours),
            chargingTarget: target.map {
                .init(stateOfCharge: $0, estimatedCompletionTime: noon, scheduledStartTime: noon)
            }))
}
