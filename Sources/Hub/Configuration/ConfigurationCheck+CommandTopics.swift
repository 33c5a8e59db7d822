import HubKit
import ProfileKit
import YAML

/// Devices that would be told different things at one topic.
extension ConfigurationCheck {
    private struct Told: Hashable {
        var broker: String
        var topic: String
        var payload: String
    }

    /// Finds topics of parameters that another device is told at, whatever the profiles: a relay that two devices switch.
    ///
    /// One topic with other payloads may be meant, such as that of a gateway.
    func checkCommandTopics(_ configuration: inout HubConfiguration, _ profiles: ProfileLibrary) {
        var known: [Told: (id: DeviceID, line: Int)] = [:]
        for index in configuration.devices.indices {
            var device = configuration.devices[index]
            let connection = device.configuration.connection
            guard let place = device.place, let profile = profiles.profile(of: device.configuration),
                let address = Address(connection, profile.transport, configuration.mqtt)
            else { continue }
            let told = profile.commandTopics(for: connection).map {
                (parameter: $0.parameter, told: Told(broker: address.line, topic: $0.topic, payload: $0.payload))
            }
            let shared = told.first { known[$0.told] != nil }
            let node = place["connection"] ?? place
            // Where everything is the same, that was said.
            if let shared, let other = known[shared.told], !deviceIssues.hasError(at: node.path, in: node.file) {
                add(
                    "'\(other.id)' on line \(other.line) is told at the same topic: \(YAMLNode.shown(shared.told.topic))",
                    hint: "give each device its own, or remove one of the two",
                    at: place.nearest("connection.parameters.\(shared.parameter)"), of: &device)
            }
            for (_, told) in told {
                known[told] = known[told] ?? (device.configuration.id, place.line)
            }
            configuration.devices[index] = device
        }
    }
}
