import Foundation
import HubKit
import YAML

extension ConfigurationReader {
    /// Reads the devices.
    /// - Parameter isWhole: whether all of the file could be read; otherwise a name that is not found may yet be there.
    func readDevices(
        _ nodes: [YAMLNode]?, in configuration: HubConfiguration, isWhole: Bool
    ) -> [ConfiguredDevice] {
        var devices: [ConfiguredDevice] = []
        for (index, node) in (nodes ?? []).enumerated() {
            guard let device = readDevice(node, index, configuration, isWhole) else { continue }
            let id = device.configuration.id
            if let first = devices.first(where: { $0.configuration.id == id }) {
                issues.add(
                    "two devices are called '\(id)'",
                    hint: "an id is unique; the first is on line \(first.place?.line ?? 0)", at: node["id"] ?? node)
            }
            devices.append(device)
        }
        return devices
    }

    private func readDevice(
        _ node: YAMLNode, _ index: Int, _ whole: HubConfiguration, _ isWhole: Bool
    ) -> ConfiguredDevice? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        // A stand-in, so that the rest of the device is looked at too.
        let id = readID(&reader) ?? DeviceID("device-\(index)-without-id") ?? "device-without-id"
        let name = label(&reader, "name")
        let driver = text(&reader, "driver", isRequired: true)
        let venue = readVenueName(&reader, whole.venues, isWhole)
        // The venue's identifier is filled in once the store knows it.
        var device = DeviceConfiguration(
            id: id, name: name ?? id.rawValue, venueID: UUID(), driver: driver ?? "",
            connection: readConnection(reader.optionalMapping("connection")))
        device.profile = text(&reader, "profile")
        device.profileOptions = readOptions(&reader)
        device.role = reader.optionalChoice("role", MeterRole.self)
        device.limits = readLimits(reader.optionalMapping("limits"))
        device.circuit = readCircuit(&reader, whole.circuits, isWhole)
        device.priority = reader.optionalInt("priority", in: 0...10) ?? 0
        device.vehicle = readVehicle(reader.optionalMapping("vehicle"))
        device.battery = readBattery(reader.optionalMapping("battery"))
        device.mode = reader.optionalChoice("mode", DeviceMode.self)
        device.pollSeconds = reader.optionalDouble("poll_seconds", in: 0.5...3600)
        device.feedsWatchdog = reader.optionalBool("feed_watchdog") ?? true
        let goals = readGoal(reader.optionalMapping("goal"))
        device.comfort = goals.comfort
        device.awaySetbackKelvin = reader.optionalDouble("away_setback_kelvin", in: 0...10)
        return ConfiguredDevice(configuration: device, venueIndex: venue, goal: goals.charging, place: node)
    }

    /// The options of the profile, by name.
    private func readOptions(_ reader: inout YAMLReader) -> [String] {
        (reader.optionalSequence("options") ?? []).compactMap { option in
            if option.asString == nil {
                issues.add(
                    "an option is a name", hint: "'offpeak profiles --json' lists those of each profile", at: option)
            }
            return option.asString
        }
    }

    private func readID(_ reader: inout YAMLReader) -> DeviceID? {
        guard let text = reader.string("id") else { return nil }
        if let id = DeviceID(text) { return id }
        reader.add(
            "'\(YAMLNode.shown(text))' can't be a device id", hint: "use letters, digits, - and _, at most 64", at: "id"
        )
        return nil
    }

    private func readVenueName(_ reader: inout YAMLReader, _ venues: [VenueConfiguration], _ isWhole: Bool) -> Int {
        let names = venues.map(\.name)
        // A venue whose own name can't be read may be the one that is meant.
        let isCertain = isWhole && !names.contains("") && !names.isEmpty
        guard let name = text(&reader, "venue") else {
            if venues.count > 1, isCertain, reader.node["venue"] == nil {
                issues.add(
                    "the device needs a venue",
                    hint: "add 'venue:'; \(NearestWord.advice(for: "", among: names, ifNone: ""))", at: reader.node)
            }
            return 0
        }
        if let index = names.firstIndex(of: name) { return index }
        if isCertain {
            reader.add(
                "there is no venue '\(YAMLNode.shown(name))'",
                hint: NearestWord.advice(for: name, among: names, ifNone: "add it under 'venues:'"), at: "venue")
        }
        return 0
    }

    private func readCircuit(
        _ reader: inout YAMLReader, _ circuits: [CircuitConfiguration], _ isWhole: Bool
    ) -> String? {
        guard let name = text(&reader, "circuit") else { return nil }
        if isWhole, !circuits.contains(where: { $0.name == name }) {
            let add = "add it under circuits: [{name: \(YAMLNode.shown(name)), amps: 32}]"
            reader.add(
                "there is no circuit '\(YAMLNode.shown(name))'",
                hint: NearestWord.advice(for: name, among: circuits.map(\.name), ifNone: add), at: "circuit")
        }
        return name
    }

    private func readLimits(_ reader: YAMLReader?) -> DeviceLimits {
        guard var reader else { return DeviceLimits() }
        defer { reader.finish() }
        var limits = DeviceLimits(
            minimumAmps: reader.optionalDouble("min_amps", in: 1...80),
            maximumAmps: reader.optionalDouble("max_amps", in: 1...80), phases: reader.optionalInt("phases", in: 1...3),
            price: reader.optionalDouble("price_per_kwh", in: PriceLimit.range).map { PriceLimit(pricePerKWh: $0) })
        limits.maximumWatts = reader.optionalDouble("max_watts", in: 1...100_000)
        if let low = limits.minimumAmps, let high = limits.maximumAmps, low > high {
            issues.add("min_amps is above max_amps", hint: "swap them", at: reader.node)
        }
        return limits
    }

    private func readBattery(_ reader: YAMLReader?) -> BatteryConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let capacity = reader.double("capacity_kwh", in: 0.1...1000)
        let charge = reader.double("charge_watts", in: 100...1e6)
        let discharge = reader.double("discharge_watts", in: 100...1e6)
        let least = reader.optionalDouble("minimum_state_of_charge", in: 0...95)
        let efficiency = reader.optionalDouble("efficiency", in: 0.3...1)
        let wear = reader.optionalDouble("wear_per_kwh", in: 0...100)
        let priority = reader.optionalDouble("priority_state_of_charge", in: 0...100)
        let chargesFromGrid = reader.optionalBool("charge_from_grid")
        guard let capacity, let charge, let discharge else { return nil }
        var battery = BatteryConfiguration(
            capacityWattHours: capacity * 1000, chargeWatts: charge, dischargeWatts: discharge)
        battery.minimumStateOfCharge = least ?? battery.minimumStateOfCharge
        battery.efficiency = efficiency ?? battery.efficiency
        battery.wearPerKWh = wear ?? battery.wearPerKWh
        battery.priorityStateOfCharge = priority ?? battery.priorityStateOfCharge
        battery.chargesFromGrid = chargesFromGrid ?? battery.chargesFromGrid
        return battery
    }

    private func readVehicle(_ reader: YAMLReader?) -> VehicleConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        var vehicle = VehicleConfiguration(
            capacityWattHours: reader.optionalDouble("capacity_kwh", in: 0.1...1000).map { $0 * 1000 },
            efficiency: reader.optionalDouble("efficiency", in: 0.3...1) ?? 0.9,
            assumedStateOfCharge: reader.optionalDouble("assumed_state_of_charge", in: 0...100))
        vehicle.chargeTopic = topic(&reader, "state_of_charge_topic")
        vehicle.chargePath = path(of: "state_of_charge_topic", &reader, "state_of_charge_path")
        return vehicle
    }
}
