import Foundation
package import HubKit

/// What every device of a profile has in common; drivers build on it.
package struct ProfiledDevice: Sendable {
    /// The device's configuration.
    package let configuration: DeviceConfiguration
    /// Its profile, with what its connection fills in.
    package let profile: DeviceProfile
    /// What it can tell and do.
    package let capabilities: DeviceCapabilities
    /// The hub's time.
    package let clock: any HubClock
    /// Where to say what changed.
    package let log: HubLog
    private let buses: ModbusBuses
    private let networks: DeviceNetworks
    private let zone: TimeZone
    private let ranges: PlausibleRanges
    private let opened = Opened()

    /// Looks up the profile; connects to nothing.
    /// - Throws: `HubError` that says what in the configuration is wrong and how to mend it.
    package init(
        _ configuration: DeviceConfiguration, kind: DeviceKind, buses: ModbusBuses, networks: DeviceNetworks,
        context: DriverContext
    ) throws(HubError) {
        try ProfiledDevice.faults(configuration, kind: kind, profiles: context.profiles).refuse(configuration.id)
        guard let name = configuration.profile,
            let profile = try context.profiles.profile(name, options: configuration.profileOptions)
        else {
            throw HubError(
                .configuration,
                "\(configuration.id): the profile '\(configuration.profile ?? "")' has faults of its own")
        }
        self.configuration = configuration
        self.profile = profile.filled(for: configuration.connection)
        self.buses = buses
        self.networks = networks
        zone = context.venues[configuration.venueID]?.timeZone ?? .gmt
        clock = context.clock
        log = context.log.labelled("device.\(configuration.id)")
        capabilities = profile.capabilities(configuration.limits)
        ranges = PlausibleRanges(profile: profile, connection: context.venues[configuration.venueID]?.connection)
    }

    /// The one session with the device; made at the first call, connected at the first request.
    /// - Throws: `HubError` when the configuration names no usable connection.
    package func session() async throws -> ProfileSession {
        if let known = await opened.session { return known }
        let networked = try await networks.session(
            profile, configuration.connection, clock: clock, zone: zone, ranges: ranges)
        if let networked { return await opened.keep(networked) }
        guard let bus = await buses.connection(to: configuration.connection, profile.transport) else {
            throw HubError(
                .configuration,
                "the connection of \(configuration.id) is not complete; give host, or a serial path with framing such as 8N1"
            )
        }
        let unit = ModbusBuses.unit(configuration.connection, profile.transport)
        let wire = RegisterWire(profile, bus: bus, unit: unit, traffic: networks.traffic)
        return await opened.keep(ProfileSession(profile: profile, wire: wire, ranges: ranges))
    }

    /// Runs the poll loop until the task is cancelled.
    /// - Parameters:
    ///   - reporter: where readings and health go.
    ///   - body: one round.
    package func poll(
        _ reporter: DeviceReporter, _ body: @escaping @Sendable (ProfileSession) async throws -> PollLoop.Result
    ) async {
        let loop = PollLoop(
            intervalSeconds: configuration.pollSeconds ?? profile.pollSeconds, clock: clock, log: log)
        await loop.run(reporter) { try await body(try await session()) }
    }

    /// Keeps the session, since a device is a value and its connection is not.
    private actor Opened {
        private(set) var session: ProfileSession?

        func keep(_ made: ProfileSession) -> ProfileSession {
            if let session { return session }
            session = made
            return made
        }
    }
}
