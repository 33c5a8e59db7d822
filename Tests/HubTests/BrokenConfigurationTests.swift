import Foundation
import Hub
import HubKit
import TestSupport
import Testing
import YAML

/// Small broken configurations, each beside exactly what is said about it: every fault at its place, with its remedy.
@Suite struct BrokenConfigurationTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("BrokenConfigurations")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    private func check(_ file: URL) throws -> CheckedConfiguration {
        try ConfigurationCheck.run(
            file, content: nil, shipped: .shipped, environment: ["OFFPEAK_TEST_WORD": "word", "HOME": "/root"],
            clock: ManualClock())
    }

    @Test func thereAreMany() { #expect(Self.names.count > 60) }

    @Test(arguments: names) func isFoundWhole(name: String) throws {
        let checked = try check(Self.folder.appendingPathComponent("\(name).yaml"))
        let said = checked.faults.map { $0.description.replacing("\(Self.folder.path)/", with: "") }
        let expected = try String(contentsOf: Self.folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
        #expect(said == expected.split(separator: "\n").map(String.init))
        for fault in checked.faults {
            #expect(fault.line >= 1 && fault.column >= 1)
            #expect(fault.hint?.isEmpty == false, "no remedy: \(fault)")
            #expect(Set(checked.faults).count == checked.faults.count, "said twice")
        }
        let order = checked.faults.map { ($0.file, $0.line, $0.column) }
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// What only concerns single devices disables these; everything else stops the start.
    @Test(arguments: names) func aFileWithAnyOtherFaultThanADevicesIsNotUsable(name: String) throws {
        let checked = try check(Self.folder.appendingPathComponent("\(name).yaml"))
        #expect(throws: ConfigurationFaults.self) { try checked.sound() }
        guard checked.isUsable else {
            let faults = try #require(throws: ConfigurationFaults.self) { try checked.usable() }
            #expect(faults.lines == checked.faults.map(\.description))
            return
        }
        let devices = try checked.usable().devices
        #expect(devices.contains { $0.fault != nil })
        #expect(checked.faults.allSatisfy { $0.path.hasPrefix("devices[") })
    }
}

/// What is allowed but odd is said, and stops nothing.
@Suite struct ConfigurationWarningTests {
    private static let charger = "driver: ev, profile: keba-p30, connection: {host: 192.0.2.2}"

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let venue: String
        let rest: String
        let warnings: [String]

        init(_ name: String, _ venue: String, _ rest: String, _ warnings: String...) {
            (testDescription, self.venue, self.rest, self.warnings) = (name, venue, rest, warnings)
        }
    }

    static let cases = [
        Case("nothing odd", "rate_plan: {flat: 0.3}", ""),
        Case(
            "a charger without a circuit", "connection: {amps: 35}",
            "devices:\n  - {id: car, \(charger)}\n  - {id: grid, driver: meter, profile: eastron-sdm630, role: grid, connection: {host: 192.0.2.1}}\n",
            "4:5: warning: devices[0]: no circuit and no limit holds this charger below what its cable carries; "
                + "add 'circuit:' or limits: {max_amps: 16}"),
        Case(
            "a charger without a fuse", "rate_plan: {flat: 0.3}",
            "devices:\n  - {id: car, limits: {max_amps: 16}, \(charger)}\n",
            "2:10: warning: venues[0]: nothing is known of the fuse, so the hub can't keep chargers below it; "
                + "add connection: {phases: 3, amps: 35}"),
        Case(
            "a charger without a grid meter", "connection: {amps: 35}",
            "devices:\n  - {id: car, limits: {max_amps: 16}, \(charger)}\n",
            "4:5: warning: devices[0]: without a meter of role grid at 'Home', a charger may use half of the "
                + "connection only; add the grid meter"),
        Case(
            "a goal without prices", "connection: {amps: 35}",
            "devices:\n  - {id: grid, driver: meter, profile: eastron-sdm630, role: grid, connection: {host: 192.0.2.1}}\n"
                + "  - {id: car, limits: {max_amps: 16}, \(charger), goal: {energy_kwh: 9, ready_by: \"07:00\"}}\n",
            "5:5: warning: devices[1]: 'Home' has neither guidance nor a rate plan: cars charge at once, heat pumps "
                + "run as usual; add rate_plan: {flat: 0.30} or guidance:"),
        Case(
            "a circuit without devices", "rate_plan: {flat: 0.3}", "circuits: [{name: garage, amps: 20}]\n",
            "3:19: warning: circuits[0].name: no device is on the circuit 'garage'; "
                + "add 'circuit: garage' to those on it"),
        Case(
            "a price in cents", "currency: EUR, rate_plan: {flat: 30}", "",
            "2:82: warning: venues[0].rate_plan.flat: 30.0 is a lot for a kWh; "
                + "check that it is not in hundredths or per MWh"),
        Case(
            "a setback where nobody's going is told", "rate_plan: {flat: 0.3}",
            "devices:\n  - {id: pump, driver: hvac, profile: stiebel-isg, away_setback_kelvin: 3, connection: {host: 192.0.2.1}}\n",
            "4:73: warning: devices[0].away_setback_kelvin: nothing tells whether anybody is at 'Home', so this is never "
                + "set back; add presence_topic: to the home"),
        Case(
            "comfort of what knows no room", "rate_plan: {flat: 0.3}, presence_topic: home",
            "mqtt: {host: 192.0.2.9}\ndevices:\n  - {id: rod, driver: hvac, profile: my-pv-ac-thor, connection: {host: 192.0.2.1}, away_setback_kelvin: 3, goal: {setpoint_celsius: 21, comfort_band_kelvin: 1}}\n",
            "5:84: warning: devices[0].away_setback_kelvin: a device of the profile 'my-pv-ac-thor' knows no room and draws "
                + "only surplus, so this does nothing; remove it",
            "5:108: warning: devices[0].goal: a device of the profile 'my-pv-ac-thor' knows no room and draws only "
                + "surplus, so this does nothing; remove it"),
        Case(
            "comfort of what does", "rate_plan: {flat: 0.3}",
            "devices:\n  - {id: pump, driver: hvac, profile: stiebel-isg, connection: {host: 192.0.2.1}, goal: {setpoint_celsius: 21, comfort_band_kelvin: 1}}\n"
        ),
        Case(
            "a serial line that is not there", "rate_plan: {flat: 0.3}",
            "devices:\n  - {id: grid, driver: meter, profile: eastron-sdm630, role: grid, connection: {serial: /dev/nosuch}}\n",
            "4:89: warning: devices[0].connection.serial: /dev/nosuch is not there now; "
                + "plug the adapter in; the hub tries again by itself"),
        Case(
            "a password that all may read", "rate_plan: {flat: 0.3}",
            "mqtt: {host: 192.0.2.9, user: u, password_file: word}\n",
            "3:49: warning: mqtt.password_file: everybody on this machine may read FOLDER/word; chmod 600 FOLDER/word"),
        Case(
            "a database that is none", "rate_plan: {flat: 0.3}", "sinks: {}\n",
            "1:7: warning: data: FOLDER/data/offpeak.sqlite is no database; "
                + "the hub sets it aside at its start and takes the newest backup"),
        Case(
            "a broken profile that nobody uses", "rate_plan: {flat: 0.3}", "profiles: profiles\n",
            "profiles/meter/spare.yaml:1:7: warning: kind: unknown value 'nonsense'; Known: ev, hvac, meter"),
    ]

    @Test(arguments: cases) func isSaidAsAWarning(odd: Case) throws {
        let folder = try TemporaryFolder()
        try folder.write("secret\n", to: "word")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file("word").path)
        try folder.write(
            "kind: nonsense\nvendor: Me\nmodbus: {}\npoints: {p: {input: 1}}\n", to: "profiles/meter/spare.yaml")
        if odd.rest.contains("sinks") { try folder.write("this is no database", to: "data/offpeak.sqlite") }
        let file = try folder.write(
            "data: data\nvenues: [{name: Home, time_zone: Europe/Berlin, \(odd.venue)}]\n\(odd.rest)", to: "o.yaml")
        let checked = try ConfigurationCheck.run(
            file, content: nil, shipped: .shipped, environment: [:], clock: ManualClock())
        #expect(checked.faults.isEmpty, "\(checked.faults)")
        let said = checked.warnings.map {
            $0.description.replacing("\(file.path):", with: "").replacing(
                "\(folder.path)/profiles", with: "profiles"
            ).replacing(folder.path, with: "FOLDER")
        }
        #expect(said == odd.warnings)
        #expect(try checked.sound().venues.count == 1)
    }
}
