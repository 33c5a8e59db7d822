import YAML

/// What only shows when the parts of a profile are seen together.
extension ProfileReader {
    func check(_ profile: DeviceProfile, at root: YAMLNode) {
        checkQuantities(profile, at: root["points"] ?? root)
        checkKind(profile, at: root)
        checkCommands(profile, at: root["commands"] ?? root)
    }

    private func checkQuantities(_ profile: DeviceProfile, at node: YAMLNode) {
        var first: [Quantity: String] = [:]
        let sunspec = profile.sunspecPoints.map { ($0.template.name, $0.template.quantity) }
        let fields = profile.fieldPoints.map { ($0.template.name, $0.template.quantity) }
        let all =
            profile.points.map { ($0.name, $0.quantity) } + sunspec + fields
            + profile.sums.map { ($0.name, $0.quantity) }
        for (name, quantity) in all {
            guard let quantity else { continue }
            if let other = first[quantity] {
                issues.add(
                    "'\(other)' and '\(name)' both give \(quantity.rawValue)",
                    hint: "leave out 'quantity' at one of them", at: node[name] ?? node)
            }
            first[quantity] = first[quantity] ?? name
        }
    }

    private func checkKind(_ profile: DeviceProfile, at root: YAMLNode) {
        if profile.kind == .ev, profile.charger == nil {
            issues.add(
                "a charger's profile needs 'charger'",
                hint: "add charger: {minimum_amps: 6, maximum_amps: 16, phases: [3]}", at: root)
        }
        if profile.kind == .hvac, profile.hvac == nil {
            issues.add(
                "a heat pump's profile needs 'hvac'", hint: "add hvac: {minimum_dwell_seconds: 600}", at: root)
        }
    }

    private func checkCommands(_ profile: DeviceProfile, at node: YAMLNode) {
        let commands = profile.commands
        func need(_ needed: ProfileCommand, by command: ProfileCommand, _ reason: String) {
            guard commands[command] != nil, commands[needed] == nil else { return }
            issues.add(
                "'\(command.rawValue)' needs '\(needed.rawValue)': \(reason)", hint: "say how to do both",
                at: node[command.rawValue] ?? node)
        }
        need(.resume, by: .pause, "a charger that was paused would never charge again")
        need(.reduceNormal, by: .reduceReduced, "the device would never draw as usual again")
        need(.reduceNormal, by: .reduceBoosted, "the device would never draw as usual again")
        need(.batteryAutomatic, by: .batteryHold, "the battery would never follow the house again")
        need(.batteryAutomatic, by: .batteryCharge, "the battery would never follow the house again")
        let orders: [ProfileCommand] = [.batteryAutomatic, .batteryHold, .batteryCharge]
        if let order = orders.first(where: { commands[$0] != nil }) {
            let place = node[order.rawValue] ?? node
            if profile.kind != .meter || !profile.roles.contains(.battery) {
                issues.add("'\(order.rawValue)' is for batteries", hint: "add roles: [battery]", at: place)
            }
            // Without the hub nobody would end an order that lasts.
            if profile.battery == nil {
                issues.add(
                    "'\(order.rawValue)' needs to end by itself",
                    hint: "add battery: {expires_seconds: 60}, the time after which the device goes back", at: place)
            }
        }
        if commands[.setpoint] != nil, profile.hvac?.setpointCelsius == nil {
            issues.add(
                "'setpoint' needs the range it takes",
                hint: "add hvac: {setpoint: {minimum_celsius: 5, maximum_celsius: 30}}", at: node["setpoint"] ?? node)
        }
    }
}
