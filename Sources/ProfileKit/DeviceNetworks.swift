package import Foundation
package import HubKit
package import MQTT
import WebClient

/// The brokers and the HTTP client that the devices of a hub share.
///
/// Devices at one broker share one connection; requests to one address never cross, since many devices take one at a time.
package actor DeviceNetworks {
    private struct Broker: Hashable {
        var host: String
        var port: UInt16
        var user: String?
        var password: String?
    }

    private let own: MQTTClient?
    private let patience: Duration
    private var brokers: [Broker: MQTTClient] = [:]
    private var web: WebClient?
    private var turns: [String: Turn] = [:]

    /// Nothing is connected yet.
    /// - Parameters:
    ///   - broker: the hub's own broker, which its owner starts and closes.
    ///   - patience: how long a first reading waits for messages, in real time.
    package init(broker: MQTTClient? = nil, patience: Duration = .seconds(5)) {
        own = broker
        self.patience = patience
    }

    /// What carries a device's points and commands by messages or requests; nothing where the profile speaks Modbus, or
    /// the connection is of another sort.
    /// - Parameters:
    ///   - profile: the device's profile.
    ///   - connection: how the configuration says to reach it.
    ///   - clock: the hub's time.
    ///   - zone: the zone of times without an offset.
    /// - Throws: `HubError` where the broker or the client can't be had.
    package func wire(
        _ profile: DeviceProfile, _ connection: DeviceConnection, clock: any HubClock, zone: TimeZone
    ) async throws -> (any ProfileWire)? {
        switch connection {
        case .mqtt(let topic):
            let filled = profile.filled(topic: topic.topic, parameters: topic.parameters)
            guard case .mqtt(let topics) = filled.link else { return nil }
            return MessageWire(
                filled, topics, client: try await broker(topic), clock: clock, zone: zone, patience: patience)
        case .http(let address):
            let filled = profile.filled(parameters: address.parameters)
            guard case .http(let requests) = filled.link else { return nil }
            return RequestWire(
                filled, requests, at: address, client: try client(), turn: turn(address.base), clock: clock, zone: zone)
        case .modbusTCP, .modbusRTU, .none: return nil
        }
    }

    private func broker(_ topic: DeviceTopic) async throws -> MQTTClient {
        guard let host = topic.host else {
            guard let own else {
                throw HubError(
                    .configuration, "there is no broker; add mqtt: {host: 127.0.0.1}, or 'broker:' to the connection")
            }
            return own
        }
        let key = Broker(host: host, port: topic.port ?? 1883, user: topic.user, password: topic.password)
        if let known = brokers[key] { return known }
        var configuration = MQTTConfiguration(host: host, port: Int(key.port))
        configuration.userName = topic.user
        configuration.password = topic.password
        let made = try MQTTClient(configuration)
        brokers[key] = made
        await made.start()
        return made
    }

    private func client() throws -> WebClient {
        if let web { return web }
        // Devices are in the home; a proxy leads out of it.
        let made = try WebClient(WebClientConfiguration(usesProxyOfEnvironment: false))
        web = made
        return made
    }

    private func turn(_ base: String) -> Turn {
        if let known = turns[base] { return known }
        let made = Turn()
        turns[base] = made
        return made
    }
}
