import Bridge
import HubKit
import MQTT
import WebAPI

/// The MQTT side of a hub: one client for the bridge and the event sink.
actor BridgeEdge {
    nonisolated let client: MQTTClient
    private let base: String
    private let homeAssistant: HomeAssistantLink?
    private var bridge: MQTTBridge?
    private var task: Task<Void, Never>?

    /// Makes the client; it connects at `start`, and the hub works without a broker.
    /// - Parameters:
    ///   - configuration: the broker, and what is shown there.
    ///   - log: gets a line for each change.
    /// - Throws: `HubError` when the configuration can't be used.
    init(_ configuration: MQTTConfiguration, log: HubLog) throws(HubError) {
        let log = log.labelled("mqtt")
        base = configuration.base
        homeAssistant = configuration.homeAssistantPrefix.map {
            HomeAssistantLink(prefix: $0, version: Version.number)
        }
        do {
            self.client = try MQTTClient(MQTTBridge.configured(configuration.client, base: configuration.base)) {
                log.notice($0)
            }
        } catch {
            throw HubError(
                .configuration,
                "the MQTT broker can't be used: \(plainWords(of: error)); look at 'mqtt:' in the configuration")
        }
    }

    func start(_ services: HubServices) async {
        let bridge = MQTTBridge(
            client: client, base: base, board: services.board, plans: services.plans, controller: services.controller,
            guidance: services.guidance, venues: services.venues, clock: services.clock, log: services.log,
            homeAssistant: homeAssistant)
        self.bridge = bridge
        task = Task { await bridge.run() }
        await client.start()
    }

    /// Whether this hub may publish under the base topic, as soon as that is known.
    func mayPublish() async -> Bool { await bridge?.mayPublish() ?? true }

    /// Takes no more commands and says good-bye; devices may still be told something.
    func stop() async {
        let bridge = bridge
        // A broker that is away must not hold the end up.
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await bridge?.stop() }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
        task?.cancel()
    }

    /// Ends the connection, once every device is in its safe state.
    func close() async {
        await client.close()
        await task?.value
    }
}

extension MQTTConfiguration {
    /// The broker as the client wants it.
    var client: MQTT.MQTTConfiguration {
        var client = MQTT.MQTTConfiguration(host: host, port: Int(port))
        client.others = fallbacks.compactMap { MQTTPlace($0, standard: Int(port)) }
        client.userName = user
        client.password = password
        client.clientID = clientID
        client.isCleanSession = !keepsSession
        if tls.isUsed {
            client.tls = .init(
                authorityFile: tls.authorityFile, certificateFile: tls.certificateFile, keyFile: tls.keyFile)
        }
        return client
    }
}
