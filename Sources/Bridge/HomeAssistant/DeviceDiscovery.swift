import Guidance
import HubKit

/// Which entities a device has in Home Assistant, by what it can tell and do.
struct DeviceDiscovery {
    let device: DeviceState
    /// The base topic of the hub.
    let base: String
    let currency: String?
    let version: String

    private var id: DeviceID { device.configuration.id }

    private func command(_ name: String) -> String { "\(base)/devices/\(id)/set/\(name)" }

    private var stateTopic: String { "\(base)/devices/\(id)/state" }

    private var hub: DiscoveryDocument.Availability { .init(topic: "\(base)/status") }

    /// The whole message.
    var document: DiscoveryDocument {
        var components = energy.merging(kind) { first, _ in first }
        components["problem"] = problem
        let configuration = device.configuration
        return DiscoveryDocument(
            object: HomeAssistantTopics.object(id.rawValue, base: base), name: configuration.name,
            model: configuration.profile, version: version,
            availability: [hub, .init(topic: "\(base)/devices/\(id)/availability")], stateTopic: stateTopic,
            components: components)
    }

    /// It stays available while the device is away: that is what it tells.
    private var problem: DiscoveryEntity {
        var entity = DiscoveryEntity.binary(
            "Problem", "health", isOneOf: ["degraded", "offline", "disabled"], class: "problem")
        entity.entityCategory = "diagnostic"
        entity.availability = [hub]
        return entity
    }

    // MARK: - Measured

    private var energy: [String: DiscoveryEntity] {
        guard let meter = device.capabilities.meter else { return [:] }
        var found: [String: DiscoveryEntity] = [:]
        if meter.power {
            found["power"] = .sensor("Power", "powerWatts", unit: "W", class: "power", precision: 0)
        }
        let names = counterNames
        if meter.importEnergy { found["import"] = .energy(names.import, "importWattHours") }
        if meter.exportEnergy { found["export"] = .energy(names.export, "exportWattHours") }
        for phase in 0..<min(3, meter.phases) {
            found["current_l\(phase + 1)"] = .sensor(
                "Current L\(phase + 1)", "currentL\(phase + 1)Amps", unit: "A", class: "current", precision: 1)
        }
        return found
    }

    private var counterNames: (import: String, export: String) {
        switch device.configuration.role {
        case .grid: ("Import", "Feed-in")
        case .solar: ("Produced", "Drawn")
        // Positive is what a battery gives: it imports into the house.
        case .battery: ("Discharged", "Charged")
        case .load, nil: ("Energy", "Fed back")
        }
    }

    private var kind: [String: DiscoveryEntity] {
        switch device.kind {
        case .ev: charger.merging(planned) { first, _ in first }
        case .hvac: heating.merging(planned) { first, _ in first }
        case .meter: battery
        }
    }

    private var battery: [String: DiscoveryEntity] {
        guard device.configuration.role == .battery else { return [:] }
        var found = ["charge": stateOfCharge]
        guard device.capabilities.battery != nil, device.configuration.battery != nil else { return found }
        found["mode"] = modes([.off, .now, .guided])
        return found.merging(planned) { first, _ in first }
    }

    private var stateOfCharge: DiscoveryEntity {
        .sensor("State of charge", "stateOfCharge", unit: "%", class: "battery", precision: 0)
    }

    // MARK: - Steered

    private func modes(_ names: [DeviceMode]) -> DiscoveryEntity {
        var entity = DiscoveryEntity(.select, name: "Mode")
        entity.valueTemplate = DiscoveryEntity.shown("v.mode | default(none)")
        entity.commandTopic = command("mode")
        entity.options = names.map(\.rawValue)
        return entity
    }

    private var charger: [String: DiscoveryEntity] {
        var found: [String: DiscoveryEntity] = ["mode": modes(DeviceMode.allCases), "limit_price": priceLimit]
        guard let charger = device.capabilities.charger else { return found }
        if charger.plugState {
            found["plugged"] = .binary("Car", "plug", isOneOf: ["plugged"], class: "plug")
        }
        if charger.chargingState {
            found["charging"] = .binary("Charging", "charging", isOneOf: ["charging"], class: "battery_charging")
        }
        if charger.stateOfCharge { found["charge"] = stateOfCharge }
        if charger.currentLimit != nil {
            found["limit"] = .sensor("Current limit", "limitAmps", unit: "A", class: "current", precision: 1)
        }
        found["ready_by"] = .sensor("Ready by", "readyBy", class: "timestamp", state: nil)
        if device.configuration.vehicle?.capacityWattHours != nil {
            found["goal_charge"] = amount(
                "Goal", DiscoveryEntity.shown("v.goalStateOfCharge | default(none)"), unit: "%", most: 100, step: 1)
        }
        found["goal_energy"] = amount(
            "Energy goal",
            DiscoveryEntity.shown("(v.energyWattHours / 1000) if v.energyWattHours is defined else none"),
            unit: "kWh", most: 200, step: 0.1)
        return found
    }

