import YAML

/// Whether what a heating or cooling device is told fits to what it is said to take.
extension ProfileReader {
    func checkHVAC(_ profile: DeviceProfile, at root: YAMLNode) {
        let (node, hvac) = (root["commands"] ?? root, profile.hvac)
        // A section that can't be read has its fault, and what it lacks is not missing as well.
        if hvac == nil, isGiven(root["hvac"]) { return }
        let pairs: [(ProfileCommand, Bool, key: String, example: String)] = [
            (
                .setpoint, hvac?.setpointCelsius != nil, "setpoint",
                "hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 30}}"
            ),
            (.offset, hvac?.offsetKelvin != nil, "offset", "hvac: {offset: {minimum_kelvin: -5, maximum_kelvin: 5}}"),
            (
                .powerLimit, hvac?.powerLimitWatts != nil, "power_limit",
                "hvac: {power_limit: {minimum_watts: 0, maximum_watts: 20000}}"
            ),
            (.surplus, hvac?.surplus != nil, "surplus", "hvac: {surplus: {maximum_watts: 3000}}"),
        ]
        for (command, hasRange, key, example) in pairs {
            let hasCommand = profile.commands[command] != nil
            if hasCommand, !hasRange, !isGiven(root["hvac"]?[key]) {
                issues.add(
                    "'\(command.rawValue)' needs the range it takes", hint: "add \(example)",
                    at: node[command.rawValue] ?? node)
            } else if hasRange, !hasCommand {
                issues.add(
                    "'\(key)' of 'hvac' is for the command '\(command.rawValue)', which is not there",
                    hint: "say how to do it, or remove it", at: node)
            }
        }
        let isUnreadable = hvac?.stagesPercent.isEmpty == true && isGiven(root["hvac"]?["stages"])
        if !isUnreadable { checkStages(profile, at: node) }
    }

    private func checkStages(_ profile: DeviceProfile, at node: YAMLNode) {
        let needed = profile.hvac?.stagesPercent.count ?? 0
        for (index, command) in ProfileCommand.stages.enumerated() {
            let isThere = profile.commands[command] != nil
            if isThere, index >= needed {
                issues.add(
                    "'\(command.rawValue)' has no step of power in 'stages' of 'hvac'",
                    hint: "add stages: [0, 50, 100], a number for each command", at: node[command.rawValue] ?? node)
            } else if !isThere, index < needed {
                issues.add(
                    "'stages' of 'hvac' has \(needed) steps, and there is no '\(command.rawValue)'",
                    hint: "say how to switch to it", at: node)
            }
        }
        if needed > 0, profile.commands[.surplus] != nil {
            issues.add(
                "'surplus' and 'stages' exclude each other", hint: "steps are chosen by the surplus there is",
                at: node["surplus"] ?? node)
        }
    }
}
