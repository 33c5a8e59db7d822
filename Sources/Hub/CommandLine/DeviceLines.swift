import HubKit

/// The lines of a configuration that make a device, to be copied into a file.
struct DeviceLines {
    var id: String
    var profile: DeviceProfile
    var options: [String] = []
    /// What a meter measures; the profile's first where nothing is known.
    var role: MeterRole?
    /// The highest current of a charger in amps, where it is known.
    var maximumAmps: Double?
    /// The power of heating at full stage in watts, where it is known.
    var maximumWatts: Double?
    /// The keys of its connection with their values, in order.
    var connection: [(key: String, value: String)]
    var parameters: [String: String] = [:]

    /// The lines, as an element of `devices:`.
    var lines: [String] {
        var lines = ["- id: \(id)", "  driver: \(profile.kind.rawValue)", "  profile: \(profile.name)"]
        if !options.isEmpty { lines.append("  options: [\(options.joined(separator: ", "))]") }
        if profile.kind == .meter, let role = role ?? profile.roles.first {
            let others = profile.roles.filter { $0 != role }.map(\.rawValue)
            let comment = others.isEmpty ? "" : "  # or \(others.joined(separator: ", "))"
            lines.append("  role: \(role.rawValue)\(comment)")
        }
        if let charger = profile.charger, !charger.isMaximumKnown || maximumAmps != nil {
            let comment = maximumAmps == nil ? "  # what the charger and its cable are made for" : ""
            lines.append("  limits: {max_amps: \(plain(maximumAmps ?? 16))}\(comment)")
        }
        if let hvac = profile.hvac, hvac.needsFullPower || maximumWatts != nil {
            let comment = maximumWatts == nil ? "  # what it draws at full stage" : ""
            lines.append("  limits: {max_watts: \(plain(maximumWatts ?? 3000))}\(comment)")
        }
        var keys = connection.map { "\($0.key): \($0.value)" }
        if !parameters.isEmpty {
            let filled = parameters.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.quoted($0.value))" }
            keys.append("parameters: {\(filled.joined(separator: ", "))}")
        }
        return lines + ["  connection: {\(keys.joined(separator: ", "))}"]
    }

    /// A text as YAML takes it for a text.
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
