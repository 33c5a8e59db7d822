import EnergyKit
import Foundation
import HubKit
import Storage

/// Judges a batch of load events against the store: everything is right, or the whole batch is refused.
struct LoadEventValidator {
    let store: HubStore
    let venues: VenueRegistry
    /// Venues at which a token counts only for the client or device that fetched it.
    let strictVenues: Set<UUID>
    /// The hub's own devices: their sessions are the recorder's alone.
    let ownDevices: Set<String>

    /// How far beside its guidance's interval a token may be quoted, in seconds.
    static let tokenSeconds: TimeInterval = 86_400

    /// A batch that may be stored.
    struct Judged {
        /// The events that are not stored yet, each once.
        var new: [AnyLoadEvent]
        /// Sessions that came whole in this one call.
        var wholeSessions: [UUID]
    }

    /// Judges the batch.
    /// - Throws: `EnergyKitFailure` with `invalidLoadEvent` that names event and rule, or an error of the store.
    func judge(_ events: [AnyLoadEvent], at venueID: UUID, from client: String?, now: Date) async throws -> Judged {
        guard venues[venueID] != nil else {
            throw EnergyKitFailure(InvalidLoadEvent(rule: .venue, detail: "no venue has the id \(venueID.uuidString)"))
        }
        guard !events.isEmpty else { return Judged(new: [], wholeSessions: []) }
        let new = try await withoutRepeats(events, at: venueID)
        let rules = EventRules(venueID: venueID, now: now, ownDevices: client == nil ? [] : ownDevices)
        for (index, event) in new {
            if let (rule, found) = rules.breach(event) { throw Self.failure(index, event, rule, found) }
        }
        try await checkTokens(new, at: venueID, from: client)
        let whole = try await checkSessions(new, at: venueID)
        return Judged(new: new.map(\.1), wholeSessions: whole)
    }

    private static func failure(_ index: Int, _ event: AnyLoadEvent, _ rule: LoadEventRule, _ found: String)
        -> EnergyKitFailure
    {
        EnergyKitFailure(InvalidLoadEvent(index: index, eventID: event.id, rule: rule, detail: found))
    }

    private func withoutRepeats(_ events: [AnyLoadEvent], at venueID: UUID) async throws -> [(Int, AnyLoadEvent)] {
        var known: [UUID: AnyLoadEvent] = [:]
        var elsewhere: Set<UUID> = []
        for stored in try await store.events(ids: Array(Set(events.map(\.id)))) {
            known[stored.event.id] = stored.event
            if stored.venueID != venueID { elsewhere.insert(stored.event.id) }
        }
        var new: [(Int, AnyLoadEvent)] = []
        for (index, event) in events.enumerated() {
            if elsewhere.contains(event.id) { throw Self.failure(index, event, .idReused, "an event of another venue") }
            if let first = known[event.id] {
                guard first == event else { throw Self.failure(index, event, .idReused, "") }
                continue
            }
            known[event.id] = event
            new.append((index, event))
        }
        return new
    }

    private func checkTokens(_ events: [(Int, AnyLoadEvent)], at venueID: UUID, from client: String?) async throws {
        let issued = try await store.issuedTokens(Set(events.compactMap { $0.1.guidanceToken }))
        var allowed: Set<[String]> = []
        for (index, event) in events {
            guard let token = event.guidanceToken else { continue }
            guard let facts = issued[token] else {
                throw Self.failure(index, event, .tokenNeverIssued, token.uuidString)
            }
            guard facts.venueID == venueID else {
                throw Self.failure(index, event, .tokenOfAnotherVenue, token.uuidString)
            }
            let start = facts.interval.start.addingTimeInterval(-Self.tokenSeconds)
            let end = facts.interval.end.addingTimeInterval(Self.tokenSeconds)
            guard start <= event.timestamp, event.timestamp < end else {
                throw Self.failure(index, event, .tokenOutOfTime, token.uuidString)
            }
            guard let client, strictVenues.contains(venueID) else { continue }
            let key = [token.uuidString, event.deviceID]
            guard !allowed.contains(key) else { continue }
            guard try await store.wasRequested(token: token, byAnyOf: [client, event.deviceID]) else {
                throw Self.failure(index, event, .tokenOfAnotherClient, token.uuidString)
            }
            allowed.insert(key)
        }
    }

    private func checkSessions(_ events: [(Int, AnyLoadEvent)], at venueID: UUID) async throws -> [UUID] {
        var orders: [UUID: SessionOrder] = [:]
        for (index, event) in events {
            guard let id = event.sessionID, event.stateName != nil else { continue }
            if orders[id] == nil, let facts = try await store.sessionFacts(id) {
                guard facts.venueID == venueID else {
                    throw Self.failure(index, event, .venue, "the session \(id.uuidString) belongs to another venue")
                }
                orders[id] = SessionOrder(facts)
            }
            guard var order = orders[id] else {
                orders[id] = SessionOrder(event, order: index)
                continue
            }
            let breach = order.add(event, order: index)
            if let (rule, found) = breach { throw Self.failure(index, event, rule, found) }
            orders[id] = order
        }
        return orders.filter { $0.value.isWhole && $0.value.isComplete }.map(\.key)
    }
}
