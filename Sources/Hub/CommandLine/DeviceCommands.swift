import EnergyKit
import Foundation
import HubKit

/// Subcommands that speak to one device without a hub.
enum DeviceCommands {
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
        guard let driver = try DriverRegistry.standard()[device.driver] else {
            throw HubError(.configuration, "there is no driver '\(device.driver)'")
        }
        let instance = try driver.makeDevice(device, in: DriverContext.forChecking(checked.profiles, configuration))
        let points = try await inspect(instance)
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
