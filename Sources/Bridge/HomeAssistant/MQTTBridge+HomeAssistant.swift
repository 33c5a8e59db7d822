import Control
import EnergyKit
import Foundation
import Guidance
import HubKit
import MQTT

/// Home Assistant's side of the bridge: it finds devices and homes by itself, is told again when it comes back, and
/// forgets what the hub no longer has.
extension MQTTBridge {
    /// Announces everything; sent once the broker is there.
    func noteDiscovery() {
        guard let homeAssistant else { return }
        for device in board.all {
            let currency = venues[device.configuration.venueID]?.currency
            note(
                DeviceDiscovery(device: device, base: base, currency: currency, version: homeAssistant.version)
                    .document,
                under: homeAssistant.prefix)
        }
        for venue in venues.all {
            note(
                VenueDiscovery(
                    venue: venue, base: base, version: homeAssistant.version,
                    hasChargers: board.all.contains { $0.kind == .ev && $0.configuration.venueID == venue.id },
                    hasPresence: controller.settings.presenceVenues.contains(venue.id)
                ).document,
                under: homeAssistant.prefix)
        }
    }

    private func note(_ document: DiscoveryDocument, under prefix: String) {
        for object in document.device.identifiers {
            let topic = HomeAssistantTopics.config(object, prefix: prefix)
            do {
                topics.note(try document.text(), at: topic)
            } catch {
                log.warning("\(topic) can't be announced: \(plainWords(of: error))")
            }
        }
    }

    /// Tells everything again when Home Assistant says that it has come up.
    func followBirth() async {
        guard let homeAssistant else { return }
        do {
            for await message in try await client.messages(matching: "\(homeAssistant.prefix)/status")
            where message.text == "online" && !message.isRetained && !isStopping {
                await topics.publishAll(first: statusTopic)
            }
        } catch {
            log.debug("Home Assistant's coming can't be watched: \(plainWords(of: error))")
        }
    }

    /// Removes devices and homes there that this hub announced once and has no more.
    func clearOldDiscovery() async {
        guard let homeAssistant else { return }
        let filter = HomeAssistantTopics.config("+", prefix: homeAssistant.prefix)
        do {
            for await message in try await client.messages(matching: filter, bufferingNewest: 4096)
            where (message.isRetained || !topics.isOpen) && !message.payload.isEmpty && isOld(message) {
                await clear(message.topic)
            }
        } catch {
            log.debug("old announcements can't be cleared: \(plainWords(of: error))")
        }
    }

    /// Only what this hub has announced itself: others announce under the same prefix.
    private func isOld(_ message: MQTTMessage) -> Bool {
        struct Announced: Decodable {
            struct Origin: Decodable { var name: String? }
            var origin: Origin?
            var state_topic: String?
        }
        guard !topics.has(message.topic), message.payload.count < 100_000,
            let announced = try? JSONDecoder().decode(Announced.self, from: Data(message.payload))
        else { return false }
        return announced.origin?.name == DiscoveryDocument.originName
            && announced.state_topic?.hasPrefix("\(base)/") == true
    }

    /// Shows what a home's guidance says of the moment, from slot to slot.
    func followMoments(of venue: Venue) async {
        while !Task.isCancelled, !isStopping {
            await showMoment(of: venue)
            let now = clock.now
            let change = moments[venue.id].flatMap { VenueState.nextChange(of: $0, after: now) }
            // A guidance that comes meanwhile may change sooner.
            let next = min(change ?? .distantFuture, now.addingTimeInterval(60 * max(1, clock.speed)))
            guard (try? await clock.sleep(until: next)) != nil else { return }
        }
    }

    /// Shows at once that somebody came or went.
    func followPresence() async {
        for await id in controller.presence.changes() {
            if let venue = venues[id] { await showMoment(of: venue) }
        }
    }

    /// Keeps what the moments of a home are read from; nothing where no guidance is known.
    func note(_ guidance: ElectricityGuidance?, for venue: Venue) async {
        moments[venue.id] = guidance
        await showMoment(of: venue)
    }

    /// Without guidance nothing is known, and that is shown too.
    func showMoment(of venue: Venue) async {
        guard !isStopping else { return }
        var state = moments[venue.id].map { VenueState($0, at: clock.now) } ?? VenueState()
        state.limitWatts = await controller.externalLimit(at: venue.id).allowed.watts
        state.presence = controller.presence.presence(at: venue.id, clock.now)
        guard let data = try? EnergyKitJSON.encoder().encode(state) else { return }
        await topics.show(String(decoding: data, as: UTF8.self), at: "\(base)/venues/\(venue.id)/state")
    }
}

/// How Home Assistant is told of the hub.
package struct HomeAssistantLink: Sendable {
    /// The topic that its discovery listens under.
    package var prefix: String
    /// The hub's version.
    package var version: String

    /// Tells Home Assistant under a prefix.
    package init(prefix: String = "homeassistant", version: String) {
        self.prefix = prefix
        self.version = version
    }
}
