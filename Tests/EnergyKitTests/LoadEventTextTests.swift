import Foundation
import Testing

@testable import EnergyKit

/// The quick text of load events against the coders that it stands in for.
@Suite struct LoadEventTextTests {
    private static let names = [
        "car", "", "Ä/ö\"quoted\"\\", "line\nbreak\ttab\u{1}\u{1F}\u{7F}", "🚗\u{2028}", "a\u{0}b", "\r\u{8}\u{C}",
    ]
    private static let numbers: [Double] = [
        0, -0.0, 1, 120, 0.1, 1.0 / 3, 7199.999, 1e-7, 123_456_789.125, 2_147_483_648, 1e15, 9e15, 1e16, 1e21, 1e300,
    ]
    private static let moments: [Double] = [0, 1_772_452_800, 1_772_452_800.125, 1_772_452_800.123456, -62_000_000_000]

    private static func random(_ seed: Int) -> AnyLoadEvent {
        func pick<Value>(_ values: [Value], _ salt: Int) -> Value {
            values[(seed &* 7919 &+ salt &* 104_729 &+ seed / 3) % values.count]
        }
        let moment = Date(timeIntervalSince1970: pick(moments, 1))
        let name = pick(names, 2)
        let device: ElectricalLoadDevice? =
            seed % 3 == 0
            ? nil : ElectricalLoadDevice(id: name, name: pick(names, 3), type: seed % 2 == 0 ? .hvac : .electricVehicle)
        let follows = seed % 4 < 2
        guard seed % 5 != 0 else {
            return .hvac(
                ElectricHVACLoadEvent(
                    id: UUID(), timestamp: moment, measurement: .init(stage: seed % 101),
                    session: .init(
                        id: UUID(), state: pick([.begin, .active, .end], 4),
                        guidanceState: .init(wasFollowingGuidance: follows, guidanceToken: UUID())),
                    deviceID: name, device: device))
        }
        let metrics = ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics(
            estimatedRange: Measurement(value: 320, unit: .kilometers))
        return .electricVehicle(
            ElectricVehicleLoadEvent(
                id: UUID(), timestamp: moment,
                measurement: .init(
                    stateOfCharge: pick([0, 50, 100, .min], 5), direction: pick([.imported, .exported], 6),
                    power: .watts(pick(numbers, 7)), energy: .wattHours(pick(numbers, 8)),
                    performanceMetrics: seed % 11 == 0 ? metrics : nil, isEnergyEstimated: seed % 7 == 0),
                session: .init(
                    id: UUID(), state: pick([.begin, .active, .end], 9),
                    guidanceState: .init(wasFollowingGuidance: follows, guidanceToken: UUID())),
                deviceID: name, device: device))
    }

    @Test func theQuickTextIsTheEncodersTextAndReadsBack() throws {
        for seed in 0..<3_000 {
            let event = Self.random(seed)
            let slow = String(decoding: try EnergyKitJSON.encoder().encode(event), as: UTF8.self)
            let quick = try EnergyKitJSON.text(of: event)
            #expect(quick == slow)
            #expect(try EnergyKitJSON.loadEvent(from: quick) == event)
            #expect(try EnergyKitJSON.decoder().decode(AnyLoadEvent.self, from: Data(quick.utf8)) == event)
        }
    }

    @Test(
        "a text in another form is read by the decoder",
        arguments: [
            LoadEventJSONTests.status,
            LoadEventJSONTests.vehicle.replacingOccurrences(of: "\"id\":", with: " \"id\" : "),
            LoadEventJSONTests.hvac.replacingOccurrences(of: "\"pump\"", with: "\"p\\u0075mp\""),
        ]) func otherForms(text: String) throws
    {
        let event = try EnergyKitJSON.loadEvent(from: text)
        #expect(event == (try EnergyKitJSON.decoder().decode(AnyLoadEvent.self, from: Data(text.utf8))))
    }

    @Test("what is cut short or damaged is refused as the decoder refuses it") func damaged() throws {
        let text = LoadEventJSONTests.vehicle
        for length in stride(from: 0, to: text.count, by: 3) {
            #expect(throws: DecodingError.self) { try EnergyKitJSON.loadEvent(from: String(text.prefix(length))) }
        }
        for (found, put) in [
            ("\"active\"", "\"over\""), ("7200", "x"), ("imported", "sideways"), ("AAAAAAAA", "AAAAAAAG"),
        ] {
            #expect(throws: DecodingError.self) {
                try EnergyKitJSON.loadEvent(from: text.replacingOccurrences(of: found, with: put))
            }
        }
    }

    @Test("numbers and dates that JSON has no form for are refused") func unwritable() {
        func event(_ watts: Double, at seconds: Double) -> AnyLoadEvent {
            .electricVehicle(
                ElectricVehicleLoadEvent(
                    id: UUID(), timestamp: Date(timeIntervalSince1970: seconds),
                    measurement: .init(
                        stateOfCharge: 1, direction: .imported, power: .watts(watts), energy: .wattHours(0)),
                    session: .init(
                        id: UUID(), state: .begin,
                        guidanceState: .init(wasFollowingGuidance: true, guidanceToken: UUID())), deviceID: "car"))
        }
        for (watts, seconds) in [(Double.nan, 0.0), (.infinity, 0), (0, 1e15), (0, .nan)] {
            #expect(throws: EncodingError.self) { try EnergyKitJSON.text(of: event(watts, at: seconds)) }
        }
    }
}
