import Foundation
import HubKit
import ProfileKit
import YAML

/// What only shows when a device is seen with its driver, its profile and its home.
extension ConfigurationCheck {
    func checkDevices(_ configuration: inout HubConfiguration, _ profiles: ProfileLibrary) {
        let context = DriverContext.forChecking(profiles, configuration)
        for index in configuration.devices.indices {
            var device = configuration.devices[index]
            guard let place = device.place else { continue }
            checkDevice(&device, at: place, configuration, context)
            configuration.devices[index] = device
        }
    }

    private func checkDevice(
        _ device: inout ConfiguredDevice, at place: YAMLNode, _ whole: HubConfiguration, _ context: DriverContext
    ) {
        let configured = device.configuration
        let profile = context.profiles.profile(of: configured)
        let driver = drivers[configured.driver]
        if let driver {
            ask(driver, about: &device, at: place, context)
        } else if !configured.driver.isEmpty {
            add(
                "there is no driver '\(YAMLNode.shown(configured.driver))'",
                hint: NearestWord.advice(
                    for: configured.driver, among: drivers.all.map(\.name), ifNone: "there are none"),
                at: place["driver"] ?? place, of: &device)
        }
        checkBroker(&device, at: place, whole)
        // Without a driver the profile tells what sort of device it is.
        guard let kind = driver?.kind ?? profile?.kind else { return }
        checkKeys(of: kind, &device, at: place)
        switch kind {
        case .ev:
            checkCharger(&device, at: place, whole, profile)
            checkGoal(&device, at: place, profile)
        case .hvac: checkComfort(&device, at: place, profile)
        case .meter: checkBattery(&device, at: place, profile)
        }
    }

    private func checkBattery(_ device: inout ConfiguredDevice, at place: YAMLNode, _ profile: DeviceProfile?) {
        let isBattery = device.configuration.role == .battery
        if let node = place.keyNode("battery"), !isBattery, device.configuration.role != nil {
            add("this is for meters with 'role: battery'", hint: "remove it", at: node, of: &device)
        }
        guard let mode = place.keyNode("mode") else { return }
        if !isBattery {
            add(
                "this is for chargers, heat pumps and batteries, not for meters", hint: "remove it", at: mode,
                of: &device)
        } else if let profile, profile.capabilities(DeviceLimits()).battery == nil {
            add(
                "the profile '\(profile.name)' can't tell the battery anything", hint: "remove it", at: mode,
                of: &device)
        } else if place["battery"] == nil {
            add(
                "a battery that the hub plans needs its size",
                hint: "add battery: {capacity_kwh: 10, charge_watts: 5000, discharge_watts: 5000}", at: mode,
                of: &device)
        }
    }

    /// A topic is nothing without a broker.
    private func checkBroker(_ device: inout ConfiguredDevice, at place: YAMLNode, _ whole: HubConfiguration) {
        guard whole.mqtt == nil, whole.rootPlace?["mqtt"] == nil else { return }
        if device.configuration.vehicle?.chargeTopic != nil {
            add(
                "the car's charge is at a topic, but there is no broker",
                hint: "add mqtt: {host: 127.0.0.1} to the file",
                at: place.nearest("vehicle.state_of_charge_topic"), of: &device)
        }
        guard case .mqtt(let topic) = device.configuration.connection, topic.host == nil,
            place["connection"]?["broker"] == nil
        else { return }
        add(
            "the device is at a topic, but there is no broker",
            hint: "add mqtt: {host: 127.0.0.1} to the file, or 'broker:' to the connection",
            at: place.nearest("connection.topic"), of: &device)
    }

    /// A home's presence is nothing without a broker.
    func checkPresence(_ configuration: HubConfiguration) {
        guard configuration.mqtt == nil, configuration.rootPlace?["mqtt"] == nil else { return }
        for venue in configuration.venues where venue.presence != nil {
            guard let node = venue.place?.nearest("presence_topic"), !issues.hasError(at: node.path, in: node.file)
            else { continue }
            issues.add(
                "presence is at a topic, but there is no broker", hint: "add mqtt: {host: 127.0.0.1} to the file",
                at: node)
        }
    }

