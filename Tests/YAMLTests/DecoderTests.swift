import Foundation
import Testing
import YAML

private struct Home: Decodable, Equatable {
    struct Device: Decodable, Equatable {
        let id: String
        let mode: Mode?
        let unit: UInt8
        let scale: Double?
        let tags: [String: Int]?
        let serial: UUID?
        let online: Bool?
    }

    let name: String
    let devices: [Device]
}

@Suite struct DecoderTests {
    private func decode(_ text: String, strict: Bool = false) throws -> Home {
        try YAMLDecoder(rejectsUnknownKeys: strict).decode(Home.self, from: text, file: "h.yaml")
    }

    @Test func decodesNestedTypes() throws {
        let home = try decode(
            """
            name: Home
            devices:
              - {id: ev, mode: solar, unit: 0xFF, scale: 2, tags: {b: 1, a: 2}, online: false}
              - id: meter
                unit: 1
                mode: ~
                serial: 00000000-0000-0000-0000-00000000000A
            """, strict: true)
        #expect(home.devices.map(\.id) == ["ev", "meter"])
        #expect(home.devices[0].mode == .solar)
        #expect(home.devices[0].unit == 255)
        #expect(home.devices[0].scale == 2)
        #expect(home.devices[0].tags == ["a": 2, "b": 1])
        #expect(home.devices[0].online == false)
        #expect(home.devices[1].mode == nil)
        #expect(home.devices[1].serial?.uuidString.hasSuffix("0A") == true)
    }

    @Test(arguments: [
        ("devices: []\n", "h.yaml:1:1: error: missing key 'name'; add a line 'name: …'"),
        ("nme: a\ndevices: []\n", "h.yaml:1:1: error: missing key 'name'; is 'nme' meant?"),
        ("name: a\ndevices: 3\n", "h.yaml:2:10: error: devices: expected a list, found the whole number 3"),
        (
            "name: a\ndevices:\n  - {id: x, unit: 256}\n",
            "h.yaml:3:19: error: devices[0].unit: 256 is out of range; write a whole number from 0 to 255"
        ),
        (
            "name: a\ndevices:\n  - {id: x, unit: \"1\"}\n",
            "h.yaml:3:19: error: devices[0].unit: expected a whole number, found the text '1'; remove the quotes"
        ),
        (
            "name: a\ndevices:\n  - {id: x, unit: 1, mode: slar}\n",
            "h.yaml:3:28: error: devices[0].mode: unknown value 'slar'; did you mean 'solar'? Known: eco, solar, boost"
        ),
        (
            "name: a\ndevices:\n  - {id: x, unit: 1, tags: {k: v}}\n",
            "h.yaml:3:32: error: devices[0].tags.k: expected a whole number, found the text 'v'; write a whole number"
        ),
        (
            "name: yes\ndevices:\n  - {id: x, unit: 1, online: on}\n",
            "h.yaml:3:30: error: devices[0].online: expected true or false, found the text 'on'; write true or false"
        ),
        ("- 1\n", "h.yaml:1:1: error: expected a mapping, found a list"),
    ])
    func everyErrorSaysWhereWhatAndHow(text: String, description: String) throws {
        let error = try #require(throws: YAMLError.self) { try decode(text) }
        #expect(error.description == description)
    }

    @Test func aTypesOwnErrorGetsThePlaceOfItsValue() throws {
        let text = "name: a\ndevices:\n  - {id: x, unit: 1, serial: nope}\n"
        let error = try #require(throws: YAMLError.self) { try decode(text) }
        #expect(error.description.hasPrefix("h.yaml:3:30: error: devices[0].serial: Attempted to decode UUID"))
    }

    @Test func unknownKeysAreErrorsOnlyWhenAsked() throws {
        let text = "name: a\ndevices:\n  - {id: x, unit: 1, scal: 2}\n"
        #expect(try decode(text).devices[0].scale == nil)
        let error = try #require(throws: YAMLError.self) { try decode(text, strict: true) }
        #expect(
            error.description == "h.yaml:3:22: error: devices[0].scal: unknown key 'scal'; did you mean 'scale'?")
    }

    @Test func unsigned64ReachesItsLimit() throws {
        let decoder = YAMLDecoder()
        #expect(try decoder.decode([UInt64].self, from: "[18446744073709551615]", file: "t") == [.max])
        #expect(throws: YAMLError.self) { try decoder.decode([UInt64].self, from: "[18446744073709551616]", file: "t") }
        #expect(throws: YAMLError.self) { try decoder.decode(Float.self, from: "1e300", file: "t") }
    }

    @Test func nestedContainersAndSuperDecodersWork() throws {
        struct Odd: Decodable {
            let first: Int
            let second: String
            init(from decoder: any Decoder) throws {
                enum Outer: String, CodingKey { case list, map }
                enum Inner: String, CodingKey { case a }
                let outer = try decoder.container(keyedBy: Outer.self)
                var list = try outer.nestedUnkeyedContainer(forKey: .list)
                #expect(try list.decodeNil())
                first = try list.superDecoder().singleValueContainer().decode(Int.self)
                #expect(list.isAtEnd)
                #expect(throws: YAMLError.self) { try list.decode(Int.self) }
                second = try outer.nestedContainer(keyedBy: Inner.self, forKey: .map).decode(String.self, forKey: .a)
            }
        }
        let odd = try YAMLDecoder(rejectsUnknownKeys: true).decode(
            Odd.self, from: "list: [~, 7]\nmap: {a: z}", file: "t")
        #expect(odd.first == 7)
        #expect(odd.second == "z")
    }
}
