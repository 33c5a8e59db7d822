package import Control
package import Foundation
package import Guidance
package import HubKit
package import YAML

/// The hub's configuration file as values.
package struct HubConfiguration: Sendable {
    /// Where the hub keeps its database.
    package var dataFolder: URL
    /// Where it listens for HTTP.
    package var http = HTTPConfiguration()
    /// The MQTT broker, where there is one.
    package var mqtt: MQTTConfiguration?
    /// The homes.
    package var venues: [VenueConfiguration] = []
    /// The circuits that devices hang on.
    package var circuits: [CircuitConfiguration] = []
    /// The sources of prices, carbon and solar power that homes name.
    package var sources: [SourceConfiguration] = []
    /// The devices.
    package var devices: [ConfiguredDevice] = []
    /// A folder of the user's own profiles.
    package var profileFolder: URL?
    /// Whether load events go to the MQTT broker too.
    package var sendsEventsToMQTT = false
    /// The other places that load events go to.
    package var sinks: [SinkConfiguration] = []
    /// The whole of the configuration file.
    package var rootPlace: YAMLNode?
}

extension HubConfiguration {
    /// The same with every device held below what its circuit carries.
    package var capped: HubConfiguration {
        var capped = self
        for index in capped.devices.indices {
            let device = capped.devices[index].configuration
            guard let amps = circuit(device.circuit)?.amps else { continue }
            capped.devices[index].configuration.limits.maximumAmps = min(device.limits.maximumAmps ?? amps, amps)
        }
        return capped
    }

    /// The circuit of this name.
    package func circuit(_ name: String?) -> CircuitConfiguration? { circuits.first { $0.name == name } }
}

/// A cable with a limit of its own.
package struct CircuitConfiguration: Sendable {
    /// What people call it.
    package var name: String
    /// What it carries, in amps for each phase; nil only while a fault of it is not mended.
    package var amps: Double?
    /// Where the configuration file describes it.
    package var place: YAMLNode?
}

/// Where the hub listens for HTTP.
package struct HTTPConfiguration: Sendable, Equatable {
    /// The address; loopback until a token or password exists.
    package var host = "127.0.0.1"
    /// The port.
    package var port: UInt16 = 8484
    /// A unix socket for programs on the machine.
    package var socketPath: String?
    /// Whether reading needs a credential too on loopback; beyond loopback it always does.
    package var protectsReading = false
    /// Where the hub listens for TLS as well, with a credential for everything.
    package var tls: EncryptedListener?
    /// How often a program that names itself, as all that use EnergyKit do, may submit events.
    package var submissionsPerMinute = 60

    /// The usual settings.
    package init() {}

    /// Whether only this machine can reach it.
    package var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress = parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || host == "::1" || isAddress
    }
}

/// Where the hub listens for TLS, and its certificate.
package struct EncryptedListener: Sendable, Equatable {
    /// The address.
    package var host: String
    /// The port.
    package var port: UInt16
    /// The file with the certificate and what is between it and its authority, in PEM.
    package var certificateFile: String
    /// The file with its private key, in PEM.
    package var keyFile: String
}

/// The MQTT broker.
package struct MQTTConfiguration: Sendable, Equatable {
    /// Its address.
    package var host: String
    /// Its port.
    package var port: UInt16
    /// Other brokers of the same cluster, as `HOST:PORT`.
    package var fallbacks: [String] = []
    /// The user's name, where it wants one.
    package var user: String?
    /// The password; read from a file or the environment, never shown.
    package var password: String?
    /// The topic everything stands under.
    package var base: String
    /// The topic that Home Assistant's discovery listens under; nothing where it is not told.
    package var homeAssistantPrefix: String?
    /// The hub's own name there; nothing for one by chance.
    package var clientID: String?
    /// Whether the broker keeps what comes while the hub is away.
    package var keepsSession = false
    /// Whether it is spoken to over TLS, and with which files.
    package var tls = BrokerTLS()
}

/// A home and what its guidance is made from.
package struct VenueConfiguration: Sendable {
    /// What its people call it.
    package var name: String
    /// The identifier, where one is given.
    package var id: UUID?
    /// Its wall clock.
    package var timeZone: TimeZone
    /// The currency of its prices.
    package var currency: String?
    /// HomeKit's identifier of the home.
    package var homeID: UUID?
    /// Whether a guidance token counts only for the program or device that fetched it.
    package var hasStrictTokens = false
    /// Where it is.
    package var location: Location?
    /// Its fuse.
    package var connection: GridConnection?
    /// What its chargers may draw where a limit from outside is expected and nobody is heard.
    package var externalLimit: ExternalLimitRules?
    /// Where another system tells whether anybody is there.
    package var presence: PresenceSource?
    /// The rate plan, where it has one.
    package var ratePlan: RatePlan?
    /// A file with a price series.
    package var priceFile: URL?
    /// What is added to a price and multiplied with it.
    package var priceComposition = PriceComposition()
    /// A file with a carbon series.
    package var carbonFile: URL?
    /// The sources of its guidance beside, or in place of, those files.
    package var choices = GuidanceChoices()
    /// What the house uses by itself, in watts; without it plans leave the sun out.
    package var baseLoadWatts: Double?
    /// How much price and carbon count in ratings.
    package var weights = RatingWeights(price: 1, carbon: 1)
    /// What a kilogram of carbon counts as money in plans.
    package var carbonPricePerKg = 0.0
    /// Where the configuration file describes it.
    package var place: YAMLNode?

    /// Makes a venue's configuration.
    package init(name: String, timeZone: TimeZone) {
        self.name = name
        self.timeZone = timeZone
    }
}

/// A device with what belongs to the hub rather than to its driver.
package struct ConfiguredDevice: Sendable {
    /// What the driver needs; its venue is filled in when the venues' identifiers are known.
    package var configuration: DeviceConfiguration
    /// The place of its home in the list of venues.
    package var venueIndex: Int
    /// The goal until someone sets another.
    package var goal: ConfiguredGoal?
    /// Where the configuration file describes it.
    package var place: YAMLNode?
    /// Why it can't be used: the hub runs without it then.
    package var fault: String?
}

/// A charging goal that returns every day.
package struct ConfiguredGoal: Sendable, Equatable {
    /// How much.
    package var amount: ChargingGoal.Amount
    /// Minutes after midnight on the venue's wall clock.
    package var readyByMinute: Int
    /// The least current in solar mode.
    package var minimumAmps: Double?

    /// The goal as of now: the next time the wall clock shows the time of day.
    package func goal(at now: Date, in zone: TimeZone) -> ChargingGoal {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let time = DateComponents(hour: readyByMinute / 60, minute: readyByMinute % 60)
        let next =
            calendar.nextDate(after: now, matching: time, matchingPolicy: .nextTime) ?? now.addingTimeInterval(86_400)
        return ChargingGoal(amount: amount, readyBy: next, repeatsDaily: true, minimumAmps: minimumAmps, setAt: now)
    }
}
