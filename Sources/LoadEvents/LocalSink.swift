import EnergyKit
import Foundation
import HubKit
package import Storage

/// Keeps the hub's own session summaries up to date with the events.
///
/// A summary is a function of the session's events, so a repeat changes nothing. The ledgers of running sessions are
/// kept at hand, so that a session of many events is not read anew with each; an event that comes late by its time
/// makes its session's ledger be drawn up again from the store.
package actor LocalSink: EventSink {
    package nonisolated let name = "local"
    package nonisolated let wantsHistory = true

    private struct Running {
        var ledger: SessionLedger
        var sequence: Int64
        var notes: [String]

        var summary: SessionSummary? {
            guard var summary = ledger.summary else { return nil }
            for note in notes where !summary.irregularities.contains(note) { summary.irregularities.append(note) }
            return summary
        }
    }

    private let store: HubStore
    private var running: [UUID: Running] = [:]
    private var guidance: [UUID: StoredGuidance] = [:]

    private static let mostRunning = 32
    private static let mostGuidance = 16

    /// Makes the sink.
    package init(store: HubStore) { self.store = store }

    package func deliver(_ events: [StoredEvent]) async throws {
        do {
            let sessions = Dictionary(grouping: events.filter { $0.event.stateName != nil }) { $0.event.sessionID }
            var summaries: [SessionSummary] = []
            for (id, session) in try await added(sessions) {
                if let summary = session.summary { summaries.append(summary) }
                keep(session, as: id)
            }
            try await store.keep(summaries, acknowledging: events.map(\.sequence), sink: name)
            for summary in summaries where summary.ended != nil { running[summary.id] = nil }
        } catch let error as HubError {
            // A store that fails is no fault of the events: none of them may be set aside for it.
            running.removeAll()
            throw HubError(error.code, error.message, retry: .transient)
        }
    }

    /// The ledgers of the sessions with their new events.
    private func added(_ sessions: [UUID?: [StoredEvent]]) async throws -> [UUID: Running] {
        var ledgers: [UUID: Running] = [:]
        var unknown: [UUID: [StoredEvent]] = [:]
        for (id, events) in sessions {
            guard let id else { continue }
            let new = events.filter { $0.sequence > running[id]?.sequence ?? 0 }
            if var session = running[id], Self.continues(session, new) {
                try await add(new, to: &session)
                ledgers[id] = session
            } else {
                unknown[id] = events
            }
        }
        let atHand = Dictionary(unknown.values.joined().map { ($0.sequence, $0) }) { first, _ in first }
        let material = try await store.material(for: Array(unknown.keys), besides: Set(atHand.keys))
        for (id, material) in material { ledgers[id] = try await drawnUp(material, atHand) }
        return ledgers
    }

    private static func continues(_ session: Running, _ new: [StoredEvent]) -> Bool {
        zip([session.ledger.last?.timestamp] + new.map(\.event.timestamp), new)
            .allSatisfy { before, event in before.map { $0 <= event.event.timestamp } ?? false }
    }

    private func keep(_ session: Running, as id: UUID) {
        if running.count >= Self.mostRunning, running[id] == nil { running.removeAll() }
        running[id] = session
    }

    /// A ledger made from all that there is of the session.
    private func drawnUp(_ material: SessionMaterial, _ atHand: [Int64: StoredEvent]) async throws -> Running? {
        let read = Dictionary(material.events.map { ($0.sequence, $0) }) { first, _ in first }
        let events = material.order.compactMap { read[$0] ?? atHand[$0] }
        guard let first = events.first else { return nil }
        var session = Running(ledger: SessionLedger(venueID: first.venueID), sequence: 0, notes: [])
        try await add(events, to: &session)
        // All other notes follow from the events; a late one may make a note untrue.
        session.notes = material.summary?.irregularities.filter { $0 == SessionLedger.inOneCall } ?? []
        let direction = session.ledger.summary?.direction
        if material.overlapping.contains(where: { $0.direction == direction }) {
            session.notes.append("it began before the device's earlier session ended, and cuts it")
        }
        return session
    }

    private func add(_ events: [StoredEvent], to session: inout Running) async throws {
        for stored in events {
            var quoted: [UUID: StoredGuidance] = [:]
            if let token = session.ledger.last?.guidanceToken { quoted[token] = try await guidance(token) }
            if let token = stored.event.guidanceToken, quoted[token] == nil {
                quoted[token] = try await guidance(token)
            }
            session.ledger.add(stored.event, guidance: quoted)
            session.sequence = max(session.sequence, stored.sequence)
        }
    }

    private func guidance(_ token: UUID) async throws -> StoredGuidance? {
        if let known = guidance[token] { return known }
        let found = try await store.guidance(token: token)
        if guidance.count >= Self.mostGuidance { guidance.removeAll() }
        guidance[token] = found
        return found
    }
}
