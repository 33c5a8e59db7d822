import Foundation
import OCPP

/// A charger's settings, as it told them; keys are compared without regard to case.
struct ChargerSettings: Sendable, Equatable {
    private struct Setting: Sendable, Equatable {
        var value: String
        var isReadOnly: Bool
    }

    private var settings: [String: Setting] = [:]

    /// Nothing is known.
    init() {}

    /// Reads the answer to `GetConfiguration`; what it can't read is left out.
    init(_ answer: Payload) {
        for entry in answer["configurationKey"]?.asList ?? [] {
            guard let key = entry["key"]?.asText else { continue }
            let value = (try? PayloadReader(entry).optionalText("value")) ?? ""
            settings[key.lowercased()] = Setting(value: value, isReadOnly: entry["readonly"] == .bool(true))
        }
    }

    /// Whether anything is known.
    var isEmpty: Bool { settings.isEmpty }

    /// A setting's value.
    subscript(key: String) -> String? { settings[key.lowercased()]?.value }

    /// Whether the charger has the setting and lets it be changed.
    func isChangeable(_ key: String) -> Bool { settings[key.lowercased()]?.isReadOnly == false }

    /// The charger took a new value.
    mutating func took(_ key: String, _ value: String) { settings[key.lowercased()]?.value = value }

    /// The parts of a list.
    func list(_ key: String) -> [String]? {
        self[key]?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// The unit that limits may have, which several write as `A` and `W`; nothing where the charger does not say.
    var rateUnit: CentralRequest.RateUnit? {
        guard let units = list("ChargingScheduleAllowedChargingRateUnit")?.map({ $0.lowercased() }) else { return nil }
        if units.contains("current") || units.contains("a") { return .amps }
        return units.contains("power") || units.contains("w") ? .watts : nil
    }

    /// The highest place a charging profile may have.
    var stackLevel: Int { self["ChargeProfileMaxStackLevel"].flatMap { Int($0) }.map { max(0, $0) } ?? 0 }

    /// Whether it may have a feature: also where it does not list them.
    func mayHave(_ feature: String) -> Bool {
        guard let features = list("SupportedFeatureProfiles"), !features.isEmpty else { return true }
        return features.contains { $0.lowercased() == feature.lowercased() }
    }
}
