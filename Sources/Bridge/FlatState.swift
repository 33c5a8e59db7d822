import Control
import EnergyKit
import Foundation

/// A device's JSON with reading, goal and plan lifted one level up, as topics want it.
enum FlatState {
    /// The text, or nothing where it can't be written as JSON.
    static func text(_ device: DeviceJSON) -> String? {
        guard let data = try? EnergyKitJSON.encoder().encode(device),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return nil }
        var flat: [String: Any] = [:]
        for key in ["reading", "goal", "plan"] {
            guard let part = object[key] as? [String: Any] else { continue }
            // The device's own name for a value comes first: a plan's energy is not the goal's.
            for (name, value) in part where flat[name] == nil { flat[name] = value }
        }
        flat["mode"] = object["mode"]
        if let health = object["health"] as? [String: Any] { flat["health"] = health["state"] }
        flat["deviceID"] = nil
        guard let text = try? JSONSerialization.data(withJSONObject: flat, options: [.sortedKeys]) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
