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
        var tls: MQTTConfiguration.TLS?
    }

    private let own: MQTTClient?
    private let patience: Duration
    /// Hears what is said to and by devices.
    package nonisolated let traffic: TrafficTap?
    private var brokers: [Broker: MQTTClient] = [:]
    private var web: WebClient?
    private var turns: [String: Turn] = [:]

    /// Nothing is connected yet.
    /// - Parameters:
    ///   - broker: the hub's own broker, which its owner starts and closes.
    ///   - patience: how long a first reading waits for messages, in real time.
    ///   - traffic: hears what is said to and by devices.
    package init(broker: MQTTClient? = nil, patience: Duration = .seconds(5), traffic: TrafficTap? = nil) {
        own = broker
        self.patience = patience
        self.traffic = traffic
    }

    /// A session with a device of messages or requests; nothing where the profile speaks Modbus, or the connection is of
    /// another sort.
    /// - Parameters:
    ///   - profile: the device's profile.
    ///   - connection: how the configuration says to reach it.
    ///   - clock: the hub's time.
    ///   - zone: the zone of times without an offset.
    ///   - ranges: what its quantities can be.
    /// - Throws: `HubError` where the broker or the client can't be had.
    package func session(
        _ profile: DeviceProfile, _ connection: DeviceConnection, clock: any HubClock, zone: TimeZone,
        ranges: PlausibleRanges? = nil
    ) async throws -> ProfileSession? {
        let filled = profile.filled(for: connection)
        let wire = try await wire(filled, connection, clock: clock, zone: zone)
        return wire.map { ProfileSession(profile: filled, wire: $0, ranges: ranges) }
    }

    private func wire(
        _ filled: DeviceProfile, _ connection: DeviceConnection, clock: any HubClock, zone: TimeZone
    ) async throws -> (any ProfileWire)? {
        switch connection {
        case .mqtt(let topic):
            guard case .mqtt(let topics) = filled.link else { return nil }
            return MessageWire(
                filled, topics, client: try await broker(topic), clock: clock, zone: zone, patience: patience,
                traffic: traffic)
        case .http(let address):
            guard case .http(let requests) = filled.link else { return nil }
            return RequestWire(
                filled, requests, at: address, client: try client(), turn: turn(address.base), clock: clock, zone: zone,
                traffic: traffic)
        case .modbusTCP, .modbusRTU, .ocpp, .none: return nil
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
        let key = Broker(
            host: host, port: topic.port ?? (topic.usesTLS ? 8883 : 1883), user: topic.user, password: topic.password,
            tls: topic.usesTLS ? topic.files : nil)
        if let known = brokers[key] { return known }
        var configuration = MQTTConfiguration(host: host, port: Int(key.port))
        configuration.userName = topic.user
        configuration.password = topic.password
        configuration.tls = key.tls
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

extension DeviceTopic {
    /// The files for that broker over TLS.
    fileprivate var files: MQTTConfiguration.TLS {
        MQTTConfiguration.TLS(authorityFile: authorityFile, certificateFile: certificateFile, keyFile: keyFile)
    }
}
