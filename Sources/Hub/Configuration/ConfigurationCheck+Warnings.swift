import Foundation
import HubKit
import ProfileKit
import YAML

/// What is not wrong, but a person should look at.
extension ConfigurationCheck {
    func warn(_ configuration: HubConfiguration, _ profiles: ProfileLibrary) {
        warnAboutSecrets(configuration)
        warnAboutDatabase(configuration)
        for (index, venue) in configuration.venues.enumerated() {
            guard let place = venue.place, !venue.name.isEmpty else { continue }
            let devices = configuration.devices.filter { $0.venueIndex == index && $0.place != nil }
            warn(about: venue, at: place, devices)
        }
        let used = Set(configuration.devices.compactMap(\.configuration.circuit))
        for circuit in configuration.circuits where !used.contains(circuit.name) {
            guard let place = circuit.place else { continue }
            issues.warn(
                "no device is on the circuit '\(circuit.name)'", hint: "add 'circuit: \(circuit.name)' to those on it",
                at: place.nearest("name"))
        }
        for device in configuration.devices {
            warn(about: device)
            warnAboutComfort(device, profiles)
            warnAboutCharger(device, configuration.http)
        }
    }

    /// A charger that connects to the hub has to reach it, and others in the network should not pass for it.
    private func warnAboutCharger(_ device: ConfiguredDevice, _ http: HTTPConfiguration) {
        guard case .ocpp(let connection) = device.configuration.connection, let place = device.place else { return }
        let node = place.nearest("connection.ocpp")
        if http.isLoopback, http.tls == nil {
            issues.warn(
                "the hub listens at \(http.host), where no charger in the network reaches it",
                hint: "write http: {listen: \"0.0.0.0:\(http.port)\"} and create a token, or add 'tls:'", at: node)
        } else if connection.password == nil {
            issues.warn(
                "without a password anyone in the network can pass for this charger", hint: "add 'password_file:'",
                at: node)
        }
    }

    /// What draws nothing but surplus, as a heating rod does, is led by no temperature of a room.
    private func warnAboutComfort(_ device: ConfiguredDevice, _ profiles: ProfileLibrary) {
        guard let place = device.place, let profile = profiles.profile(of: device.configuration) else { return }
        var limits = device.configuration.limits
        // What it can do does not hang on how much power it has.
        limits.maximumWatts = limits.maximumWatts ?? 1000
        guard let hvac = profile.capabilities(limits).hvac, hvac.drawsOnlySurplus, hvac.setpointCelsius == nil,
            !hvac.temperatures.contains(.room)
        else { return }
        for key in ["goal", "away_setback_kelvin"] {
            guard let node = place[key], !node.isNull else { continue }
            issues.warn(
                "a device of the profile '\(profile.name)' knows no room and draws only surplus, so this does nothing",
                hint: "remove it", at: place.keyNode(key) ?? node)
        }
    }

    private func warn(about venue: VenueConfiguration, at place: YAMLNode, _ devices: [ConfiguredDevice]) {
        let chargers = devices.filter { drivers[$0.configuration.driver]?.kind == .ev }
        let grid = devices.filter { $0.configuration.role == .grid }
        if !chargers.isEmpty, venue.connection == nil, place["connection"] == nil {
            issues.warn(
                "nothing is known of the fuse, so the hub can't keep chargers below it",
                hint: "add connection: {phases: 3, amps: 35}", at: place)
        } else if let charger = chargers.first?.place, venue.connection != nil, grid.isEmpty {
            issues.warn(
                "without a meter of role grid at '\(venue.name)', a charger may use half of the connection only",
                hint: "add the grid meter", at: charger)
        }
        for second in grid.dropFirst() {
            guard let node = second.place else { continue }
            issues.warn(
                "'\(venue.name)' has a grid meter already", hint: "the hub follows the first; use another role here",
                at: node.nearest("role"))
        }
        if let device = devices.first(where: { $0.configuration.awaySetbackKelvin != nil })?.place,
            venue.presence == nil, place["presence_topic"] == nil
        {
            issues.warn(
                "nothing tells whether anybody is at '\(venue.name)', so this is never set back",
                hint: "add presence_topic: to the home", at: device.nearest("away_setback_kelvin"))
        }
        let guided = devices.first { $0.goal != nil || $0.configuration.comfort != nil }
        if let node = guided?.place, place["guidance"] == nil, place["rate_plan"] == nil {
            issues.warn(
                "'\(venue.name)' has neither guidance nor a rate plan: cars charge at once, heat pumps run as usual",
                hint: "add rate_plan: {flat: 0.30} or guidance:", at: node)
        }
    }

    private func warn(about device: ConfiguredDevice) {
        guard let place = device.place else { return }
        let configured = device.configuration
        if drivers[configured.driver]?.kind == .ev, place["circuit"] == nil, place["limits"]?["max_amps"] == nil {
            issues.warn(
                "no circuit and no limit holds this charger below what its cable carries",
                hint: "add 'circuit:' or limits: {max_amps: 16}", at: place)
        }
        if case .modbusRTU(let path, _, _, _) = configured.connection, path.hasPrefix("/"),
            FileManager.default.kind(of: URL(fileURLWithPath: path)) == nil
        {
            issues.warn(
                "\(path) is not there now", hint: "plug the adapter in; the hub tries again by itself",
                at: place.nearest("connection.serial"))
        }
    }

    private func warnAboutDatabase(_ configuration: HubConfiguration) {
        let file = configuration.dataFolder.appendingPathComponent("offpeak.sqlite")
        guard let place = configuration.rootPlace?["data"], FileManager.default.kind(of: file) == .typeRegular,
            let handle = try? FileHandle(forReadingFrom: file)
        else { return }
        defer { try? handle.close() }
        // An empty file is a database without tables.
        guard let head = try? handle.read(upToCount: 16), head != Data("SQLite format 3\0".utf8) else { return }
        issues.warn(
            "\(file.path) is no database", hint: "the hub sets it aside at its start and takes the newest backup",
            at: place)
    }

    private func warnAboutSecrets(_ configuration: HubConfiguration) {
        if let mqtt = configuration.rootPlace?["mqtt"] { warnAboutSecret(in: mqtt) }
        for device in configuration.devices {
            if let connection = device.place?["connection"] { warnAboutSecret(in: connection) }
        }
    }

    private func warnAboutSecret(in mapping: YAMLNode) {
        if let node = mapping["password"], let text = node.asString, !text.contains("${") {
            let others = Self.readers(of: file)
            issues.warn(
                others.map { "the password stands in a file that \($0) may read" } ?? "the password stands in the file",
                hint: "use 'password_file:' or ${NAME}", at: node)
        }
        guard let node = mapping["password_file"], let path = node.asString, !path.contains("${") else { return }
        let secret = URL(fileURLWithPath: path, relativeTo: file.deletingLastPathComponent()).absoluteURL
        guard let others = Self.readers(of: secret) else { return }
        issues.warn("\(others) may read \(secret.path)", hint: "chmod 600 \(secret.path)", at: node)
    }

    /// Who beside its owner and group may read a file.
    private static func readers(of file: URL) -> String? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o004 != 0 else { return nil }
        return "everybody on this machine"
    }
}
