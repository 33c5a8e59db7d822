import EnergyKit
import Foundation
import Hub
import HubKit
import TestSupport
import Testing

/// The ways from EnergyKit to a hub.
enum Backing: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// The hub's own services, in this process.
    case services
    /// A hub in a process of its own, over its unix socket.
    case socket
    /// The same over HTTP, with a token.
    case http

    var testDescription: String { rawValue }

    /// Those with a hub that can be killed.
    static let remote: [Backing] = [.socket, .http]
}

/// A configuration of a test's own, with two homes: one has a rate plan, the other no source of guidance at all.
struct TestHome: Sendable {
    static let homeKitID = UUID(uuid: (13, 122, 106, 75, 107, 46, 74, 143, 156, 83, 47, 154, 75, 30, 124, 16))
    static let flat = "{flat: 0.30}"
    static let morning = "{flat: 0.30, periods: [{name: morning, price: 0.10, hours: \"00:00-12:00\"}]}"

    let folder: TemporaryFolder
    let port: Int
    private let http: String
    private let venue: String

    /// - Parameters:
    ///   - http: further keys of `http:`.
    ///   - venue: further keys of the first home.
    init(http: String = "", venue: String = "") throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        self.http = http
        self.venue = venue
        try write(plan: Self.flat)
    }

    var configuration: URL { folder.file("offpeak.yaml") }
    var socket: String { folder.file("hub.sock").path }

    /// Writes the configuration, with another rate plan or another source.
    func write(plan: String? = nil, guidance: String? = nil, name: String = "Home") throws {
        let source = plan.map { "rate_plan: \($0)" } ?? "guidance: \(guidance ?? "{}")"
        try folder.write(
            """
            data: data
            http:
              listen: "127.0.0.1:\(port)"
              socket: hub.sock
            \(http.isEmpty ? "" : "  " + http)
            venues:
              - name: \(name)
                time_zone: Europe/Berlin
                currency: EUR
                home_id: \(Self.homeKitID)
                \(source)
            \(venue.isEmpty ? "" : "    " + venue)
              - {name: Garden, time_zone: Europe/London}

            """, to: "offpeak.yaml")
    }

    /// Makes an access token.
    func token(role: String = "operator") async throws -> String {
        let outcome = try await HubProcess.offpeak("token", "create", "--role", role, "--config", configuration.path)
        guard outcome.status == 0, let token = outcome.standardOutput.split(separator: "\n").last else {
            throw HubProcess.Failure(description: "no token: \(outcome)")
        }
        return String(token)
    }

    /// How a program reaches the hub.
    func settings(
        _ backing: Backing, token: String, name: String = "tests", pauses: [Duration] = PatientCall.pauses
    ) throws -> ClientSettings {
        var settings = ClientSettings(
            address: try HubAddress(backing == .socket ? "unix:\(socket)" : "http://127.0.0.1:\(port)"),
            token: backing == .socket ? .none : .text(token), name: name)
        settings.pauses = pauses
        return settings
    }

    /// Runs `body` with a hub behind EnergyKit.
    func withHub(_ backing: Backing, _ body: () async throws -> Void) async throws {
        guard backing == .services else {
            let token = try await token()
            let hub = try await HubProcess.run(configuration)
            try await EnergyKitSystem.withBackend(try EnergyKitClient(try settings(backing, token: token))) {
                try await body()
            }
            _ = await hub.terminate()
            return
        }
        let runtime = try await HubRuntime(
            try ConfigurationReader.read(configuration),
            options: HubOptions(share: Share.find(nil), clock: SystemClock(), log: .silent))
        await runtime.start()
        do {
            try await EnergyKitSystem.withBackend(runtime.energyKit) { try await body() }
        } catch {
            await runtime.stop()
            throw error
        }
        await runtime.stop()
    }

    /// The home with a rate plan.
    static func home() async throws -> EnergyVenue {
        try await EnergyVenue.venue(matchingHomeUniqueIdentifier: homeKitID)
    }
}

/// The first guidance for a venue.
func guidance(
    _ action: ElectricityGuidance.SuggestedAction = .shift, at venue: UUID
) async throws -> ElectricityGuidance {
    for try await guidance in ElectricityGuidance.sharedService.guidance(
        using: .init(suggestedAction: action), at: venue)
    {
        return guidance
    }
    throw HubProcess.Failure(description: "the guidance ended by itself")
}
