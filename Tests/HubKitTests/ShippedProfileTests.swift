import Foundation
import HubKit
import TestSupport
import Testing
import YAML

/// Rules that hold across all profiles of this project.
@Suite struct ShippedProfileTests {
    @Test func allAreReadWithoutAFault() throws {
        let library = ProfileLibrary.shipped
        #expect(library.faults == [])
        let files = try DeviceKind.allCases.flatMap { kind in
            try FileManager.default.contentsOfDirectory(
                atPath: ProfileLibrary.shippedFolder.appendingPathComponent(kind.rawValue).path)
        }
        #expect(files.count >= 80)
        #expect(library.all.map { "\($0.name).yaml" }.sorted() == files.sorted())
    }

    @Test func theExampleInTheDocumentIsAProfile() throws {
        let document = ProfileLibrary.shippedFolder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("docs/profiles.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        let start = try #require(text.range(of: "```yaml\n# What kind"))
        let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
        let example = "# What kind" + text[start.upperBound..<end.lowerBound]
        let (profile, errors) = ProfileLibrary.read(example, name: "box", file: "docs/profiles.md")
        #expect(errors.map(\.description) == [])
        #expect(profile?.commands.count == 5)
        // Every key that the reader knows is described.
        for key in Quantity.allCases.map(\.rawValue) where !key.contains("L2") { #expect(text.contains(key), "\(key)") }
        for command in ProfileCommand.allCases { #expect(text.contains("`\(command.rawValue)`"), "\(command)") }
    }

    @Test(arguments: ProfileLibrary.shipped.all) func namesItsMakersAndItsSources(profile: DeviceProfile) {
        #expect(!profile.vendor.isEmpty && !profile.models.isEmpty)
        #expect(!profile.sources.isEmpty)
        // Facts grow old: a source says when it was read.
        #expect(profile.sources.allSatisfy { $0.contains(/\(20\d\d-\d\d\)|\(20\d\d-\d\d\);/) })
        #expect(profile.name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") })
    }

    @Test(arguments: ProfileLibrary.shipped.all) func givesWhatItsKindIsFor(profile: DeviceProfile) {
        let quantities = profile.quantities
        let counters: Set<Quantity> = [.importWattHours, .sessionWattHours]
        switch profile.kind {
        case .ev:
            #expect(!profile.states.plug.isEmpty && !profile.states.charging.isEmpty)
            // A charger without a meter has neither.
            #expect(quantities.contains(.powerWatts) == !quantities.isDisjoint(with: counters))
            #expect(profile.hvac == nil && quantities.isDisjoint(with: Self.temperatures))
        case .hvac:
            // A pair of relays or a thermostat's contacts measure nothing, but then they switch.
            let switches: [ProfileCommand] = [.reduceNormal, .stage0]
            #expect(
                !quantities.isDisjoint(with: Self.temperatures) || switches.contains { profile.commands[$0] != nil })
            #expect(profile.charger == nil && profile.states.plug.isEmpty && !quantities.contains(.sessionWattHours))
        case .meter:
            #expect(quantities.contains(.powerWatts) && !profile.roles.isEmpty)
            #expect(
                profile.charger == nil && profile.hvac == nil && profile.watchdog == nil
                    && profile.commands.isEmpty == (profile.battery == nil))
            #expect(quantities.isDisjoint(with: Self.temperatures) && !quantities.contains(.limitAmps))
        }
    }

    private static let temperatures: Set<Quantity> = [
        .roomCelsius, .outdoorCelsius, .flowCelsius, .returnCelsius, .hotWaterCelsius, .setpointCelsius,
    ]

    @Test(arguments: ProfileLibrary.shipped.all) func hasACommandForEachAbility(profile: DeviceProfile) {
        let commands = profile.commands
        if let charger = profile.charger {
            #expect(commands[.current] != nil || commands.isEmpty)
            #expect(charger.current.minimumAmps >= 6 && charger.current.minimumAmps < charger.current.maximumAmps)
            let canSwitch = commands[.onePhase] != nil && commands[.threePhases] != nil
            #expect((charger.phases.count > 1) == canSwitch)
        }
        if let hvac = profile.hvac {
            #expect((hvac.setpointCelsius != nil) == (commands[.setpoint] != nil))
            // A heating rod has no compressor to spare.
            #expect(hvac.minimumDwellSeconds >= 600 || commands[.reduceNormal] == nil)
        }
        if let watchdog = profile.watchdog { #expect(!watchdog.feed.isEmpty || commands[.current] != nil) }
    }

    @Test(arguments: ProfileLibrary.shipped.all) func noRuleStandsBehindAnElse(profile: DeviceProfile) {
        #expect(profile.states.plug.dropLast().allSatisfy { !$0.when.isEmpty })
        #expect(profile.states.charging.dropLast().allSatisfy { !$0.when.isEmpty })
        #expect(profile.states.mode.dropLast().allSatisfy { !$0.when.isEmpty })
        #expect(profile.states.reduce.dropLast().allSatisfy { !$0.when.isEmpty })
    }

    @Test(arguments: ProfileLibrary.shipped.all) func isPatientEnoughForASlowDevice(profile: DeviceProfile) {
        // Field case D-3: a device that answers after 1.2 s is no fault.
        #expect(profile.transport.timeoutMilliseconds >= 1500)
        if case .http(let requests) = profile.link { #expect(requests.timeoutMilliseconds >= 1500) }
    }

    @Test(arguments: ProfileLibrary.shipped.all) func optionsGoTogether(profile: DeviceProfile) throws {
        for option in profile.options {
            #expect(option.name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") })
            #expect(option.about.count >= 20 && option.about.first?.isUppercase == true)
            let changed = try ProfileLibrary.shipped.profile(profile.name, options: [option.name])
            #expect(changed != profile, "\(option.name) changes nothing")
        }
    }
}
