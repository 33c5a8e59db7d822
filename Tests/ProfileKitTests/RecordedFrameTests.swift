import HubKit
import ProfileKit
import TestSupport
import Testing

/// Words that real devices sent, as people published them, read by the shipped profiles to the values they are known for.
@Suite struct RecordedFrameTests {
    struct Frame: Sendable, CustomTestStringConvertible {
        let profile: String
        let point: String
        let words: [UInt16]
        let value: Double
        let tolerance: Double
        let source: String
        var exponent: Double?
        var testDescription: String { "\(profile) \(point), \(source)" }
    }

    static let frames = [
        Frame(
            profile: "eastron-sdm630", point: "power_l1", words: [0x4514, 0x05E7], value: 2368.369, tolerance: 0.0005,
            source: "SmartEVSE-3.5 issue 11"),
        Frame(
            profile: "eastron-sdm630", point: "power_l1", words: [0x4577, 0xEF69], value: 3966.963, tolerance: 0.0005,
            source: "SmartEVSE-3.5 issue 11"),
        Frame(
            profile: "eastron-sdm630", point: "current_l1", words: [0x418B, 0x1A86], value: 17.388, tolerance: 0.0005,
            source: "SmartEVSE-3.5 issue 11"),
        Frame(
            profile: "huawei-sun2000-solar", point: "energy_total", words: [0x0000, 0xC7C8], value: 511_440,
            tolerance: 0.001, source: "Tasmota issue 17659"),
        Frame(
            profile: "alfen-eve", point: "set_current", words: [0x40C0, 0x0000], value: 6, tolerance: 0,
            source: "evcc issue 32955"),
        Frame(
            profile: "solaredge-battery", point: "power", words: [0x8000, 0xC3CA], value: 405, tolerance: 0,
            source: "evcc issue 15445"),
        Frame(
            profile: "solaredge-battery", point: "charge", words: [0x3333, 0x42B8], value: 92.1, tolerance: 0.00001,
            source: "evcc issue 15445"),
        Frame(
            profile: "solaredge-inverter", point: "power", words: [0x3646], value: 1389.4, tolerance: 1e-9,
            source: "evcc issue 15445", exponent: -1),
    ]

    @Test(arguments: frames) func readsToItsKnownValue(frame: Frame) throws {
        let point = try #require(ProfileLibrary.shipped[frame.profile]?.point(frame.point))
        let value = RegisterCoding.value(of: frame.words, as: point, exponent: frame.exponent)?.number
        #expect(abs(try #require(value) - frame.value) <= frame.tolerance)
    }

    @Test func aCurrentOfZeroIsWrittenAsItWasRecorded() throws {
        // Function 16 to 1210, two words of 0 (evcc issue 32955).
        let actions = try #require(ProfileLibrary.shipped["alfen-eve"]?.commands[.current])
        let writes = actions.compactMap { if case .write(let write) = $0 { write } else { nil } }
        #expect(writes.map { RegisterCoding.words(for: 0, as: $0) } == [[0, 0]])
        #expect(writes.map(\.place) == [RegisterPlace(.holding, 0x04BA)])
    }
}
