import Control
import EnergyKit
import Foundation

/// A device's JSON with reading, goal, limit and plan lifted one level up, as topics want it.
///
/// A reading's values keep their names. What is wanted and what is planned must never pass for what was measured, so
/// where such a name would mean two things it has a word before it: `goalStateOfCharge`, `goalSetpointCelsius`,
/// `limitPricePerKWh`, `plannedEnergyWattHours`.
enum FlatState {
    /// The names of each part that mean something else on the level above.
    private static let renamed = [
        "goal": ["stateOfCharge": "goalStateOfCharge", "setpointCelsius": "goalSetpointCelsius"],
        "limit": ["pricePerKWh": "limitPricePerKWh"],
        "plan": ["energyWattHours": "plannedEnergyWattHours"],
    ]

    /// The text, or nothing where it can't be written as JSON.
    static func text(_ device: DeviceJSON) -> String? {
        guard let data = try? EnergyKitJSON.encoder().encode(device),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return nil }
        var flat: [String: Any] = [:]
        for key in ["reading", "goal", "limit", "plan"] {
            guard let part = object[key] as? [String: Any] else { continue }
            for (name, value) in part {
                let name = renamed[key]?[name] ?? name
                if flat[name] == nil { flat[name] = value }
            }
        }
        // A setpoint is a wish either way: a device that does not tell its own has the one it is asked for.
        if flat["setpointCelsius"] == nil { flat["setpointCelsius"] = flat["goalSetpointCelsius"] }
        flat["mode"] = object["mode"]
        // Why it does what it does now; the plan's own sentence where there is one.
        flat["reason"] = flat["reason"] ?? object["reason"]
        if let health = object["health"] as? [String: Any] { flat["health"] = health["state"] }
        flat["deviceID"] = nil
        guard
            let text = try? JSONSerialization.data(
                withJSONObject: flat, options: [.sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
