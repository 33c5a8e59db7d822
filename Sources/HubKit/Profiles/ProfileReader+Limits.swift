import YAML

/// What chargers and batteries accept.
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
}
