import EnergyKit
import Foundation
import Testing

/// Whatever text arrives, reading it gives a value or a `DecodingError`, and what was read can be written and read again.
///
/// Each type is tried in a process of its own, so that a trap is a failed test with a name and not the end of the run.
@Suite struct CodableFuzzTests {
    @Test(arguments: FuzzedType.all.map(\.name))
    func anyTextIsReadOrRefused(_ name: String) async {
        await #expect(processExitsWith: .success) { [name = name as String] in
            let type = try #require(FuzzedType.all.first { $0.name == name })
            var texts = MutatedJSON(type.example, seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
            try type.check(Data(type.example.utf8), true)
            for _ in 0..<1_500 { try type.check(texts.next(), false) }
        }
    }

    @Test func everyMutationGivesAnotherText() {
        var texts = MutatedJSON(#"{"a":[1,2],"b":"c"}"#, seed: 1)
        #expect(Set((0..<200).map { _ in texts.next() }).count > 150)
    }
}

/// A type with an example of its JSON.
struct FuzzedType: Sendable {
    let name: String
    let example: String
    let check: @Sendable (Data, _ mustRead: Bool) throws -> Void

    struct Unfaithful: Error {
        let text: String
    }

    init<Value: Codable & SendableMetatype>(_ type: Value.Type, _ example: String) {
        name = String(reflecting: type)
        self.example = example
        check = { data, mustRead in
            let value: Value
            do {
                value = try EnergyKitJSON.decoder().decode(Value.self, from: data)
            } catch is DecodingError where !mustRead {
                return
            }
            let written = try EnergyKitJSON.encoder().encode(value)
            let again = try EnergyKitJSON.decoder().decode(Value.self, from: written)
            guard try EnergyKitJSON.encoder().encode(again) == written else {
                throw Unfaithful(text: String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// A batch is read by a function of its own, with an error of its own.
    private init(batch example: String) {
        name = "batch"
        self.example = example
        check = { data, mustRead in
            do throws(EnergyKitFailure) {
                _ = try AnyLoadEvent.batch(from: data)
            } catch {
                guard !mustRead, error.invalidEvent?.rule == .malformed else { throw error }
            }
        }
    }

    static let all: [FuzzedType] = [
        FuzzedType(
            EnergyVenue.self, #"{"id":"\#(id)","name":"Home","homeID":"\#(id)","timeZone":"UTC","currency":"EUR"}"#),
        FuzzedType(ElectricityGuidance.self, guidance), FuzzedType(ElectricityGuidance.Value.self, value),
        FuzzedType(ElectricityGuidance.Query.self, #"{"action":"shift"}"#),
        FuzzedType([ElectricityGuidance.Options].self, #"["locationHasRatePlan"]"#),
        FuzzedType([ElectricityGuidance.SuggestedAction].self, #"["reduce"]"#),
        FuzzedType([ElectricityFlowDirection].self, #"["imported"]"#),
        FuzzedType(ElectricVehicleLoadEvent.self, vehicle),
        FuzzedType(ElectricVehicleLoadEvent.ElectricalMeasurement.self, measurement),
        FuzzedType(ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics.self, metrics),
        FuzzedType(ElectricVehicleLoadEvent.Session.self, session),
        FuzzedType(ElectricVehicleLoadEvent.Session.GuidanceState.self, guidanceState),
        FuzzedType(ElectricHVACLoadEvent.self, hvac),
        FuzzedType(ElectricHVACLoadEvent.ElectricalMeasurement.self, #"{"stage":40}"#),
        FuzzedType(ElectricHVACLoadEvent.Session.self, session),
        FuzzedType(ElectricHVACLoadEvent.Session.GuidanceState.self, guidanceState),
        FuzzedType(ElectricalLoadDevice.self, device), FuzzedType(ElectricVehicleStatusEvent.self, status),
        FuzzedType(ElectricVehicleStatusEvent.Status.self, #"{"state":"chargingIdle","reason":"batteryFull"}"#),
        FuzzedType(ElectricVehicleStatusEvent.ChargingTarget.self, target),
        FuzzedType([ElectricVehicleChargingReason.ActiveReason].self, #"["userInitiated","unknown"]"#),
        FuzzedType([ElectricVehicleChargingReason.IdleReason].self, #"["chargerFault"]"#),
        FuzzedType(
            ElectricityInsightQuery.self,
            #"{"options":["tariff"],"range":\#(interval),"granularity":"daily","flowDirection":"exported"}"#),
        FuzzedType(ElectricityInsightQuery.Options.self, #"["cleanliness","tariff"]"#),
        FuzzedType([ElectricityInsightQuery.Granularity].self, #"["hourly","yearly"]"#),
        FuzzedType(AnyLoadEvent.self, vehicle), FuzzedType([AnyLoadEvent].self, "[\(vehicle),\(hvac),\(status)]"),
        FuzzedType([LoadEventRule].self, #"["energy","tooOld"]"#),
        FuzzedType(LoadEventReceipt.self, #"{"accepted":3,"duplicates":0}"#),
        FuzzedType(batch: "[\(vehicle),\(hvac),\(status)]"),
    ]

    private static let id = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    private static let interval = #"{"start":"2026-03-29T00:00:00Z","end":"2026-03-29T01:00:00+01:00"}"#
    private static let value =
        #"{"start":"2026-03-29T00:00:00Z","end":"2026-03-29T01:00:00Z","rating":0.25,"pricePerKWh":-0.1,"gramsCO2PerKWh":90}"#
    private static let guidance =
        #"{"guidanceToken":"\#(id)","energyVenueID":"\#(id)","action":"shift","issuedAt":"2026-03-29T00:00:00.123Z","interval":\#(interval),"options":["locationHasRatePlan"],"values":[\#(value),\#(value)]}"#
    private static let guidanceState = #"{"wasFollowingGuidance":true,"guidanceToken":"\#(id)"}"#
    private static let session = #"{"id":"\#(id)","state":"active","guidanceState":\#(guidanceState)}"#
    private static let metrics = #"{"estimatedRangeMeters":320000.5,"batteryTemperatureCelsius":-12}"#
    private static let measurement =
        #"{"stateOfCharge":55,"direction":"imported","powerWatts":7200,"energyWattHours":1.5e3,"performanceMetrics":\#(metrics)}"#
    private static let device = #"{"id":"car","name":"Car\u00e9","type":"electricVehicle"}"#
    private static let vehicle =
        #"{"id":"\#(id)","timestamp":"2026-03-29T00:15:00Z","deviceID":"car","device":\#(device),"session":\#(session),"measurement":\#(measurement)}"#
    private static let hvac =
        #"{"id":"\#(id)","timestamp":"2026-03-29T00:15:00Z","deviceID":"pump","session":\#(session),"measurement":{"stage":40}}"#
    private static let target =
        #"{"stateOfCharge":80,"estimatedCompletionTime":"2026-03-29T07:00:00Z","scheduledStartTime":"2026-03-29T02:00:00Z","estimatedRangeAtTargetMeters":1e5}"#
    private static let status =
        #"{"id":"\#(id)","timestamp":"2026-03-29T00:15:00Z","deviceID":"car","device":\#(device),"venueID":"\#(id)","status":{"state":"chargingActive","reason":"userInitiated"},"stateOfCharge":40,"energyWattHours":24000,"estimatedRangeMeters":1000,"chargingTarget":\#(target),"sessionIdentifier":"\#(id)"}"#
}

/// Broken variants of a text of JSON, the same in every run.
struct MutatedJSON {
    private let original: [UInt8]
    private var state: UInt64

    /// What no honest program writes where a value stands.
    private static let oddities = [
        "null", "0", "-1", "1e999", "-1e999", "1e308", "9223372036854775807", "-9223372036854775808", "1e19", "0.1",
        "true", "\"\"", "\"NaN\"", "[]", "{}", "[null]", "\"\\u0000\"", "\"\\ud83d\"",
        "\"9999-12-31T23:59:59.999999999Z\"",
        "\"0000-01-01T00:00:00+23:59\"", "\"2026-02-30T00:00:00Z\"", "\"10000-01-01T00:00:00Z\"", "\"begin\"", "NaN",
        "Infinity", "\"Europe/Nowhere\"", "\"00000000-0000-0000-0000-000000000000\"",
    ].map { Array($0.utf8) }

    init(_ text: String, seed: UInt64) {
        original = Array(text.utf8)
        state = seed
    }

    mutating func next() -> Data {
        var bytes = original
        for _ in 0...random(3) {
            switch random(6) {
            case 0: replaceValue(&bytes)
            case 1: if !bytes.isEmpty { bytes[random(bytes.count)] = UInt8(random(256)) }
            case 2: bytes.removeSubrange(span(bytes))
            case 3: bytes.insert(contentsOf: bytes[span(bytes)], at: random(bytes.count + 1))
            case 4: bytes.insert(contentsOf: Self.oddities[random(Self.oddities.count)], at: random(bytes.count + 1))
            default: replaceValue(&bytes)
            }
        }
        return Data(bytes)
    }

    /// Puts something else where a number or a text stands.
    private mutating func replaceValue(_ bytes: inout [UInt8]) {
        let starts = bytes.indices.filter { ":[,".utf8.contains(bytes[$0]) }
        guard !starts.isEmpty else { return }
        let start = starts[random(starts.count)] + 1
        let end = bytes[start...].firstIndex { ",]}".utf8.contains($0) } ?? bytes.endIndex
        bytes.replaceSubrange(start..<end, with: Self.oddities[random(Self.oddities.count)])
    }

    private mutating func span(_ bytes: [UInt8]) -> Range<Int> {
        guard !bytes.isEmpty else { return 0..<0 }
        let start = random(bytes.count)
        return start..<min(bytes.count, start + 1 + random(12))
    }

    /// SplitMix64.
    private mutating func random(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(count))
    }
}
