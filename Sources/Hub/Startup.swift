import Control
import Foundation
import Guidance
import HubKit
import LoadEvents
import MQTT
import Sinks
import Storage
import WebClient

/// The steps from a configuration to parts that can run; nothing is written before everything was checked.
struct Startup {
    let configuration: HubConfiguration
    let options: HubOptions

    /// Checks what `ConfigurationCheck` did not, since a configuration may come from elsewhere: the machine's zone data.
    /// - Throws: `ConfigurationFaults`.
    func checked() throws(ConfigurationFaults) -> ProfileLibrary {
        guard Startup.hasTimeZoneData else {
            throw ConfigurationFaults(["the machine has no time zone data; install the package tzdata"])
        }
        return options.profiles
            ?? ProfileLibrary(roots: [options.share.profiles] + [configuration.profileFolder].compactMap(\.self))
    }

    /// Whether a zone with daylight saving time has it.
    static let hasTimeZoneData = TimeZone(identifier: "Europe/Berlin")?.nextDaylightSavingTimeTransition != nil

    func venues(_ store: HubStore) async throws -> VenueRegistry {
        var venues: [Venue] = []
        for venue in configuration.venues {
            let id = try await store.venueID(
                named: venue.name, configured: venue.id, home: venue.homeID)
            venues.append(
                Venue(
                    id: id, name: venue.name, timeZone: venue.timeZone, currency: venue.currency, homeID: venue.homeID,
                    connection: venue.connection, location: venue.location))
        }
        return VenueRegistry(venues)
    }

    func controlSettings(_ venues: VenueRegistry) -> ControlSettings {
        var settings = ControlSettings()
        for (configured, venue) in zip(configuration.venues, venues.all) {
            settings.carbonPricePerKg[venue.id] = configured.carbonPricePerKg
        }
        for (configured, venue) in zip(configuration.venues, venues.all) {
            settings.externalLimits[venue.id] = configured.externalLimit
        }
        for (configured, venue) in zip(configuration.venues, venues.all) where configured.presence != nil {
            settings.presenceVenues.insert(venue.id)
        }
        for circuit in configuration.circuits { settings.circuitAmps[circuit.name] = circuit.amps }
        return settings
    }

    /// The venues at which a token counts only for who fetched it.
    func strictVenues(_ venues: VenueRegistry) -> Set<UUID> {
        Set(zip(configuration.venues, venues.all).filter { $0.0.hasStrictTokens }.map { $0.1.id })
    }

    /// The sinks of the configuration, the hub's own books first.
    /// - Throws: what keeps a client for the network from being made.
    func sinks(_ store: HubStore, _ bridge: BridgeEdge?) throws -> [any EventSink] {
        var sinks: [any EventSink] = [LocalSink(store: store)]
        if configuration.sendsEventsToMQTT, let bridge, let mqtt = configuration.mqtt {
            sinks.append(MQTTEventSink(client: bridge.client, base: mqtt.base) { await bridge.mayPublish() })
        }
        return try sinks + configuration.sinks.map { try sink($0) }
    }

    private func sink(_ configured: SinkConfiguration) throws -> any EventSink {
        func client() throws -> WebClient {
            var settings = WebClientConfiguration()
            settings.authorityFile = configured.authorityFile
            return try WebClient(settings)
        }
        switch configured.kind {
        case .webhook(let address):
            return WebhookEventSink(
                address, client: try client(), clock: options.clock, wantsHistory: configured.wantsHistory)
        case .influx(let base, let target):
            return InfluxEventSink(
                base: base, target: target, client: try client(), clock: options.clock,
                wantsHistory: configured.wantsHistory)
        case .postgreSQL(let database, let schema):
            return PostgreSQLEventSink(database, schema: schema, wantsHistory: configured.wantsHistory)
        }
    }

    /// Makes every device; one whose configuration is wrong is disabled, with its reason on the board.
    func devices(
        in context: DriverContext, _ venues: VenueRegistry, board: DeviceBoard, controller: Controller,
        drivers registry: DriverRegistry
    ) async throws -> [(id: DeviceID, device: any Device)] {
        var made: [(id: DeviceID, device: any Device)] = []
        for configured in configuration.devices {
            var device = configured.configuration
            let venue = venues.all[configured.venueIndex]
            device.venueID = venue.id
            let now = options.clock.now
            if let fault = configured.fault {
                disable(device, kind: registry[device.driver]?.kind ?? .meter, fault, board, now)
                continue
            }
            guard let driver = registry[device.driver] else {
                let known = registry.all.map(\.name).joined(separator: ", ")
                disable(device, kind: .meter, "there is no driver '\(device.driver)'; use one of \(known)", board, now)
                continue
            }
            do {
                let instance = try driver.makeDevice(device, in: context)
                var capabilities = instance.capabilities
                if device.vehicle?.chargeTopic != nil { capabilities.charger?.stateOfCharge = true }
                board.add(
                    device, kind: driver.kind, capabilities: capabilities,
                    health: DeviceHealth(.starting, since: now))
                try await controller.adopt(
                    instance, id: device.id, firstGoal: configured.goal?.goal(at: now, in: venue.timeZone))
                made.append((device.id, instance))
            } catch let error as HubError where error.code == .configuration {
                disable(device, kind: driver.kind, error.message, board, now)
            }
        }
        return made
    }

    private func disable(
        _ device: DeviceConfiguration, kind: DeviceKind, _ reason: String, _ board: DeviceBoard, _ now: Date
    ) {
        board.add(
            device, kind: kind, capabilities: DeviceCapabilities(),
            health: DeviceHealth(.disabled, since: now, reason: reason))
        options.log.error("the device \(device.id) is disabled: \(reason)")
    }

    /// Says what a person should look at although the hub runs: a clock that can't be right, above all.
    func sayWhatIsOdd(_ store: HubStore) async {
        let now = options.clock.now
        if !options.clock.isBelievable {
            options.log.error(
                "the machine's clock shows \(now.formatted(.iso8601)), which can't be; set it, such as with 'timedatectl set-ntp true'; sessions are not recorded until it is"
            )
        }
        if let last = try? await store.newestEventTime(), last > now.addingTimeInterval(300) {
            options.log.error(
                "the clock shows \(now.formatted(.iso8601)), but the newest load event is of \(last.formatted(.iso8601)); set the clock, or events are refused as being in the past of their session"
            )
        }
    }
}

extension TimeZone {
    /// The next change of daylight saving time, where the zone has one and its data is there.
    fileprivate var nextDaylightSavingTimeTransition: Date? {
        nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: 1_704_067_200))
    }
}
