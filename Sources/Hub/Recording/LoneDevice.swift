import Foundation
import HubKit
import MQTT
import OCPP
import ProfileKit
import WebServer

/// One device of a configuration without a hub around it, to be looked at.
struct LoneDevice {
    /// Its configuration.
    let configuration: DeviceConfiguration
    /// Its profile with its options, where it has one.
    let profile: DeviceProfile?
    /// The device.
    let device: any Device
    private let server: WebServer?

    /// Makes the device; connects to nothing that it does not need for that.
    /// - Parameters:
    ///   - name: its identifier.
    ///   - given: the arguments, with `config` and `share`.
    ///   - traffic: hears what is said to and by it.
    /// - Throws: `Misuse` where the configuration has no such device, `HubError` where it can't be made.
    init(_ name: String, _ given: Arguments, traffic: TrafficTap? = nil) async throws {
        let path = given["config"] ?? "/etc/offpeak/offpeak.yaml"
        let share = try Share.find(given["share"]).with(.profiles)
        let checked = try ConfigurationCheck.run(URL(fileURLWithPath: path), share: share)
        let whole = try await checked.usableWithKeptSeries()
        guard let configured = whole.devices.first(where: { $0.configuration.id.rawValue == name }) else {
            let known = whole.devices.map(\.configuration.id.rawValue).joined(separator: ", ")
            throw Arguments.Misuse(
                description: "\(path) has no device '\(name)'; it has \(known.isEmpty ? "none" : known)")
        }
        if let fault = configured.fault { throw HubError(.configuration, fault) }
        var own = configured.configuration
        // Whoever looks at a device changes nothing there.
        own.feedsWatchdog = false
        configuration = own
        profile = checked.profiles.profile(of: own)
        let central = CentralSystem()
        let broker = try await Self.broker(of: own, whole)
        let registry = try DriverRegistry.standard(central: central, broker: broker, traffic: traffic)
        guard let driver = registry[own.driver] else {
            throw HubError(.configuration, "there is no driver '\(own.driver)'")
        }
        device = try driver.makeDevice(own, in: .forChecking(checked.profiles, whole))
        if case .ocpp = own.connection {
            server = try await Self.listen(whole.http, central)
        } else {
            server = nil
        }
    }

    /// Ends what was begun for it.
    func close() async { await server?.stop(within: .milliseconds(200)) }

    /// Reads every point; a device that answers and refuses is no failure of the program.
    func inspect() async throws -> [InspectedPoint] {
        do {
            return try await device.inspect()
        } catch let error as any RetryableError {
            let isRefusal = error.retryClass == .permanent || error.retryClass == .needsPerson
            guard isRefusal, (error as? HubError)?.code ?? .device == .device else { throw error }
            throw HubError(.refused, plainWords(of: error))
        }
    }

    /// Lets chargers connect as the hub would, so that one can be read that does not wait to be asked.
    private static func listen(_ http: HTTPConfiguration, _ central: CentralSystem) async throws -> WebServer {
        let settings = WebServerConfiguration(host: http.host, port: Int(http.port))
        let server = WebServer(configuration: settings, webSockets: [central.route]) { _ in .status(503) }
        do {
            try await server.start()
        } catch {
            throw HubError(
                .connection,
                "a charger of OCPP connects to \(http.host):\(http.port), which can't be listened at: \(plainWords(of: error)); a running hub has its values at /api/v1/devices, stop it to read the charger here",
                retry: .transient)
        }
        Console.error("waiting for the charger at \(http.host):\(await server.boundPort ?? 0)")
        return server
    }

    /// The hub's own broker, where the device is there; under another name than the hub's, which may run meanwhile.
    private static func broker(
        of device: DeviceConfiguration, _ configuration: HubConfiguration
    ) async throws -> MQTTClient? {
        guard case .mqtt(let topic) = device.connection, topic.host == nil, let mqtt = configuration.mqtt else {
            return nil
        }
        let client = try MQTTClient(mqtt.client)
        await client.start()
        return client
    }
}
