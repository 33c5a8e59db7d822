import HubKit
import ProfileKit
import YAML

/// Currents and goals that can't be.
extension ConfigurationCheck {
    func checkCharger(
        _ device: inout ConfiguredDevice, at place: YAMLNode, _ whole: HubConfiguration, _ profile: DeviceProfile?
    ) {
        let limits = device.configuration.limits
        let venue = whole.venues.indices.contains(device.venueIndex) ? whole.venues[device.venueIndex] : nil
        if let connection = venue?.connection {
            if let amps = limits.maximumAmps, amps > connection.amps {
                let most = YAMLNode.plain(connection.amps)
                add(
                    "\(YAMLNode.plain(amps)) A is above the \(most) A of the home's connection",
                    hint: "write at most \(most)", at: place.nearest("limits.max_amps"), of: &device)
            }
            if let phases = limits.phases, phases > connection.phases {
                add(
                    "the home's connection has \(connection.phases) phase\(connection.phases == 1 ? "" : "s")",
                    hint: "write at most \(connection.phases)", at: place.nearest("limits.phases"), of: &device)
            }
        }
        let least = max(profile?.charger?.current.minimumAmps ?? 6, limits.minimumAmps ?? 0)
        if let amps = whole.circuit(device.configuration.circuit)?.amps, amps < least {
            add(
                "the circuit carries \(YAMLNode.plain(amps)) A, but a car needs \(YAMLNode.plain(least)) A or more",
                hint: "choose another circuit, or mend its amps", at: place.nearest("circuit"), of: &device)
        }
    }

    func checkGoal(_ device: inout ConfiguredDevice, at place: YAMLNode, _ profile: DeviceProfile?) {
        let vehicle = device.configuration.vehicle
        if let node = place["goal"]?["state_of_charge"], vehicle?.capacityWattHours == nil,
            place["vehicle"]?["capacity_kwh"] == nil
        {
            add(
                "a goal in percent needs the car's capacity", hint: "add vehicle: {capacity_kwh: 58}", at: node,
                of: &device)
        }
        let most = min(
            profile?.charger?.current.maximumAmps ?? .infinity, device.configuration.limits.maximumAmps ?? .infinity)
        if let amps = device.goal?.minimumAmps, amps > most {
            add(
                "\(YAMLNode.plain(amps)) A is above the \(YAMLNode.plain(most)) A that the charger is allowed",
                hint: "write at most \(YAMLNode.plain(most))", at: place.nearest("goal.minimum_amps"), of: &device)
        }
        if case .energy(let wattHours)? = device.goal?.amount, let vehicle, let capacity = vehicle.capacityWattHours,
            wattHours * vehicle.efficiency > capacity
        {
            issues.warn(
                "\(YAMLNode.plain(wattHours / 1000)) kWh is more than the battery takes",
                hint: "check it against vehicle.capacity_kwh", at: place.nearest("goal.energy_kwh"))
        }
    }

    func checkComfort(_ device: inout ConfiguredDevice, at place: YAMLNode, _ profile: DeviceProfile?) {
        let lacksPower = profile?.hvac?.needsFullPower == true && device.configuration.limits.maximumWatts == nil
        // Whether it takes more is not known before its power is.
        if device.configuration.mode == .solar, !lacksPower, let profile, let node = place["mode"],
            profile.capabilities(device.configuration.limits).hvac?.canTakeMore == false
        {
            add(
                "a device of the profile '\(profile.name)' can't be brought to take more",
                hint: "use off, now or guided", at: node, of: &device)
        }
        guard let celsius = device.configuration.comfort?.setpointCelsius, let profile,
            profile.commands[.setpoint] != nil, let range = profile.hvac?.setpointCelsius, !range.contains(celsius)
        else { return }
        let (low, high) = (YAMLNode.plain(range.lowerBound), YAMLNode.plain(range.upperBound))
        add(
            "the profile '\(profile.name)' takes \(low) to \(high) °C", hint: "write a temperature in that range",
            at: place.nearest("goal.setpoint_celsius"), of: &device)
    }
}
