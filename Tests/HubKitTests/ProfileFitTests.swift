import HubKit
import Testing
import YAML

/// Parts of a profile that don't fit together are said with their place and a remedy.
@Suite struct ProfileFitTests {
    static let files: [ProfileFaultTests.BadFile] = [
        .init(
            "a watchdog with a period and a pace of feeding",
            ProfileFaultTests.charger("watchdog: {period_seconds: 60, every_seconds: 10}"),
            "p.yaml:8:47: error: watchdog.every_seconds: 'period_seconds' and 'every_seconds' exclude each other; "
                + "keep the period of the device's watchdog, or how often it is to be fed"),
        .init(
            "currents that are offered and refused",
            ProfileFaultTests.charger("commands: {current: {holding: 9, allowed: [8, 16]}}"),
            "p.yaml:8:43: error: commands.current.allowed: 'allowed' does not take all of 6 to 16 A, which the hub may set; "
                + "widen it, or give minimum_amps and maximum_amps of 'charger' what is taken"),
        .init(
            "currents of which a step takes less",
            ProfileFaultTests.charger("commands: {current: [{holding: 9}, {holding: 10, allowed: [0, 15]}]}"),
            "p.yaml:8:59: error: commands.current[1].allowed: 'allowed' does not take all of 6 to 16 A, which the hub may set; "
                + "widen it, or give minimum_amps and maximum_amps of 'charger' what is taken"),
        .init(
            "currents that don't fit", ProfileFaultTests.charger("commands: {current: {holding: 9, scale: 0.0001}}"),
            "p.yaml:8:21: error: commands.current: not all of 6 to 16 A, which the hub may set, fits into the register; "
                + "choose a longer type, or give minimum_amps and maximum_amps of 'charger' what is taken"),
        .init(
            "temperatures that are offered and refused",
            "kind: hvac\nvendor: Acme\nmodbus: {}\npoints: {p: {input: 1}}\n"
                + "hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 30}}\n"
                + "commands: {setpoint: {holding: 9, allowed: [10, 30]}}\n",
            "p.yaml:6:44: error: commands.setpoint.allowed: 'allowed' does not take all of 5 to 30 °C, which the hub may set; "
                + "widen it, or give 'setpoint' of 'hvac' the range that is taken"),
        .init(
            "a meter that charges cars",
            ProfileFaultTests.head
                + "points: {p: {input: 1}}\ncharger: {maximum_amps: 16}\ncommands: {current: {holding: 9}}\n",
            "p.yaml:5:10: error: charger: 'charger' is for profiles of the kind ev; remove it",
            "p.yaml:6:21: error: commands.current: 'current' is for profiles of the kind ev; remove it"),
        .init(
            "a charger that heats",
            ProfileFaultTests.charger("hvac: {minimum_dwell_seconds: 60}\ncommands: {normal: {holding: 9, value: 1}}"),
            "p.yaml:8:7: error: hvac: 'hvac' is for profiles of the kind hvac; remove it",
            "p.yaml:9:20: error: commands.normal: 'normal' is for profiles of the kind hvac; remove it"),
        .init(
            "a SunSpec device with input registers",
            "kind: meter\nvendor: Acme\nprotocol: sunspec\nmodbus: {}\npoints: {p: {input: 1}}\n",
            "p.yaml:5:21: error: points.p.input: a SunSpec device has its values in holding registers; "
                + "write 'holding', or remove 'protocol: sunspec'"),
    ]

    @Test(arguments: files) func isSaidWithItsPlaceAndARemedy(file: ProfileFaultTests.BadFile) {
        let (profile, errors) = ProfileLibrary.read(file.text, name: "p", file: "p.yaml")
        #expect(profile == nil)
        #expect(errors.map(\.description) == file.errors)
    }
}
