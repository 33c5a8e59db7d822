import Foundation
import HubKit
import Testing

@testable import ProfileKit

/// What stands in a message becomes a value, or none: unknown is never a number.
@Suite struct FieldValueTests {
    private static func point(_ change: (inout FieldPoint) -> Void = { _ in }) -> FieldPoint {
        var point = FieldPoint(
            template: ProfilePoint(name: "p", place: RegisterPlace(.holding, 0), type: .f64), source: "m")
        change(&point)
        return point
    }

    @Test(
        arguments: [
            (.number(-740.5), .value(.number(-740.5))), (.text("21.5"), .value(.number(21.5))),
            (.text("-1e3"), .value(.number(-1000))), (.null, .unavailable), (nil, .missing),
            (.text("nan"), .doubt("reads 'nan', which is no number")),
            (.text("inf"), .doubt("reads 'inf', which is no number")),
            (.text("0x10"), .doubt("reads '0x10', which is no number")),
            (.text(""), .doubt("reads '', which is no number")),
            (.text("12 W"), .doubt("reads '12 W', which is no number")),
            (.truth(true), .doubt("reads true, which is no number")),
            (.list([]), .doubt("is a list, not a single value")),
            (.object([:]), .doubt("is an object, not a single value")),
        ] as [(JSONDocument?, FieldCoding.Outcome)])
    func aNumberIsOneOnlyWhereItIsWrittenAsOne(raw: JSONDocument?, outcome: FieldCoding.Outcome) {
        #expect(FieldCoding.outcome(of: raw, as: Self.point()) == outcome)
    }

    @Test func scaleOffsetAndRangeHoldAsForRegisters() {
        let scaled = Self.point { ($0.template.scale, $0.template.offset) = (0.1, -40) }
        #expect(FieldCoding.outcome(of: .number(2305), as: scaled) == .value(.number(190.5)))
        let percent = Self.point { $0.template.valid = 0...100 }
        #expect(FieldCoding.outcome(of: .number(255), as: percent) == .unavailable)
        #expect(FieldCoding.outcome(of: .number(1e308), as: Self.point { $0.template.scale = 1000 }) != .unavailable)
    }

    @Test func codesHaveTheMeaningThatTheProfileGives() {
        let state = Self.point { $0.codes = ["true": .number(1), "off": .number(0), "3": .text("auto")] }
        #expect(FieldCoding.outcome(of: .truth(true), as: state) == .value(.number(1)))
        #expect(FieldCoding.outcome(of: .text("off"), as: state) == .value(.number(0)))
        #expect(FieldCoding.outcome(of: .number(3), as: state) == .value(.text("auto")))
        #expect(FieldCoding.outcome(of: .null, as: state) == .unavailable)
        #expect(FieldCoding.outcome(of: .number(4), as: state) == .doubt("reads '4', which the profile does not know"))
    }

    @Test func whatTheDeviceDoesNotKnowIsZeroOnlyByTheProfilesWord() {
        let dash = Self.point { $0.unavailable = ["-", "65535"] }
        #expect(FieldCoding.outcome(of: .text("-"), as: dash) == .unavailable)
        #expect(FieldCoding.outcome(of: .number(65535), as: dash) == .unavailable)
        let night = Self.point { $0.template.whenUnavailable = 0 }
        #expect(FieldCoding.outcome(of: .null, as: night) == .value(.number(0)))
    }

    @Test(
        arguments: [
            (16.0, 1.0, 3, "16"), (16.5, 1, 0, "17"), (13, 0.001, 0, "13000"), (20.25, 1, 1, "20.3"),
            (-0.001, 1, 1, "0"),
            (0, 1, 3, "0"),
        ])
    func numbersAreSentAsDevicesWriteThem(number: Double, scale: Double, decimals: Int, text: String) throws {
        var sending = ProfileSending(.topic("t", isRetained: false), payload: "{value}", value: .argument)
        (sending.scale, sending.decimals) = (scale, decimals)
        #expect(try FieldCoding.text(of: number, for: sending, "box") == text)
    }

    @Test func whatADeviceDoesNotTakeIsRefused() {
        var sending = ProfileSending(.topic("t", isRetained: false), payload: "{value}", value: .argument)
        sending.allowed = 6...32
        #expect(throws: HubError.self) { try FieldCoding.text(of: 5, for: sending, "box") }
        #expect(throws: HubError.self) { try FieldCoding.text(of: nil, for: sending, "box") }
        #expect(throws: HubError.self) { try FieldCoding.text(of: .nan, for: sending, "box") }
    }

    @Test(
        arguments: [
            (.number(1_780_000_000), 1_780_000_000), (.number(1_780_000_000_500), 1_780_000_000.5),
            (.text("1780000000"), 1_780_000_000), (.text("2026-05-28T20:26:40Z"), 1_780_000_000),
            (.text("2026-05-28T22:26:40+02:00"), 1_780_000_000), (.text("2026-05-28T22:26:40"), 1_780_000_000),
            (.text("2026-05-28 22:26:40"), 1_780_000_000), (.text("2026-05-28T22:26"), 1_779_999_960),
            (.text("soon"), nil),
            (.text("2026-13-28T22:26:40"), nil), (.number(0), nil), (.null, nil), (nil, nil),
        ] as [(JSONDocument?, Double?)])
    func aDevicesTimeIsReadInItsHomesZone(value: JSONDocument?, seconds: Double?) throws {
        let zone = try #require(TimeZone(secondsFromGMT: 7200))
        #expect(DeviceTime.date(value, in: zone)?.timeIntervalSince1970 == seconds)
    }
}
