import EnergyKit
import Foundation
import Testing

@Suite struct AnyLoadEventTests {
    private func batch(_ events: String...) throws -> [AnyLoadEvent] {
        try AnyLoadEvent.batch(from: Data("[\(events.joined(separator: ","))]".utf8))
    }

    @Test func kindsAreToldApartAndWrittenAsTheyWere() throws {
        let events = try batch(LoadEventJSONTests.vehicle, LoadEventJSONTests.hvac, LoadEventJSONTests.status)
        #expect(events.map(\.deviceID) == ["car", "pump", "car"])
        guard case .electricVehicle = events[0], case .hvac = events[1], case .electricVehicleStatus = events[2] else {
            Issue.record("wrong kinds: \(events)")
            return
        }
        let expected = [LoadEventJSONTests.vehicle, LoadEventJSONTests.hvac, LoadEventJSONTests.status]
        #expect(try events.map { try json($0) } == expected)
        #expect(events.map { AnyLoadEvent($0.event) } == events)
        #expect(Set(events.map(\.sessionID)).count == 1)
        #expect(events[0].guidanceToken == events[1].guidanceToken && events[2].guidanceToken == nil)
        #expect(events[1].device == nil && events[1].timestamp > events[0].timestamp)
    }

    private let vehicleID = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"

    @Test func emptyBatchIsABatch() throws {
        #expect(try batch().isEmpty)
    }

    private static let vehicleMeasurement =
        #""measurement":{"direction":"imported","energyWattHours":1500.25,"powerWatts":7200,"stateOfCharge":55}"#

    @Test(arguments: [#","stateOfCharge":null"#, ""])
    func chargeThatNothingReadsIsUnknownAndLeftOut(_ wording: String) throws {
        let text = LoadEventJSONTests.vehicle.replacing(#","stateOfCharge":55"#, with: wording)
        let event = try #require(try batch(text).first)
        guard case .electricVehicle(let vehicle) = event else { throw EnergyKitFailure(.invalidLoadEvent) }
        #expect(
            vehicle.measurement.stateOfCharge == ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge)
        let written = String(decoding: try EnergyKitJSON.encoder().encode(event), as: UTF8.self)
        #expect(!written.contains("stateOfCharge"))
        #expect(try batch(written) == [event])
    }

    @Test(arguments: [
        (#""stateOfCharge":55"#, #""stateOfCharge":55.5"#, "measurement.stateOfCharge"),
        (#""stateOfCharge":55"#, #""stateOfCharge":1e30"#, "measurement.stateOfCharge"),
        (#""powerWatts":7200,"#, "", "measurement: 'powerWatts' is missing"),
        (#""stateOfCharge":55"#, #""stateOfCharge":55,"stage":1"#, "both stateOfCharge and stage"),
        (vehicleMeasurement, #""measurement":{"charge":55}"#, "neither stateOfCharge nor stage"),
        (#""state":"active""#, #""state":"paused""#, "session.state"),
        (#""timestamp":"2026-03-29T00:15:00Z""#, #""timestamp":"2026-02-29T00:15:00Z""#, "timestamp"),
        (#""timestamp":"2026-03-29T00:15:00Z""#, #""timestamp":1774742400"#, "timestamp"),
        (#""id":"AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE""#, #""id":"A""#, "id"),
        (#""wasFollowingGuidance":true"#, #""wasFollowingGuidance":null"#, "wasFollowingGuidance"),
    ])
    func wrongEventIsNamedByPlaceAndMember(_ right: String, _ wrong: String, _ words: String) throws {
        let broken = LoadEventJSONTests.vehicle.replacing(right, with: wrong)
        try #require(broken != LoadEventJSONTests.vehicle)
        let failure = #expect(throws: EnergyKitFailure.self) { try batch(LoadEventJSONTests.hvac, broken) }
        #expect(failure?.error == .invalidLoadEvent && failure?.invalidEvent?.index == 1)
        #expect(failure?.invalidEvent?.rule == .malformed)
        #expect(failure?.invalidEvent?.eventID == (words == "id" ? nil : UUID(uuidString: vehicleID)))
        #expect(failure?.detail.contains("event 1") == true && failure?.detail.contains(words) == true)
    }

    @Test(arguments: ["", "{}", "null", "[1]", "[{}]", "[[]]", "[", "{\"events\":[]}", "\u{FF}"])
    func textThatIsNoBatchIsRefused(_ text: String) {
        let failure = #expect(throws: EnergyKitFailure.self) { try AnyLoadEvent.batch(from: Data(text.utf8)) }
        #expect(failure?.error == .invalidLoadEvent && failure?.detail.isEmpty == false)
    }

    @Test func plainDecodingNamesPlaceAndRuleToo() {
        let text = "[\(LoadEventJSONTests.hvac),{\"measurement\":{}}]"
        let error = #expect(throws: DecodingError.self) { try read([AnyLoadEvent].self, text) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains("event 1") && context.debugDescription.contains("malformed"))
    }

    @Test func zerosAfterTheMillisecondMakeNoOtherEvent() throws {
        let longer = LoadEventJSONTests.hvac.replacing("15:00.125Z", with: "15:00.125000+00:00")
        #expect(try batch(longer) == batch(LoadEventJSONTests.hvac))
        let later = LoadEventJSONTests.hvac.replacing("15:00.125Z", with: "15:00.126Z")
        #expect(try batch(later) != batch(LoadEventJSONTests.hvac))
    }

    @Test func eventsAreEqualWhateverTheirUnits() throws {
        func event(_ power: Measurement<UnitPower>, id: UUID, soc: Int = 5) -> AnyLoadEvent {
            .electricVehicle(
                ElectricVehicleLoadEvent(
                    id: id, timestamp: SurfaceTests.start,
                    measurement: .init(stateOfCharge: soc, direction: .imported, power: power, energy: .wattHours(1)),
                    session: .init(
                        id: id, state: .active, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: id)),
                    deviceID: "car"))
        }
        let id = UUID()
        let kilowatts = event(Measurement(value: 7.2, unit: .kilowatts), id: id)
        #expect(kilowatts == event(Measurement(value: 7_200_000, unit: .milliwatts), id: id))
        #expect(kilowatts != event(Measurement(value: 7.3, unit: .kilowatts), id: id))
        #expect(kilowatts != event(Measurement(value: 7.2, unit: .kilowatts), id: id, soc: 6))
        #expect(kilowatts != event(Measurement(value: 7.2, unit: .kilowatts), id: UUID()))
        #expect(try read(AnyLoadEvent.self, try json(kilowatts)) == kilowatts)
    }
}
