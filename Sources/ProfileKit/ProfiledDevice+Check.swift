package import HubKit
import YAML

extension ProfiledDevice {
    /// Everything that is wrong with a device of a profile: its profile, its connection and its limits.
    /// - Parameters:
    ///   - configuration: the device.
    ///   - kind: what the driver's devices are.
    ///   - profiles: the profiles that are known.
    package static func faults(
        _ configuration: DeviceConfiguration, kind: DeviceKind, profiles: ProfileLibrary
    ) -> [DeviceFault] {
        let profile = configuration.profile.flatMap { profiles[$0] }
        var faults = connectionFaults(configuration.connection, profile)
        let fitting = profiles.all.filter { $0.kind == kind }.map(\.name)
        let list = "'offpeak profiles --driver \(kind.rawValue)' lists them"
        guard let name = configuration.profile else {
            return faults + [DeviceFault("profile", "the device needs a profile", remedy: "add 'profile:'; \(list)")]
        }
        guard let profile else {
            // A profile that is there but broken has its faults said at its own file.
            guard !profiles.isBroken(name) else { return faults }
            return faults
                + [
                    DeviceFault(
                        "profile", "there is no profile '\(YAMLNode.shown(name))'",
                        remedy: advice(for: name, among: fitting, kind))
                ]
        }
        guard profile.kind == kind else {
            return faults + [
                DeviceFault(
                    "profile",
                    "the profile '\(name)' is for \(profile.kind.rawValue) devices, not for \(kind.rawValue)",
                    remedy: advice(for: name, among: fitting, kind))
            ]
        }
        do {
            let chosen = try profiles.profile(name, options: configuration.profileOptions) ?? profile
            // One fault of the connection is enough.
            if faults.isEmpty {
                faults += ConnectionCheck(connection: configuration.connection, profile: chosen).faults
            }
            if let hvac = chosen.hvac { faults += powerFaults(configuration.limits, hvac, name) }
            if let charger = chosen.charger {
                faults += limitFaults(
                    configuration.limits, charger, name, isReadOnly: chosen.commands[.current] == nil)
            }
        } catch {
            let parts = error.message.split(separator: "; ", maxSplits: 1).map(String.init)
            faults.append(DeviceFault("options", parts.first ?? "", remedy: parts.dropFirst().first ?? ""))
        }
        return faults
    }

    /// The profile that was probably meant; there are too many to name them all.
    private static func advice(for name: String, among fitting: [String], _ kind: DeviceKind) -> String {
        let nearest = NearestWord.match(name, among: fitting).map { "did you mean '\($0)'? " } ?? ""
        return nearest + "'offpeak profiles --driver \(kind.rawValue)' lists those that fit"
    }

    private static func connectionFaults(
        _ connection: DeviceConnection, _ profile: DeviceProfile?
    ) -> [DeviceFault] {
        switch connection {
        case .none:
            if let profile { return ConnectionCheck(connection: connection, profile: profile).faults }
            return [
                DeviceFault("connection", "the device needs a connection", remedy: "add connection: {host: 192.0.2.7}")
            ]
        case .modbusRTU(_, _, let framing?, _) where SerialFraming(framing) == nil:
            return [
                DeviceFault(
                    "connection.framing", "'\(YAMLNode.shown(framing))' is no framing",
                    remedy: "write data bits, parity and stop bits, such as 8N1 or \"8E1\"")
            ]
        case .ocpp:
            return [
                DeviceFault(
                    "connection.ocpp", "no profile speaks OCPP",
                    remedy: "use 'driver: ocpp' without a profile, or a host or a serial line")
            ]
        case .modbusTCP, .modbusRTU, .mqtt, .http: return []
        }
    }

    /// Where nobody knows how much the device draws.
    private static func powerFaults(_ limits: DeviceLimits, _ hvac: ProfileHVAC, _ name: String) -> [DeviceFault] {
        guard hvac.needsFullPower, limits.maximumWatts == nil else { return [] }
        return [
            DeviceFault(
                "limits.max_watts", "the profile '\(name)' does not know how much the device draws",
                remedy: "add limits: {max_watts: …} with its power at full stage")
        ]
    }

    /// Where the limits and the profile leave nothing to charge with, or ask for what it can't do.
    private static func limitFaults(
        _ limits: DeviceLimits, _ charger: ProfileCharger, _ name: String, isReadOnly: Bool
    ) -> [DeviceFault] {
        let range = charger.current
        let (least, most) = (YAMLNode.plain(range.minimumAmps), YAMLNode.plain(range.maximumAmps))
        var faults: [DeviceFault] = []
        if !charger.isMaximumKnown, limits.maximumAmps == nil, !isReadOnly {
            faults.append(
                DeviceFault(
                    "limits.max_amps", "the profile '\(name)' does not know the charger's highest current",
                    remedy: "add limits: {max_amps: …} with what the charger and its cable are made for"))
        }
        if charger.isMaximumKnown, let amps = limits.maximumAmps, amps > range.maximumAmps {
            faults.append(
                DeviceFault(
                    "limits.max_amps", "\(YAMLNode.plain(amps)) A is above the \(most) A of the profile '\(name)'",
                    remedy: "write at most \(most)"))
        }
        if let amps = limits.maximumAmps, amps < range.minimumAmps {
            faults.append(
                DeviceFault(
                    "limits.max_amps", "\(YAMLNode.plain(amps)) A leaves no current: a car needs \(least) A or more",
                    remedy: "raise limits.max_amps to \(least) or more"))
        }
        if let low = limits.minimumAmps, let high = limits.maximumAmps, low > high {
            faults.append(
                DeviceFault("limits", "min_amps is above max_amps", remedy: "swap them, or raise limits.max_amps"))
        }
        if charger.isMaximumKnown, let amps = limits.minimumAmps, amps > range.maximumAmps {
            faults.append(
                DeviceFault(
                    "limits.min_amps", "\(YAMLNode.plain(amps)) A is above the \(most) A of the profile '\(name)'",
                    remedy: "write at most \(most)"))
        }
        if let phases = limits.phases, let all = charger.phases.max(), phases > all {
            faults.append(
                DeviceFault(
                    "limits.phases", "the profile '\(name)' charges on \(all) at most", remedy: "write at most \(all)"))
        }
        return faults
    }
}
