import HubKit
import WebAPI

/// The MQTT side of a hub.
actor BridgeEdge {
    init(_ configuration: MQTTConfiguration, services: HubServices) {}
    func start() async {}
    func stop() async {}
}
