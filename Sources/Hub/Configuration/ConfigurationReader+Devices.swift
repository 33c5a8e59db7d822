import Foundation
import HubKit
import YAML

extension ConfigurationReader {
    func readDevices(
        _ nodes: [YAMLNode]?, venues: [VenueConfiguration], circuits: [String: Double]
    ) -> [ConfiguredDevice] {
        var devices: [ConfiguredDevice] = []
        for node in nodes ?? [] {
            guard let device = readDevice(node, venues, circuits) else { continue }
            if devices.contains(where: { $0.configuration.id == device.configuration.id }) {
                issues.add(
                    "two devices are called '\(device.configuration.id)'", hint: "an id is unique; rename one", at: node
                )
            }
            devices.append(device)
        }
        return devices
    }

    private func readDevice(
        _ node: YAMLNode, _ venues: [VenueConfiguration], _ circuits: [String: Double]
    ) -> ConfiguredDevice? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let id = readID(&reader)
        let name = text(&reader, "name")
        let driver = reader.string("driver")
        let venue = readVenueName(&reader, venues)
        let connection = readConnection(reader.optionalMapping("connection"))
        let profile = reader.optionalString("profile")
        let options = (reader.optionalSequence("options") ?? []).compactMap { option -> String? in
            if option.asString == nil {
                issues.add(
                    "an option is a name", hint: "'offpeak profiles --json' lists those of each profile", at: option)
            }
            return option.asString
        }
        let role = reader.optionalChoice("role", MeterRole.self)
        var limits = readLimits(reader.optionalMapping("limits"))
        let circuit = readCircuit(&reader, circuits)
        if let circuit, let amps = circuits[circuit] { limits.maximumAmps = min(limits.maximumAmps ?? amps, amps) }
        let vehicle = readVehicle(reader.optionalMapping("vehicle"))
        let mode = reader.optionalChoice("mode", DeviceMode.self)
        let poll = reader.optionalDouble("poll_seconds", in: 0.5...3600)
        let feeds = reader.optionalBool("feed_watchdog") ?? true
        let goals = readGoal(reader.optionalMapping("goal"))
        guard let id, let driver, let venue else { return nil }
        // The venue's identifier is filled in once the store knows it.
        var configuration = DeviceConfiguration(
            id: id, name: name ?? id.rawValue, venueID: UUID(), driver: driver, connection: connection)
        configuration.profile = profile
        configuration.profileOptions = options
        configuration.role = role
        configuration.circuit = circuit
        configuration.limits = limits
        configuration.vehicle = vehicle
        configuration.comfort = goals.comfort
        configuration.mode = mode
        configuration.pollSeconds = poll
        configuration.feedsWatchdog = feeds
        return ConfiguredDevice(configuration: configuration, venueIndex: venue, goal: goals.charging)
    }

    private func readID(_ reader: inout YAMLReader) -> DeviceID? {
        guard let text = reader.string("id") else { return nil }
        if let id = DeviceID(text) { return id }
        issues.add(
            "'\(text)' can't be a device id", hint: "use letters, digits, - and _, at most 64",
            at: reader.node["id"] ?? reader.node)
        return nil
    }

    private func readVenueName(_ reader: inout YAMLReader, _ venues: [VenueConfiguration]) -> Int? {
        guard let name = reader.optionalString("venue") else {
            if venues.count > 1 {
                issues.add(
                    "the device needs a venue",
                    hint: "add venue: with one of \(venues.map(\.name).joined(separator: ", "))", at: reader.node)
            }
            return venues.count == 1 ? 0 : nil
        }
        if let index = venues.firstIndex(where: { $0.name == name }) { return index }
        issues.add(
            "there is no venue '\(name)'", hint: "one of \(venues.map(\.name).joined(separator: ", "))",
            at: reader.node["venue"] ?? reader.node)
        return nil
    }

    private func readConnection(_ reader: YAMLReader?) -> DeviceConnection {
        guard var reader else { return .none }
        defer { reader.finish() }
        let unit = reader.optionalInt("unit", in: 0...255).map { UInt8($0) }
        if let serial = text(&reader, "serial") {
            return .modbusRTU(
                path: serial, baud: reader.optionalInt("baud", in: 300...115_200),
                framing: reader.optionalString("framing"), unit: unit)
        }
        let host = text(&reader, "host")
        let port = reader.optionalInt("port", in: 1...65535).map { UInt16($0) }
        guard let host else {
            issues.add(
                "a connection needs a host or a serial line",
                hint: "such as {host: 192.0.2.7} or {serial: /dev/ttyUSB0}", at: reader.node)
            return .none
        }
        return .modbusTCP(host: host, port: port, unit: unit)
    }

    private func readLimits(_ reader: YAMLReader?) -> DeviceLimits {
        guard var reader else { return DeviceLimits() }
        defer { reader.finish() }
        let limits = DeviceLimits(
            minimumAmps: reader.optionalDouble("min_amps", in: 1...80),
            maximumAmps: reader.optionalDouble("max_amps", in: 1...80), phases: reader.optionalInt("phases", in: 1...3))
        if let low = limits.minimumAmps, let high = limits.maximumAmps, low > high {
            issues.add("min_amps is above max_amps", hint: "swap them", at: reader.node)
        }
        return limits
    }

    private func readCircuit(_ reader: inout YAMLReader, _ circuits: [String: Double]) -> String? {
        guard let name = reader.optionalString("circuit") else { return nil }
        if circuits[name] == nil {
            issues.add(
                "there is no circuit '\(name)'", hint: "add it under circuits: [{name: \(name), amps: 32}]",
                at: reader.node["circuit"] ?? reader.node)
        }
        return name
    }

    private func readVehicle(_ reader: YAMLReader?) -> VehicleConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        return VehicleConfiguration(
            capacityWattHours: reader.optionalDouble("capacity_kwh", in: 0.1...1000).map { $0 * 1000 },
            efficiency: reader.optionalDouble("efficiency", in: 0.3...1) ?? 0.9,
            assumedStateOfCharge: reader.optionalDouble("assumed_state_of_charge", in: 0...100))
    }

    private func readGoal(_ reader: YAMLReader?) -> (charging: ConfiguredGoal?, comfort: ComfortGoal?) {
        guard var reader else { return (nil, nil) }
        defer { reader.finish() }
        if let setpoint = reader.optionalDouble("setpoint_celsius", in: 5...35) {
            let band = reader.optionalDouble("comfort_band_kelvin", in: 0...5) ?? 1
            return (nil, ComfortGoal(setpointCelsius: setpoint, comfortBandKelvin: band))
        }
        let energy = reader.optionalDouble("energy_kwh", in: 0...1000)
        let percent = reader.optionalDouble("state_of_charge", in: 0...100)
        let minimum = reader.optionalDouble("minimum_amps", in: 1...80)
        let minute = readTimeOfDay(&reader)
        guard (energy == nil) != (percent == nil) else {
            issues.add(
                "a goal is energy_kwh or state_of_charge with ready_by, or setpoint_celsius",
                hint: "such as {energy_kwh: 20, ready_by: \"07:00\"}", at: reader.node)
            return (nil, nil)
        }
        let amount: ChargingGoal.Amount =
            energy.map { .energy(wattHours: $0 * 1000) } ?? .stateOfCharge(percent: percent ?? 0)
        return (minute.map { ConfiguredGoal(amount: amount, readyByMinute: $0, minimumAmps: minimum) }, nil)
    }

    private func readTimeOfDay(_ reader: inout YAMLReader) -> Int? {
        guard let text = reader.string("ready_by") else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]), let minute = Int(parts[1]),
            (0...23).contains(hour), (0...59).contains(minute)
        {
            return hour * 60 + minute
        }
        issues.add(
            "'\(text)' is not a time of day", hint: "such as \"07:00\", in quotes",
            at: reader.node["ready_by"] ?? reader.node)
        return nil
    }
}