    /// How much the goal is about; its time stays as it is.
    private func amount(
        _ name: String, _ value: String, unit: String, most: Double, step: Double
    ) -> DiscoveryEntity {
        var entity = DiscoveryEntity(.number, name: name)
        entity.valueTemplate = value
        entity.commandTopic = command("goal")
        entity.commandTemplate =
            unit == "%" ? "{\"stateOfCharge\": {{ value }}}" : "{\"energyWattHours\": {{ (value * 1000) | round }}}"
        entity.unitOfMeasurement = unit
        (entity.min, entity.max, entity.step) = (0, most, step)
        entity.mode = "box"
        entity.payloadReset = "None"
        return entity
    }

    private var priceLimit: DiscoveryEntity {
        // What about a euro cent is worth in the currency, so that the range fits crowns and forints as well.
        let cent = RatingFloors(currency: currency).pricePerKWh
        var entity = DiscoveryEntity(.number, name: "Price limit")
        entity.valueTemplate = DiscoveryEntity.shown("v.limitPricePerKWh | default(none)")
        entity.commandTopic = command("limit")
        entity.unitOfMeasurement = "\(currency ?? "money")/kWh"
        (entity.min, entity.max, entity.step) = (-100 * cent, 200 * cent, 0.001)
        entity.mode = "box"
        entity.payloadReset = "None"
        return entity
    }

    private var heating: [String: DiscoveryEntity] {
        let canTakeMore = device.capabilities.hvac?.canTakeMore == true
        var found = ["mode": modes(canTakeMore ? [.off, .now, .guided, .solar] : [.off, .now, .guided])]
        guard let hvac = device.capabilities.hvac else { return found }
        if hvac.stage { found["stage"] = .sensor("Stage", "stage", unit: "%", precision: 0) }
        for (temperature, key, name, member) in Self.temperatures where hvac.temperatures.contains(temperature) {
            found[key] = .sensor(name, member, unit: "°C", class: "temperature", precision: 1)
        }
        // A heating rod has neither a room nor a temperature to set.
        if !hvac.drawsOnlySurplus { found["climate"] = climate(hvac) }
        return found
    }

    private static let temperatures: [(HVACCapabilities.Temperature, String, String, String)] = [
        (.room, "room", "Room", "roomCelsius"), (.outdoor, "outdoor", "Outdoors", "outdoorCelsius"),
        (.flow, "flow", "Flow", "flowCelsius"), (.returnFlow, "return", "Return", "returnCelsius"),
        (.hotWater, "hot_water", "Hot water", "hotWaterCelsius"),
    ]

    private func climate(_ hvac: HVACCapabilities) -> DiscoveryEntity {
        var entity = DiscoveryEntity(.climate, name: nil)
        // `guided` is what Home Assistant calls automatic, `now` heating whatever the hour.
        entity.modes = ["off", "heat", "auto"]
        entity.modeCommandTopic = command("mode")
        entity.modeCommandTemplate = "{{ {'off': 'off', 'heat': 'now', 'auto': 'guided'}[value] }}"
        entity.modeStateTopic = stateTopic
        entity.modeStateTemplate =
            DiscoveryEntity.shown(
                "{'off': 'off', 'now': 'heat', 'guided': 'auto', 'solar': 'auto'}[v.mode] if v.mode is defined else none"
            )
        entity.temperatureCommandTopic = command("setpoint")
        entity.temperatureStateTopic = stateTopic
        entity.temperatureStateTemplate = DiscoveryEntity.shown("v.setpointCelsius | default(none)")
        if hvac.temperatures.contains(.room) {
            entity.currentTemperatureTopic = stateTopic
            entity.currentTemperatureTemplate = DiscoveryEntity.shown("v.roomCelsius | default(none)")
        }
        if hvac.mode {
            entity.actionTopic = stateTopic
            entity.actionTemplate =
                DiscoveryEntity.shown(
                    "{'off': 'off', 'idle': 'idle', 'heating': 'heating', 'cooling': 'cooling', 'hotWater': 'heating', "
                        + "'defrosting': 'idle'}[v.hvacMode] if v.hvacMode is defined else none")
        }
        let range = hvac.setpointCelsius ?? 5...35
        (entity.minTemp, entity.maxTemp, entity.tempStep) = (range.lowerBound, range.upperBound, 0.5)
        entity.temperatureUnit = "C"
        return entity
    }

    // MARK: - Planned

    private var planned: [String: DiscoveryEntity] {
        var reason = DiscoveryEntity(.sensor, name: "Plan")
        // A state of Home Assistant has 255 characters at most.
        reason.valueTemplate = DiscoveryEntity.shown("(v.reason | default('none'))[:255]")
        var start = DiscoveryEntity.sensor("Next start", "intervals", class: "timestamp", state: nil)
        start.valueTemplate =
            DiscoveryEntity.shown("v.intervals[0].start if v.intervals is defined and v.intervals else none")
        var found = ["plan": reason, "next_start": start]
        if device.kind == .ev {
            found["planned_energy"] = .energy("Planned energy", "plannedEnergyWattHours")
            found["planned_energy"]?.stateClass = nil
            found["cost"] = .sensor("Planned cost", "cost", unit: currency, class: "monetary", state: nil, precision: 2)
        }
        return found
    }
}
