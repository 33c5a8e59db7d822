import EnergyKit
import Foundation
import HubKit
import Testing

@testable import WebAPI

/// How bodies of load events are looked over before they are decoded.
@Suite struct BodyShapeTests {
    @Test(
        arguments: [
            ("\"sesion\":{}", "[1]: unknown key 'sesion'; did you mean 'session'?"),
            ("\"session\":{\"guidanceState\":{\"guidanceTokn\":1}}", "[1].session.guidanceState: unknown key"),
            (
                "\"measurement\":{\"powerWats\":1}",
                "[1].measurement: unknown key 'powerWats'; did you mean 'powerWatts'?"
            ),
            ("\"measurement\":{\"stage\":1,\"powerWatts\":1}", "known here: stage"),
            ("\"device\":{\"nam\":\"x\"}", "did you mean 'name'?"),
            ("\"status\":{\"stat\":\"x\"}", "did you mean 'state'?"),
        ]) func everyPlaceOfALoadEventIsLookedAt(member: String, words: String) throws
    {
        let tree = try JSONTree(Array("[{},{\(member)}]".utf8))
        let fault = try #require(throws: JSONShape.Fault.self) { try JSONShape.events.check(tree) }
        #expect(fault.index == 1 && fault.description.contains(words), "\(fault)")
    }

    @Test func whatEnergyKitWritesFits() throws {
        let device = ElectricalLoadDevice(id: "car", name: "Car", type: .hvac)
        let metrics = ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics(
            estimatedRange: Measurement(value: 3, unit: .meters),
            batteryTemperature: Measurement(value: 3, unit: .celsius))
        let car = ElectricVehicleLoadEvent(
            timestamp: Date(timeIntervalSince1970: 0),
            measurement: .init(
                stateOfCharge: 3, direction: .imported, power: .init(value: 1, unit: .watts),
                energy: .init(value: 1, unit: .kilowattHours), performanceMetrics: metrics),
            session: .init(
                id: UUID(), state: .begin, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: UUID())),
            device: device)
        let pump = ElectricHVACLoadEvent(
            timestamp: Date(timeIntervalSince1970: 0), measurement: .init(stage: 3),
            session: .init(
                id: UUID(), state: .begin, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: UUID())),
            deviceID: "pump")
        let data = try EnergyKitJSON.encoder().encode([AnyLoadEvent.electricVehicle(car), .hvac(pump)])
        try JSONShape.events.check(try JSONTree(Array(data)))
    }
}
