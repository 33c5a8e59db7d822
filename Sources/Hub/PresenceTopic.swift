import Control
import Foundation
import HubKit
import MQTT

/// Where another system tells on the hub's own broker whether anybody is at home.
package struct PresenceSource: Sendable, Equatable {
    /// The topic.
    package var topic: String
    /// The path of the word where the topic's messages are JSON.
    package var path: String?
    /// How long a message counts, in seconds: such systems speak only when something changes.
    package var seconds: Double
}

/// Follows such a topic for one home.
actor PresenceTopic {
    private let source: PresenceSource
    private let venue: Venue
    private let client: MQTTClient
    private let book: PresenceBook
    private let clock: any HubClock
    private let log: HubLog
    /// Counts connections gained and lost: what is left of an earlier one must not be taken for news.
    private var generation = 0
    private var reading: Task<Void, Never>?
    private var complaint: String?
    private var said: Presence?

    init(
        _ source: PresenceSource, at venue: Venue, client: MQTTClient, book: PresenceBook, clock: any HubClock,
        log: HubLog
    ) {
        self.source = source
        self.venue = venue
        self.client = client
        self.book = book
        self.clock = clock
        self.log = log
    }

    /// Listens until the task is cancelled.
    func run() async {
        for await state in await client.states() {
            switch state {
            case .connected:
                // A new subscription, so that the broker tells again what it keeps.
                generation += 1
                reading?.cancel()
                reading = Task { [generation] in await self.read(generation) }
            case .disconnected, .closed:
                generation += 1
                reading?.cancel()
                book.lose(at: venue.id, clock.now)
            case .idle, .connecting: continue
            }
        }
        reading?.cancel()
    }

    private func read(_ connection: Int) async {
        do {
            for await message in try await client.messages(matching: source.topic, bufferingNewest: 4) {
                guard connection == generation else { return }
                take(message.payload)
            }
        } catch {
            log.warning("\(venue.name): presence can't be heard on \(source.topic): \(plainWords(of: error))")
        }
    }

    private func take(_ payload: [UInt8]) {
        let (presence, fault) = Self.presence(payload, at: source.path.flatMap { JSONPath($0) })
        book.note(presence, at: venue.id, clock.now, for: source.seconds)
        if let fault, fault != complaint { log.warning("\(venue.name): \(source.topic) \(fault)") }
        complaint = fault
        guard presence != said else { return }
        said = presence
        switch presence {
        case .home: log.info("\(venue.name): somebody is at home")
        case .away: log.info("\(venue.name): nobody is at home")
        case nil: log.info("\(venue.name): whether anybody is at home is not known")
        }
    }

    /// Words that say that somebody is there; those of Home Assistant first.
    private static let home: Set = ["home", "on", "true", "online", "present", "occupied", "yes"]
    /// Words that say that nobody is.
    ///
    /// `offline` is not among them: a tracker that lost its own connection says it too.
    private static let away: Set = ["not_home", "away", "off", "false", "absent", "not_present", "no"]

    /// What a message says: a word, or how many people are there, alone or at a path of JSON.
    /// - Returns: nothing for words such as `unknown`, and with a fault for what can't be told; nobody is away by a slip.
    static func presence(_ payload: [UInt8], at path: JSONPath?) -> (presence: Presence?, fault: String?) {
        guard !payload.isEmpty else { return (nil, nil) }
        guard payload.count <= 65_536 else { return (nil, "has \(payload.count) bytes, more than a presence needs") }
        var text: String?
        if let path {
            guard let json = JSONDocument(bytes: payload) else { return (nil, "is no JSON") }
            guard let value = json.value(at: path) else { return (nil, "has no presence at its path") }
            text = value.plainText
        } else {
            let plain = String(decoding: payload, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            text = plain.hasPrefix("\"") ? JSONDocument(bytes: payload)?.plainText : plain
        }
        guard let word = text?.lowercased() else { return (nil, "has no word") }
        if home.contains(word) { return (.home, nil) }
        if away.contains(word) { return (.away, nil) }
        // Such as the state of Home Assistant's zones: how many people are in them.
        if let people = Int(word), people >= 0 { return (people > 0 ? .home : .away, nil) }
        if ["unknown", "unavailable", "none", "null", ""].contains(word) { return (nil, nil) }
        return (nil, "says '\(word.prefix(20))', which is neither home nor not_home; nobody counts as away")
    }
}