    /// Lets the driver say what it would refuse.
    private func ask(
        _ driver: any DeviceDriver, about device: inout ConfiguredDevice, at place: YAMLNode, _ context: DriverContext
    ) {
        let faults = driver.check(device.configuration, in: context)
        for fault in faults {
            // What is missing because a line can't be read is not missing.
            let isUnreadable = fault.key.split(separator: ".").first.map { place[String($0)]?.isUnreadable == true }
            guard isUnreadable != true, place[fault.key] != nil || !place.isIncomplete else { continue }
            add(
                fault.what, hint: fault.remedy.isEmpty ? nil : fault.remedy, at: place.nearest(fault.key),
                key: fault.key, of: &device)
        }
        guard faults.isEmpty, !issues.hasError(at: place.path, in: place.file),
            device.configuration.profile.map({ !context.profiles.isBroken($0) }) ?? true
        else { return }
        // A driver may refuse more than its check knows of.
        do {
            _ = try driver.makeDevice(device.configuration, in: context)
        } catch let error as HubError {
            add(error.message, hint: nil, at: place, key: "", of: &device)
        } catch {
            add(plainWords(of: error), hint: nil, at: place, key: "", of: &device)
        }
    }

    // MARK: - Keys

    private static let keys: [String: (kinds: Set<DeviceKind>, owner: String)] = [
        "role": ([.meter], "meters"), "circuit": ([.ev], "chargers"), "priority": ([.ev], "chargers"),
        "limits": ([.ev, .hvac], "chargers and heat pumps"), "limits.min_amps": ([.ev], "chargers"),
        "limits.max_amps": ([.ev], "chargers"), "limits.phases": ([.ev], "chargers"),
        "limits.price_per_kwh": ([.ev], "chargers"), "limits.max_watts": ([.hvac], "heat pumps"),
        "vehicle": ([.ev], "chargers"), "feed_watchdog": ([.ev], "chargers"),
        "battery": ([.meter], "meters with 'role: battery'"),
        "mode": ([.ev, .hvac, .meter], "chargers, heat pumps and batteries"),
        "goal": ([.ev, .hvac], "chargers and heat pumps"), "away_setback_kelvin": ([.hvac], "heat pumps"),
        "goal.energy_kwh": ([.ev], "chargers"), "goal.state_of_charge": ([.ev], "chargers"),
        "goal.ready_by": ([.ev], "chargers"), "goal.minimum_amps": ([.ev], "chargers"),
        "goal.setpoint_celsius": ([.hvac], "heat pumps"), "goal.comfort_band_kelvin": ([.hvac], "heat pumps"),
    ]

    /// Keys that are for other sorts of device.
    private func checkKeys(of kind: DeviceKind, _ device: inout ConfiguredDevice, at place: YAMLNode) {
        let parts = ["goal", "limits"].reduce(into: [(mapping: place, prefix: "")]) { parts, key in
            guard Self.keys[key]?.kinds.contains(kind) ?? true, let mapping = place[key] else { return }
            parts.append((mapping, "\(key)."))
        }
        for (mapping, prefix) in parts {
            for key in mapping.keys {
                guard let rule = Self.keys[prefix + key], !rule.kinds.contains(kind) else { continue }
                add(
                    "this is for \(rule.owner), not for \(kind.noun)", hint: "remove it",
                    at: mapping.keyNode(key) ?? mapping, of: &device)
            }
        }
        if kind == .meter, device.configuration.mode == .solar, let node = place["mode"] {
            add(
                "solar is for chargers and heat pumps, not for batteries", hint: "use off, now or guided", at: node,
                of: &device)
        }
    }
}

extension DeviceKind {
    /// What such devices are called.
    var noun: String {
        switch self {
        case .ev: "chargers"
        case .hvac: "heat pumps"
        case .meter: "meters"
        }
    }
}
