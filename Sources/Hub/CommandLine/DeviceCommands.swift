import EnergyKit
import Foundation
import HubKit

/// Subcommands that speak to one device without a hub.
enum DeviceCommands {
    static func read(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "read")
        let lone = try await LoneDevice(try given.only("DEVICE"), given)
        let points = try await lone.inspect()
        await lone.close()
        if given.has("json") {
            try Console.json(points, with: JSONEncoder())
        } else {
            Console.table(
                ["point", "value", "raw", "place"],
                points.map { [$0.name, $0.value ?? "not available", $0.raw, $0.place] })
        }
        return .success
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
