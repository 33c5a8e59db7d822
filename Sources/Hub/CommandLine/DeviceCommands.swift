import EnergyKit
import Foundation
import HubKit
import MQTT
import OCPP
import WebServer

/// Subcommands that speak to one device without a hub.
enum DeviceCommands {
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

    static func read(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "read")
        let name = try given.only("DEVICE")
        let path = given["config"] ?? "/etc/offpeak/offpeak.yaml"
        let share = try Share.find(given["share"]).with(.profiles)
        let checked = try ConfigurationCheck.run(URL(fileURLWithPath: path), share: share)
        let configuration = try checked.usable()
        guard let device = configuration.devices.map(\.configuration).first(where: { $0.id.rawValue == name }) else {
            let known = configuration.devices.map(\.configuration.id.rawValue).joined(separator: ", ")
            throw Arguments.Misuse(
                description: "\(path) has no device '\(name)'; it has \(known.isEmpty ? "none" : known)")
        }
        if let fault = configuration.devices.first(where: { $0.configuration.id == device.id })?.fault {
            throw HubError(.configuration, fault)
        }
        let central = CentralSystem()
        let broker = try await broker(of: device, configuration)
        guard let driver = try DriverRegistry.standard(central: central, broker: broker)[device.driver] else {
            throw HubError(.configuration, "there is no driver '\(device.driver)'")
        }
        let instance = try driver.makeDevice(device, in: DriverContext.forChecking(checked.profiles, configuration))
        var server: WebServer?
        if case .ocpp = device.connection { server = try await listen(configuration.http, central) }
        let points = try await inspect(instance)
        await server?.stop(within: .milliseconds(200))
        if given.has("json") {
            try Console.json(points, with: JSONEncoder())
        } else {
            Console.table(
                ["point", "value", "raw", "place"],
                points.map { [$0.name, $0.value ?? "not available", $0.raw, $0.place] })
        }
        return .success
    }

    /// Reads every point; a device that answers and refuses is no failure of the program.
    private static func inspect(_ instance: any Device) async throws -> [InspectedPoint] {
        do {
            return try await instance.inspect()
        } catch let error as any RetryableError {
            let isRefusal = error.retryClass == .permanent || error.retryClass == .needsPerson
            guard isRefusal, (error as? HubError)?.code ?? .device == .device else { throw error }
            throw HubError(.refused, plainWords(of: error))
        }
    }

    /// The hub's own broker, where the device is there; under another name than the hub's, which may run meanwhile.
    private static func broker(
        of device: DeviceConfiguration, _ configuration: HubConfiguration
    ) async throws -> MQTTClient? {
        guard case .mqtt = device.connection, let mqtt = configuration.mqtt else { return nil }
        var settings = MQTT.MQTTConfiguration(host: mqtt.host, port: Int(mqtt.port))
        settings.userName = mqtt.user
        settings.password = mqtt.password
        let client = try MQTTClient(settings)
        await client.start()
        return client
    }
}

extension DriverContext {
    /// A context for making devices that are read or checked outside a hub.
    static func forChecking(_ profiles: ProfileLibrary, _ configuration: HubConfiguration) -> DriverContext {
        DriverContext(
            venues: VenueRegistry([]), guidance: NoHub(), events: NoHub(), profiles: profiles, clock: SystemClock(),
            log: .silent)
    }
}

/// What services answer where no hub runs: that none does.
private struct NoHub: GuidanceProviding, EventSubmitting {
    private let failure = EnergyKitFailure(.serviceUnavailable, detail: "no hub is running here")

    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance {
        throw failure
    }

    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        let failure = failure
        return AsyncThrowingStream { $0.finish(throwing: failure) }
    }

    func submit(_ events: [AnyLoadEvent], at venue: UUID, from client: String?) async throws -> SubmissionReceipt {
        throw failure
    }
}
