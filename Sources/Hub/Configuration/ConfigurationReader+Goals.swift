import HubKit
import YAML

/// Goals; whether one fits the device that has it is for `ConfigurationCheck` to say.
extension ConfigurationReader {
    func readGoal(_ reader: YAMLReader?) -> (charging: ConfiguredGoal?, comfort: ComfortGoal?) {
        guard var reader else { return (nil, nil) }
        defer { reader.finish() }
        let setpoint = reader.optionalDouble("setpoint_celsius", in: 5...35)
        let band = reader.optionalDouble("comfort_band_kelvin", in: 0...5)
        let energy = reader.optionalDouble("energy_kwh", in: 0...1000)
        let percent = reader.optionalDouble("state_of_charge", in: 0...100)
        let minimum = reader.optionalDouble("minimum_amps", in: 1...80)
        let keys = Set(reader.node.keys)
        let comfort = setpoint.map { ComfortGoal(setpointCelsius: $0, comfortBandKelvin: band ?? 1) }
        let amounts = keys.intersection(["energy_kwh", "state_of_charge"])
        guard !amounts.isEmpty else {
            _ = reader.optionalNode("ready_by")
            if !keys.contains("setpoint_celsius"), !reader.node.isIncomplete {
                issues.add(
                    "a goal is energy_kwh or state_of_charge with ready_by, or setpoint_celsius",
                    hint: "such as {energy_kwh: 20, ready_by: \"07:00\"} or {setpoint_celsius: 21}", at: reader.node)
            }
            return (nil, comfort)
        }
        if amounts.count > 1 {
            issues.add(
                "a goal is energy_kwh or state_of_charge, not both", hint: "remove one of the two", at: reader.node)
        }
        let minute = readTimeOfDay(&reader)
        let amount: ChargingGoal.Amount? =
            energy.map { .energy(wattHours: $0 * 1000) } ?? percent.map { .stateOfCharge(percent: $0) }
        guard let amount, let minute else { return (nil, comfort) }
        return (ConfiguredGoal(amount: amount, readyByMinute: minute, minimumAmps: minimum), comfort)
    }

    private func readTimeOfDay(_ reader: inout YAMLReader) -> Int? {
        guard let text = reader.string("ready_by") else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
        {
            return hour * 60 + minute
        }
        reader.add(
            "'\(YAMLNode.shown(text))' is not a time of day", hint: "such as \"07:00\", in quotes", at: "ready_by")
        return nil
    }
}
