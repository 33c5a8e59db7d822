import YAML

/// What chargers, heat pumps and batteries accept.
extension ProfileReader {
    func readCharger(_ reader: YAMLReader?) -> ProfileCharger? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let minimum = reader.optionalDouble("minimum_amps", in: 1...80) ?? 6
        let maximum = reader.optionalDouble("maximum_amps", in: 1...80)
        let step = reader.optionalDouble("step_amps", in: 0.001...16) ?? 1
        let phases = (reader.optionalSequence("phases") ?? []).compactMap { node -> Int? in
            if let count = node.asInt, (1...3).contains(count) { return count }
            issues.add("a phase count is 1, 2 or 3", hint: nil, at: node)
            return nil
        }
        if let maximum, maximum < minimum {
            reader.add("the highest current is below the lowest", hint: "swap them", at: "maximum_amps")
        }
        var charger = ProfileCharger(
            current: CurrentRange(minimumAmps: minimum, maximumAmps: maximum ?? 80, stepAmps: step),
            phases: phases.isEmpty ? [3] : phases)
        charger.isMaximumKnown = maximum != nil
        return charger
    }

    func readBattery(_ reader: YAMLReader?) -> ProfileBattery? {
        guard var reader else { return nil }
        defer { reader.finish() }
        return reader.double("expires_seconds", in: 5...86_400).map { ProfileBattery(expiresSeconds: $0) }
    }

    func readHVAC(_ reader: YAMLReader?) -> ProfileHVAC? {
        guard var reader else { return nil }
        defer { reader.finish() }
        var range: ClosedRange<Double>?
        if var setpoint = reader.optionalMapping("setpoint") {
            let low = setpoint.double("minimum_celsius", in: -30...90)
            let high = setpoint.double("maximum_celsius", in: -30...90)
            setpoint.finish()
            if let low, let high {
                if low <= high {
                    range = low...high
                } else {
                    issues.add("the lowest setpoint is above the highest", hint: "swap them", at: setpoint.node)
                }
            }
        }
        return ProfileHVAC(
            setpointCelsius: range,
            minimumDwellSeconds: reader.optionalDouble("minimum_dwell_seconds", in: 0...86_400) ?? 600,
            fullPowerWatts: reader.optionalDouble("full_power_watts", in: 1...100_000),
            reassertSeconds: reader.optionalDouble("reassert_seconds", in: 1...86_400))
    }
}
