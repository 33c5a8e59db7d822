import YAML

/// What only shows when the parts of a profile are seen together.
extension ProfileReader {
    func check(_ profile: DeviceProfile, at root: YAMLNode) {
        checkQuantities(profile, at: root["points"] ?? root)
        checkKind(profile, at: root)
        checkCommands(profile, at: root["commands"] ?? root)
        checkHVAC(profile, at: root)
        checkOffers(profile, at: root["commands"] ?? root)
        checkSources(profile, at: root)
    }

    /// Whether something stands there: what can't be read is not missing as well.
    func isGiven(_ node: YAMLNode?) -> Bool { node.map { !$0.isNull } ?? false }

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
        if profile.kind == .ev, profile.charger == nil, !isGiven(root["charger"]) {
            issues.add(
                "a charger's profile needs 'charger'",
                hint: "add charger: {minimum_amps: 6, maximum_amps: 16, phases: [3]}", at: root)
        }
        if profile.kind == .hvac, profile.hvac == nil, !isGiven(root["hvac"]) {
            issues.add(
                "a heat pump's profile needs 'hvac'", hint: "add hvac: {minimum_dwell_seconds: 600}", at: root)
        }
        let sections: [(String, DeviceKind)] = [("charger", .ev), ("hvac", .hvac), ("battery", .meter)]
        for (section, kind) in sections where profile.kind != kind {
            guard let node = root[section] else { continue }
            issues.add("'\(section)' is for profiles of the kind \(kind.rawValue)", hint: "remove it", at: node)
        }
        for command in ProfileCommand.allCases where profile.commands[command] != nil {
            guard let kind = command.kind, kind != profile.kind, kind != .meter else { continue }
            issues.add(
                "'\(command.rawValue)' is for profiles of the kind \(kind.rawValue)", hint: "remove it",
                at: root["commands"]?[command.rawValue] ?? root)
        }
    }

    /// What the hub may be told to set has to be taken by every step of the command.
    private func checkOffers(_ profile: DeviceProfile, at node: YAMLNode) {
        if let charger = profile.charger {
            let most = charger.isMaximumKnown ? charger.current.maximumAmps : charger.current.minimumAmps
            checkOffer(
                .current, profile, charger.current.minimumAmps...max(most, charger.current.minimumAmps), "A",
                "or give minimum_amps and maximum_amps of 'charger' what is taken", at: node)
        }
        let hvac = profile.hvac
        let surplus = hvac?.surplus?.maximumWatts.map { 0...$0 }
        let offers: [(ProfileCommand, ClosedRange<Double>?, String, String)] = [
            (.setpoint, hvac?.setpointCelsius, "°C", "setpoint"), (.offset, hvac?.offsetKelvin, "K", "offset"),
            (.powerLimit, hvac?.powerLimitWatts, "W", "power_limit"), (.surplus, surplus, "W", "surplus"),
        ]
        for (command, range, unit, key) in offers {
            guard let range else { continue }
            checkOffer(
                command, profile, range, unit, "or give '\(key)' of 'hvac' the range that is taken", at: node)
        }
    }

    private func checkOffer(
        _ command: ProfileCommand, _ profile: DeviceProfile, _ offer: ClosedRange<Double>, _ unit: String,
        _ remedy: String, at node: YAMLNode
    ) {
        for (index, action) in (profile.commands[command] ?? []).enumerated() where action.value == .argument {
            let place = node[command.rawValue].flatMap { $0.elements?[index] ?? $0 } ?? node
            let bounds = "\(PlainNumber.text(offer.lowerBound)) to \(PlainNumber.text(offer.upperBound)) \(unit)"
            if let allowed = action.allowed {
                guard !allowed.contains(offer.lowerBound) || !allowed.contains(offer.upperBound) else { continue }
                issues.add(
                    "'allowed' does not take all of \(bounds), which the hub may set",
                    hint: "widen it, \(remedy)", at: place["allowed"] ?? place)
            } else if case .write(let write) = action, let room = write.type.wholeNumbers,
                !room.contains(offer.lowerBound / write.scale) || !room.contains(offer.upperBound / write.scale)
            {
                issues.add(
                    "not all of \(bounds), which the hub may set, fits into the register",
                    hint: "choose a longer type, \(remedy)", at: place)
            }
        }
    }

    /// What is asked for, and then read by nobody, is mostly a misspelt name or a point that was forgotten.
    private func checkSources(_ profile: DeviceProfile, at root: YAMLNode) {
        let (section, what, list): (String, String, String)
        switch profile.link {
        case .modbus: return
        case .mqtt: (section, what, list) = ("mqtt", "message", "messages")
        case .http: (section, what, list) = ("http", "request", "requests")
        }
        let points = root["points"]?.entries ?? []
        let used = Set(points.compactMap { $0.value["from"]?.asString })
        for name in profile.link.sourceNames ?? [] where !used.contains(name) {
            issues.add(
                "no point uses the \(what) '\(name)'", hint: "remove it, or name it with 'from: \(name)' at a point",
                at: root[section]?[list]?[name] ?? root)
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
        for state in [ProfileCommand.reduceReduced, .reduceBoosted, .reduceForced] {
            need(.reduceNormal, by: state, "the device would never draw as usual again")
        }
        need(.noPowerLimit, by: .powerLimit, "the device would never draw what it wants again")
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
    }
}
