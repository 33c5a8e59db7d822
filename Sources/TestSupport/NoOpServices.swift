package import EnergyKit
import Foundation
package import HubKit

/// A guidance service that has none.
package struct NoOpGuidance: GuidanceProviding {
    /// Makes it.
    package init() {}

    package func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance {
        throw EnergyKitFailure(.guidanceUnavailable)
    }

    package func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        AsyncThrowingStream { $0.finish(throwing: EnergyKitFailure(.guidanceUnavailable)) }
    }
}

/// A way in for load events that takes all and keeps none.
package struct NoOpEvents: EventSubmitting {
    /// Makes it.
    package init() {}

    package func submit(
        _ events: [AnyLoadEvent], at venue: UUID, from client: String?
    ) async throws -> SubmissionReceipt {
        SubmissionReceipt(accepted: events.count, duplicates: 0)
    }
}

extension DriverContext {
    /// A context for tests of drivers: one venue, services that do nothing, and the profiles of this project.
    /// - Parameters:
    ///   - clock: the time.
    ///   - profiles: the profiles; the shipped ones by default.
    ///   - log: where lines go.
    package static func forTests(
        clock: any HubClock = ManualClock(), profiles: ProfileLibrary = .shipped, log: HubLog = .silent
    ) -> DriverContext {
        DriverContext(
            venues: VenueRegistry([Venue(id: UUID(), name: "Home", timeZone: .gmt)]), guidance: NoOpGuidance(),
            events: NoOpEvents(), profiles: profiles, clock: clock, log: log)
    }
}

extension ProfileLibrary {
    /// The folder of the profiles that come with the project.
    package static let shippedFolder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("etc/profiles")

    /// The profiles that come with the project.
    package static let shipped = ProfileLibrary(roots: [shippedFolder])
}

extension DeviceConfiguration {
    /// The configuration of a device of a profile at a port of the loopback interface.
    /// - Throws: `HubError` when the name is no device id.
    package static func forTests(
        _ driver: String, profile: String, port: UInt16, unit: UInt8? = nil, id name: String = "device-under-test"
    ) throws -> DeviceConfiguration {
        guard let id = DeviceID(name) else { throw HubError(.configuration, "'\(name)' is no device id") }
        var configuration = DeviceConfiguration(
            id: id, name: name, venueID: UUID(), driver: driver,
            connection: .modbusTCP(host: "127.0.0.1", port: port, unit: unit))
        configuration.profile = profile
        configuration.role = driver == "meter" ? .grid : nil
        return configuration
    }
}
