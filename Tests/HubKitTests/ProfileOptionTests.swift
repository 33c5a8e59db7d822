import Foundation
import HubKit
import TestSupport
import Testing

/// Options change a profile for one device, and only it.
@Suite struct ProfileOptionTests {
    private static let text = """
        kind: meter
        vendor: Acme
        modbus: {unit: 3}
        points:
          power: {input: 10, type: u32, quantity: powerWatts}
        options:
          swapped: {about: Low word first, change: {points: {power: {word_order: little}}}}
          second: {about: The second meter, change: {modbus: {address_offset: 100}}}
          energy: {about: It counts, change: {points: {total: {input: 20, quantity: importWattHours}}}}
          third: {about: The third meter, change: {modbus: {address_offset: 200}}}
          other: {about: It counts elsewhere, change: {points: {count: {input: 30, quantity: importWattHours}}}}
        """

    private static func library(_ folder: TemporaryFolder) throws -> ProfileLibrary {
        try folder.write(text, to: "meter/box.yaml")
        return ProfileLibrary(roots: [folder.url])
    }

    @Test func eachChangesWhatItNames() throws {
        let library = try Self.library(TemporaryFolder())
        #expect(library.faults == [])
        let plain = try #require(library["box"])
        #expect(plain.options.map(\.name) == ["swapped", "second", "energy", "third", "other"])
        let both = try #require(try library.profile("box", options: ["swapped", "second"]))
        #expect(both.point("power")?.wordOrder == .little)
        #expect(both.point("power")?.type == .u32)
        #expect(both.point("power")?.place == RegisterPlace(.input, 110))
        #expect(both.transport.unit == 3)
        let energy = try #require(try library.profile("box", options: ["energy"]))
        #expect(energy.point(for: .importWattHours)?.name == "total")
        #expect(library["box"] == plain && plain.point("power")?.wordOrder == .big)
        #expect(try library.profile("none", options: ["swapped"]) == nil)
    }

    @Test(arguments: [
        (["swaped"], "the profile 'box' has no option 'swaped'; choose from swapped, second, energy, third, other"),
        (
            ["swapped", "third", "second"],
            "the options 'third' and 'second' of the profile 'box' both change modbus.address_offset; choose one"
        ),
        (["energy", "other"], "the options energy, other of the profile 'box' don't go together; choose one"),
    ])
    func wrongOnesAreSaidWithARemedy(options: [String], message: String) throws {
        let library = try Self.library(TemporaryFolder())
        let error = #expect(throws: HubError.self) { try library.profile("box", options: options) }
        #expect(error?.message == message)
    }

    /// Pairs that can't both hold, with what both change.
    @Test(arguments: [
        ("heating-rods-mqtt", "two_rods", "three_rods", "points.rod_1.values.{on}"),
        ("ha-statestream", "kilowatts", "inverted", "points.power.scale"),
        ("solaredge-meter", "second_meter", "third_meter", "modbus.address_offset"),
        ("evcc-grid", "grid_power", "state_in_result", "points.power.at"),
    ]) func whatExcludesEachOtherIsNamed(profile: String, one: String, other: String, key: String) {
        let error = #expect(throws: HubError.self) {
            try ProfileLibrary.shipped.profile(profile, options: [one, other])
        }
        #expect(
            error?.message
                == "the options '\(one)' and '\(other)' of the profile '\(profile)' both change \(key); choose one")
    }

    @Test(arguments: [
        ("lambda-eu", ["low_word_first", "power_of_heat_pump"]), ("phoenix-ev-cc", ["tenths", "wallbe"]),
        ("ha-statestream", ["feed_in", "inverted"]), ("heating-rods-mqtt", ["two_rods", "two_rods"]),
    ]) func whatGoesTogetherDoes(profile: String, options: [String]) throws {
        #expect(try ProfileLibrary.shipped.profile(profile, options: options) != nil)
    }
}
