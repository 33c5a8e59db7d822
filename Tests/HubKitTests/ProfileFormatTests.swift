import Foundation
import HubKit
import TestSupport
import Testing
import YAML

/// The description of the format says what the reader takes, no more and no less.
@Suite struct ProfileFormatTests {
    private static let head = "kind: meter\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\n"

    private static let start = "kind: meter\nvendor: Acme\n"
    private static let mqtt = start + "transport: mqtt\nmqtt: {messages: {m: {topic: t}}}\npoints: {p: {from: m}}\n"
    private static let http = start + "transport: http\nhttp: {requests: {r: {path: /x}}}\npoints: {p: {from: r}}\n"

    private static func mqtt(_ section: String) -> String {
        start + "transport: mqtt\nmqtt: {\(section)}\npoints: {p: {from: m}}\n"
    }

    private static func http(_ section: String) -> String {
        start + "transport: http\nhttp: {\(section)}\npoints: {p: {from: r}}\n"
    }

    /// For each section a profile with a key in it that nobody knows.
    static let probes = [
        ("profile", head + "zzz: 1\n"),
        ("modbus", "kind: meter\nvendor: Acme\nmodbus: {zzz: 1}\npoints: {p: {input: 1}}\n"),
        ("point", "kind: meter\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1, zzz: 1}}\n"),
        ("sum", "kind: meter\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}, s: {sum: [p], zzz: 1}}\n"),
        (
            "sunspec",
            "kind: meter\nvendor: Acme\nprotocol: sunspec\nmodbus: {}\npoints: {p: {model: 1, point: W, zzz: 1}}\n"
        ),
        ("states", head + "states: {zzz: 1}\n"), ("rule", head + "states: {plug: [{is: plugged, zzz: 1}]}\n"),
        ("comparison", head + "states: {plug: [{is: plugged, when: {p: {zzz: 1}}}]}\n"),
        ("charger", head + "charger: {zzz: 1}\n"), ("hvac", head + "hvac: {zzz: 1}\n"),
        ("setpoint", head + "hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 9, zzz: 1}}\n"),
        ("surplus", head + "hvac: {surplus: {zzz: 1}}\n"),
        ("power_limit", head + "hvac: {power_limit: {minimum_watts: 5, maximum_watts: 9, zzz: 1}}\n"),
        ("offset", head + "hvac: {offset: {minimum_kelvin: 5, maximum_kelvin: 9, zzz: 1}}\n"),
        ("battery", head + "battery: {expires_seconds: 9, zzz: 1}\n"),
        ("write", head + "commands: {current: {holding: 1, zzz: 1}}\n"),
        ("watchdog", head + "watchdog: {every_seconds: 1, zzz: 1}\n"),
        ("mqtt", mqtt("messages: {m: {topic: t}}, zzz: 1")), ("message", mqtt("messages: {m: {topic: t, zzz: 1}}")),
        ("ask", mqtt("messages: {m: {topic: t, ask: {topic: t, zzz: 1}}}")),
        ("alive", mqtt("messages: {m: {topic: t}}, alive: {topic: t, online: [a], zzz: 1}")),
        ("http", http("requests: {r: {path: /x}}, zzz: 1")), ("request", http("requests: {r: {path: /x, zzz: 1}}")),
        ("answer", http("requests: {r: {path: /x, answer: {at: a, is: 1, zzz: 1}}}")),
        ("field", mqtt.replacing("{from: m}", with: "{from: m, zzz: 1}")),
        ("publish", mqtt + "commands: {current: {topic: t, payload: a, zzz: 1}}\n"),
        ("request_step", http + "commands: {current: {path: /x, zzz: 1}}\n"),
        ("parameter", mqtt + "parameters: {a: {about: b, zzz: 1}}\n"),
        ("option", head + "options: {a: {about: b, change: {}, zzz: 1}}\n"),
    ]

    @Test(arguments: probes) func theKeysAreThoseThatTheReaderTakes(section: String, text: String) throws {
        let errors = ProfileLibrary.read(text, name: "p", file: "p.yaml").errors.map(\.description)
        let error = try #require(errors.first { $0.contains("unknown key 'zzz'") }, "\(errors)")
        let list = try #require(error.range(of: "known here: ")).upperBound
        let known = error[list...].split(separator: ", ").map(String.init)
        #expect(ProfileFormat.section(section)?.keys.map(\.name).sorted() == known)
    }

    @Test func everySectionIsProbedAndEveryCommandIsDescribed() {
        let probed = Set(Self.probes.map(\.0)).union(["commands"])
        #expect(Set(ProfileFormat.sections.map(\.name)) == probed)
        let commands = ProfileFormat.section("commands")?.keys.map(\.name)
        #expect(commands == ProfileCommand.allCases.map(\.rawValue))
    }

    @Test(arguments: ProfileFormat.sections.map(\.name)) func theDocumentHasTheTable(section: String) throws {
        let document = ProfileLibrary.shippedFolder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/profiles.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let table = try #require(ProfileFormat.section(section)).table
        #expect(text.contains(table), "'offpeak profiles --reference' prints the tables")
    }

    @Test func theSchemaOfEditorsIsTheNewest() throws {
        let file = ProfileLibrary.shippedFolder.appendingPathComponent("schema.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == ProfileFormat.schema + "\n", "'offpeak profiles --schema' prints it")
    }
}
