import EnergyKit
import Foundation
import Testing

@Suite struct LoadEventJSONTests {
    static let session = """
        "session":{"guidanceState":{"guidanceToken":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
        "wasFollowingGuidance":true},"id":"11111111-2222-4333-8444-555555555555","state":"active"}
        """
    static let vehicle = packed(
        """
        {"device":{"id":"car","name":"Car","type":"electricVehicle"},"deviceID":"car",
        "id":"AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE",
        "measurement":{"direction":"imported","energyWattHours":1500.25,"powerWatts":7200,"stateOfCharge":55},
        \(session),"timestamp":"2026-03-29T00:15:00Z"}
        """)
    static let hvac = packed(
        """
        {"deviceID":"pump","id":"BBBBBBBB-BBBB-4CCC-8DDD-EEEEEEEEEEEE","measurement":{"stage":40},
        \(session),"timestamp":"2026-03-29T00:15:00.125Z"}
        """)
    static let status = packed(
        """
        {"chargingTarget":{"estimatedCompletionTime":"2026-03-29T06:00:00Z","estimatedRangeAtTargetMeters":400000,
        "scheduledStartTime":"2026-03-29T02:00:00Z","stateOfCharge":80},
        "device":{"id":"car","name":"Car","type":"electricVehicle"},"deviceID":"car","energyWattHours":30000,
        "estimatedRangeMeters":250000,"id":"CCCCCCCC-BBBB-4CCC-8DDD-EEEEEEEEEEEE",
        "sessionIdentifier":"11111111-2222-4333-8444-555555555555","stateOfCharge":50,
        "status":{"reason":"waitingForCleanerEnergy","state":"chargingIdle"},"timestamp":"2026-03-29T00:15:00Z",
        "venueID":"3F2504E0-4F89-41D3-9A0C-0305E82C3301"}
        """)

    @Test func vehicleEventKeepsItsShapeAndIdentifier() throws {
        let event = try read(ElectricVehicleLoadEvent.self, Self.vehicle)
        #expect(event.id == UUID(uuidString: "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"))
        #expect(event.measurement.power == Measurement(value: 7.2, unit: UnitPower.kilowatts))
        #expect(event.measurement.energy.wattHours == 1_500.25 && event.measurement.direction == .imported)
        #expect(event.session.state == .active && event.session.guidanceState.wasFollowingGuidance)
        #expect(event.device?.type == .electricVehicle && event.deviceName == "Car")
        #expect(try json(event) == Self.vehicle)
    }

    @Test func unitsAreConvertedOnTheWayOut() throws {
        let measurement = ElectricVehicleLoadEvent.ElectricalMeasurement(
            stateOfCharge: 0, direction: .exported, power: Measurement(value: 7.2, unit: .kilowatts),
            energy: Measurement(value: 12_345, unit: .EnergyKit.milliwattHours),
            performanceMetrics: .init(
                estimatedRange: Measurement(value: 320, unit: .kilometers),
                batteryTemperature: Measurement(value: 21.5, unit: .celsius)))
        let text = packed(
            """
            {"direction":"exported","energyWattHours":12.345,"performanceMetrics":{"batteryTemperatureCelsius":21.5,
            "estimatedRangeMeters":320000},"powerWatts":7200,"stateOfCharge":0}
            """)
        #expect(try json(measurement) == text)
        let back = try read(ElectricVehicleLoadEvent.ElectricalMeasurement.self, text)
        #expect(back.performanceMetrics?.estimatedRange == Measurement(value: 320, unit: UnitLength.kilometers))
        #expect(try json(back) == text)
    }

    @Test func hvacEventKeepsItsShape() throws {
        let event = try read(ElectricHVACLoadEvent.self, Self.hvac)
        #expect(event.measurement.stage == 40 && event.device == nil && event.deviceName == "pump")
        #expect(try json(event) == Self.hvac)
    }

    @Test func statusEventKeepsItsShape() throws {
        let event = try read(ElectricVehicleStatusEvent.self, Self.status)
        #expect(event.status == .chargingIdle(.waitingForCleanerEnergy) && event.chargingTarget?.stateOfCharge == 80)
        #expect(event.energy.wattHours == 30_000 && event.deviceName == "Car")
        #expect(try json(event) == Self.status)
    }

    @Test(arguments: [
        (ElectricVehicleStatusEvent.Status.chargerPluggedIn, #"{"state":"chargerPluggedIn"}"#),
        (.chargerUnplugged, #"{"state":"chargerUnplugged"}"#),
        (.chargingActive(.userInitiated), #"{"reason":"userInitiated","state":"chargingActive"}"#),
        (.chargingIdle(.unknown), #"{"reason":"unknown","state":"chargingIdle"}"#),
    ])
    func statusKeepsItsShape(_ status: ElectricVehicleStatusEvent.Status, _ text: String) throws {
        #expect(try json(status) == text)
        #expect(try read(ElectricVehicleStatusEvent.Status.self, text) == status)
    }

    @Test func reasonOfTheOtherKindIsRefused() {
        let text = #"{"reason":"userInitiated","state":"chargingIdle"}"#
        #expect(throws: DecodingError.self) { try read(ElectricVehicleStatusEvent.Status.self, text) }
    }

    @Test func deviceAloneNamesTheDevice() throws {
        let text = Self.vehicle.replacing(#""deviceID":"car","#, with: "")
        #expect(try read(ElectricVehicleLoadEvent.self, text).deviceID == "car")
    }

    @Test func twoNamesForOneDeviceAreRefused() {
        let text = Self.vehicle.replacing(#""deviceID":"car""#, with: #""deviceID":"van""#)
        #expect(throws: DecodingError.self) { try read(ElectricVehicleLoadEvent.self, text) }
    }

    @Test(arguments: [
        ("Garage", "Garage"), ("", "car"), ("\u{0}\u{7}", "car"), ("  Car \n", "Car"), ("a\u{0}b", "ab"),
        ("Wärmepumpe 2 (Süd) €", "Wärmepumpe 2 (Süd) €"), ("👩‍🚒🚗", "👩‍🚒🚗"),
    ])
    func shownNamesKeepTheRules(_ name: String, _ shown: String) {
        let event = ElectricVehicleStatusEvent(
            timestamp: SurfaceTests.start, device: .init(id: "car", name: name, type: .electricVehicle),
            venueID: UUID(), status: .chargerPluggedIn, stateOfCharge: 1, energy: .wattHours(0))
        #expect(event.deviceName == shown && event.device?.name == name)
    }

    @Test func shownNamesAreCutAtWholeCharacters() {
        let device = ElectricalLoadDevice(id: "", name: String(repeating: "🚗", count: 200), type: .hvac)
        let session = ElectricHVACLoadEvent.Session(
            id: UUID(), state: .begin, guidanceState: .init(wasFollowingGuidance: false, guidanceToken: UUID()))
        let event = ElectricHVACLoadEvent(
            timestamp: SurfaceTests.start, measurement: .init(stage: 0), session: session, device: device)
        #expect(event.deviceName == String(repeating: "🚗", count: 125))
        let nameless = ElectricHVACLoadEvent(
            timestamp: SurfaceTests.start, measurement: .init(stage: 0), session: session, deviceID: "")
        #expect(nameless.deviceName == "HVAC")
    }
}
