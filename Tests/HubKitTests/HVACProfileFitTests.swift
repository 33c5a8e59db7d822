import HubKit
import Testing
import YAML

/// What heating or cooling is told has to fit to what it is said to take.
@Suite struct HVACProfileFitTests {
    private static func pump(_ hvac: String, _ commands: String = "") -> String {
        "kind: hvac\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\nhvac: {\(hvac)}\n"
            + (commands.isEmpty ? "" : "commands: {\(commands)}\n")
    }

    static let files: [ProfileFaultTests.BadFile] = [
        .init(
            "a limit without its range", pump("", "power_limit: {holding: 9}, no_power_limit: {holding: 9, value: 0}"),
            "p.yaml:6:25: error: commands.power_limit: 'power_limit' needs the range it takes; "
                + "add hvac: {power_limit: {minimum_watts: 0, maximum_watts: 20000}}"),
        .init(
            "a limit that nobody lifts",
            pump("power_limit: {minimum_watts: 0, maximum_watts: 9000}", "power_limit: {holding: 9}"),
            "p.yaml:6:25: error: commands.power_limit: 'power_limit' needs 'no_power_limit': "
                + "the device would never draw what it wants again; say how to do both"),
        .init(
            "a range without its command",
            pump("offset: {minimum_kelvin: -5, maximum_kelvin: 5}", "setpoint: {holding: 9}"),
            "p.yaml:6:11: error: commands: 'offset' of 'hvac' is for the command 'offset', which is not there; "
                + "say how to do it, or remove it",
            "p.yaml:6:22: error: commands.setpoint: 'setpoint' needs the range it takes; "
                + "add hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 30}}"),
        .init(
            "a range upside down with its command",
            pump("offset: {minimum_kelvin: 5, maximum_kelvin: -5}", "offset: {holding: 9, type: i16}"),
            "p.yaml:5:16: error: hvac.offset: the lowest offset is above the highest; swap them"),
        .init(
            "steps that are none with their commands",
            pump("stages: [0, 50]", "stage_0: {holding: 9, value: 0}, stage_1: {holding: 9, value: 1}"),
            "p.yaml:5:16: error: hvac.stages: 'stages' are 2 to 8 steps of power in percent, ascending from 0 to 100; "
                + "such as [0, 33, 67, 100]"),
        .init(
            "a step that is no number", pump("stages: [0, full]", "stage_0: {holding: 9, value: 0}"),
            "p.yaml:5:16: error: hvac.stages: 'stages' are 2 to 8 steps of power in percent, ascending from 0 to 100; "
                + "such as [0, 33, 67, 100]"),
        .init(
            "surplus that is no mapping with its command", pump("surplus: 3000", "surplus: {holding: 9}"),
            "p.yaml:5:17: error: hvac.surplus: expected a mapping, found the whole number 3000; "
                + "write lines such as 'key: value' below it"),
        .init(
            "a section that is no mapping",
            "kind: hvac\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\nhvac: 600\n"
                + "commands: {surplus: {holding: 9}, stage_0: {holding: 9, value: 0}}\n",
            "p.yaml:5:7: error: hvac: expected a mapping, found the whole number 600; "
                + "write lines such as 'key: value' below it"),
        .init(
            "a range upside down", pump("offset: {minimum_kelvin: 5, maximum_kelvin: -5}"),
            "p.yaml:5:16: error: hvac.offset: the lowest offset is above the highest; swap them"),
        .init(
            "surplus that does not fit", pump("surplus: {maximum_watts: 100000}", "surplus: {holding: 9}"),
            "p.yaml:6:21: error: commands.surplus: not all of 0 to 100000 W, which the hub may set, fits into the register; "
                + "choose a longer type, or give 'surplus' of 'hvac' the range that is taken"),
        .init(
            "steps that are none", pump("stages: [0, 50]"),
            "p.yaml:5:16: error: hvac.stages: 'stages' are 2 to 8 steps of power in percent, ascending from 0 to 100; "
                + "such as [0, 33, 67, 100]"),
        .init(
            "a step without its command", pump("stages: [0, 100]", "stage_0: {holding: 9, value: 0}"),
            "p.yaml:6:11: error: commands: 'stages' of 'hvac' has 2 steps, and there is no 'stage_1'; "
                + "say how to switch to it"),
        .init(
            "a command without its step",
            pump(
                "stages: [0, 100]",
                "stage_0: {holding: 9, value: 0}, stage_1: {holding: 9, value: 1}, stage_2: {holding: 9, value: 2}"),
            "p.yaml:6:87: error: commands.stage_2: 'stage_2' has no step of power in 'stages' of 'hvac'; "
                + "add stages: [0, 50, 100], a number for each command"),
        .init(
            "forced and never normal again", pump("", "forced: {holding: 9, value: 4}"),
            "p.yaml:6:20: error: commands.forced: 'forced' needs 'normal': "
                + "the device would never draw as usual again; say how to do both"),
    ]

    @Test(arguments: files) func isSaidWithItsPlaceAndARemedy(file: ProfileFaultTests.BadFile) {
        let (profile, errors) = ProfileLibrary.read(file.text, name: "p", file: "p.yaml")
        #expect(profile == nil)
        #expect(errors.map(\.description) == file.errors)
    }
}
