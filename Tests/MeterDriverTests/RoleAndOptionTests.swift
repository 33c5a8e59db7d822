import HubKit
import MeterDriver
import ProfileKit
import TestSupport
import Testing

/// A profile for one part of an inverter is not taken for another.
@Suite struct RoleAndOptionTests {
    private func make(_ profile: String, role: MeterRole, options: [String] = []) throws {
        var configuration = try DeviceConfiguration.forTests("meter", profile: profile, port: 502)
        configuration.role = role
        configuration.profileOptions = options
        _ = try MeterDriver(buses: ModbusBuses()).makeDevice(configuration, in: .forTests())
    }

    @Test func aRoleThatTheProfileDoesNotMeasureIsAWrongConfiguration() throws {
        try make("huawei-sun2000-battery", role: .battery)
        let error = #expect(throws: HubError.self) { try make("huawei-sun2000-battery", role: .grid) }
        #expect(
            error?.message.contains("the profile 'huawei-sun2000-battery' does not measure grid; use one of battery,")
                == true)
    }

    @Test func anOptionThatTheProfileLacksIsAWrongConfiguration() throws {
        try make("solaredge-meter", role: .grid, options: ["second_meter"])
        let error = #expect(throws: HubError.self) {
            try make("solaredge-meter", role: .grid, options: ["fourth_meter"])
        }
        #expect(error?.message.contains("no option 'fourth_meter'; choose from second_meter, third_meter") == true)
        let none = #expect(throws: HubError.self) { try make("sma-inverter", role: .solar, options: ["x"]) }
        #expect(none?.message.contains("no option 'x'; it has none: remove 'options:'") == true)
    }
}
