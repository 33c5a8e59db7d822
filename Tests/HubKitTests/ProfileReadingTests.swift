import Foundation
import HubKit
import TestSupport
import Testing
import YAML

@Suite struct ProfileReadingTests {
    private func read(_ text: String) throws -> DeviceProfile {
        let (profile, errors) = ProfileLibrary.read(text, name: "box", file: "box.yaml")
        #expect(errors.map(\.description) == [])
        return try #require(profile)
    }

    @Test func theShortestProfileHasTheDefaults() throws {
        let profile = try read("kind: meter\nvendor: Acme\nmodbus: {}\npoints: {power: {input: 7}}\n")
        #expect(profile.name == "box")
        #expect(
            profile.transport
                == ProfileTransport(
                    port: 502, unit: 1, baud: 9600, framing: "8N1", requestDelayMilliseconds: 0,
                    connectDelayMilliseconds: 0,
                    timeoutMilliseconds: 2000, maximumRegisters: 100, maximumGap: 8))
        #expect(profile.pollSeconds == 10)
        #expect(profile.points == [ProfilePoint(name: "power", place: RegisterPlace(.input, 7), type: .u16)])
        #expect(profile.states == ProfileStates())
        #expect(profile.commands.isEmpty && profile.watchdog == nil && profile.charger == nil && profile.hvac == nil)
    }

    @Test func everyKeyIsRead() throws {
        let profile = try read(Self.full)
        #expect(profile.kind == .ev)
        #expect(profile.models == ["One", "Two"])
        #expect(profile.transport.unit == 3)
        #expect(profile.transport.framing == "7E2")
        #expect(profile.point("state")?.type == .text(words: 2))
        #expect(
            profile.point(for: .powerWatts)
                == ProfilePoint(
                    name: "power", place: RegisterPlace(.input, 10), type: .i32, wordOrder: .little, scale: -0.1,
                    offset: 5,
                    unavailable: [0x8000_0000, 0xFFFF_FFFF], whenUnavailable: 0, quantity: .powerWatts))
        #expect(
            profile.states.plug == [
                ProfileRule(
                    when: [
                        ProfileCondition(point: "cable", test: .atLeast(2)),
                        ProfileCondition(point: "cable", test: .below(5)),
                        ProfileCondition(point: "state", test: .startsWith("B")),
                    ], state: .plugged),
                ProfileRule(when: [], state: .unplugged),
            ])
        #expect(
            profile.charger
                == ProfileCharger(
                    current: CurrentRange(minimumAmps: 8, maximumAmps: 20, stepAmps: 0.5), phases: [1, 3]))
        #expect(
            profile.commands[.current] == [
                .write(
                    ProfileWrite(
                        place: RegisterPlace(.holding, 9), type: .f32, wordOrder: .little, value: .argument,
                        multiple: true)),
                .write(ProfileWrite(place: RegisterPlace(.coil, 4), type: .bit, value: .constant(1))),
            ])
        #expect(
            profile.watchdog
                == ProfileWatchdog(
                    periodPoint: "period", fixedSeconds: 30, share: 0.25,
                    feed: [.write(ProfileWrite(place: RegisterPlace(.holding, 12), value: .point("period")))]))
    }

    private static let full = """
        kind: ev
        vendor: Acme
        models: [One, Two]
        sources: ["a manual (2026)"]
        modbus: {port: 1502, unit: 3, baud: 19200, framing: "7E2", request_delay_ms: 50, connect_delay_ms: 1000,
          timeout_ms: 500, maximum_registers: 60, maximum_gap: 2}
        poll_seconds: 2.5
        points:
          power: {input: 10, type: i32, word_order: little, scale: -0.1, offset: 5,
            unavailable: [0x80000000, 0xFFFFFFFF], when_unavailable: 0, quantity: powerWatts}
          cable: {discrete: 1}
          state: {holding: 1, type: text, words: 2}
          period: {holding: 12}
        states:
          plug:
            - {when: {cable: {at_least: 2, below: 5}, state: {starts_with: B}}, is: plugged}
            - {is: unplugged}
        charger: {minimum_amps: 8, maximum_amps: 20, step_amps: 0.5, phases: [1, 3]}
        commands:
          current: [{holding: 9, type: f32, word_order: little, multiple: true}, {coil: 4, value: 1}]
        watchdog: {period_point: period, period_seconds: 30, share: 0.25, feed: {holding: 12, value_of: period}}
        """

    @Test func aConditionThatCannotBeJudgedLeavesTheStateUnknown() {
        let rules: [ProfileRule<PlugState>] = [
            ProfileRule(
                when: [ProfileCondition(point: "a", test: .equals(1)), ProfileCondition(point: "b", test: .equals(1))],
                state: .plugged),
            ProfileRule(when: [], state: .unplugged),
        ]
        #expect(rules.state([:]) == nil)
        #expect(rules.state(["a": .number(1)]) == nil)
        // One that fails decides, whatever the other is.
        #expect(rules.state(["a": .number(0)]) == .unplugged)
        #expect(rules.state(["b": .number(0)]) == .unplugged)
        #expect(rules.state(["a": .number(1), "b": .number(1)]) == .plugged)
        #expect(rules.state(["a": .text("1"), "b": .number(1)]) == nil)
        #expect([ProfileRule<PlugState>]().state(["a": .number(1)]) == nil)
    }

    @Test func laterFoldersWinAndFaultsDoNotHideTheRest() throws {
        let (shipped, own) = (try TemporaryFolder(), try TemporaryFolder())
        let good = "kind: meter\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\n"
        try shipped.write(good, to: "meter/box.yaml")
        try shipped.write(good, to: "meter/notes.txt")
        try own.write(good.replacing("Acme", with: "Mine"), to: "meter/box.yaml")
        try own.write("kind: [", to: "ev/broken.yaml")
        let misplaced = try own.write(good, to: "hvac/lost.yaml")
        let library = ProfileLibrary(roots: [shipped.url, own.url, own.file("no-such-folder")])
        #expect(library.all.map(\.name) == ["box"])
        #expect(library["box"]?.vendor == "Mine")
        #expect(library.faults.count == 2)
        #expect(library.faults.contains { $0.contains("broken.yaml:") })
        #expect(
            library.faults.contains(
                "\(misplaced.path):1:7: error: kind: its kind is meter, but it lies in the folder hvac; move it to meter"
            ))
    }

    @Test(arguments: [true, false]) func oneNameForTwoKindsIsSaidAndTheFirstStands(isOwn: Bool) throws {
        let (shipped, own) = (try TemporaryFolder(), try TemporaryFolder())
        try shipped.write(
            "kind: ev\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\ncharger: {maximum_amps: 16}\n",
            to: "ev/box.yaml")
        let second = try (isOwn ? own : shipped).write(
            "kind: meter\nvendor: Mine\nmodbus: {}\npoints: {p: {input: 1}}\n", to: "meter/box.yaml")
        let library = ProfileLibrary(roots: [shipped.url, own.url])
        #expect(library["box"]?.kind == .ev && !library.isBroken("box"))
        #expect(
            library.faults == [
                "\(second.path):1:1: error: the name 'box' is taken by a profile of the kind ev; give this file another name"
            ])
    }

    @Test(arguments: ["8N1", "8E1", "7O2"]) func framingsAreRead(text: String) throws {
        let framing = try #require(SerialFraming(text))
        #expect("\(framing.dataBits)\(framing.parity.rawValue)\(framing.stopBits)" == text)
    }

    @Test(arguments: ["", "8", "8N", "9N1", "8X1", "8N3", "8N11", "N81", "8n1"]) func otherTextIsNoFraming(text: String)
    {
        #expect(SerialFraming(text) == nil)
    }
}
