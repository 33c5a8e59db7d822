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
    }

    private let store: HubStore
    private var running: [UUID: Running] = [:]
    private var guidance: [UUID: StoredGuidance] = [:]

    /// How many earlier sessions of a device are looked at for one that still ran.
    private static let neighbours = 8
    private static let mostRunning = 32
    private static let mostGuidance = 16

    /// Makes the sink.
    package init(store: HubStore) { self.store = store }

    package func deliver(_ events: [StoredEvent]) async throws {
        do {
            let sessions = Dictionary(grouping: events.filter { $0.event.stateName != nil }) { $0.event.sessionID }
            var summaries: [SessionSummary] = []
            for (id, events) in sessions {
                if let id, let summary = try await summary(of: id, with: events) { summaries.append(summary) }
            }
            try await store.keep(summaries, acknowledging: events.map(\.sequence), sink: name)
            for summary in summaries where summary.ended != nil { running[summary.id] = nil }
        } catch let error as HubError {
            // A store that fails is no fault of the events: none of them may be set aside for it.
            throw HubError(error.code, error.message, retry: .transient)
        }
    }

    private func summary(of id: UUID, with events: [StoredEvent]) async throws -> SessionSummary? {
        var session = running[id]
        let new = events.filter { $0.sequence > session?.sequence ?? 0 }
        let continues = zip([session?.ledger.last?.timestamp] + new.map(\.event.timestamp), new)
            .allSatisfy { before, event in before.map { $0 <= event.event.timestamp } ?? false }
        if var known = session, continues {
            try await add(new, to: &known)
            session = known
        } else {
            session = try await drawnUp(id)
        }
        guard let session, var summary = session.ledger.summary else { return nil }
        for note in session.notes where !summary.irregularities.contains(note) { summary.irregularities.append(note) }
        if running.count >= Self.mostRunning, running[id] == nil { running.removeAll() }
        running[id] = session
        return summary
    }

    /// A ledger made from all that the store has of the session.
    private func drawnUp(_ id: UUID) async throws -> Running? {
        let events = try await store.events(session: id)
        guard let first = events.first else { return nil }
        var session = Running(ledger: SessionLedger(venueID: first.venueID), sequence: 0, notes: [])
        try await add(events, to: &session)
        // All other notes follow from the events; a late one may make a note untrue.
        session.notes = try await store.session(id)?.irregularities.filter { $0 == SessionLedger.inOneCall } ?? []
        if let summary = session.ledger.summary, let overlap = try await overlap(summary) {
            session.notes.append(overlap)
        }
        return session
    }

    private func add(_ events: [StoredEvent], to session: inout Running) async throws {
        for stored in events {
            let tokens = [session.ledger.last?.guidanceToken, stored.event.guidanceToken].compactMap { $0 }
            var quoted: [UUID: StoredGuidance] = [:]
            for token in tokens { quoted[token] = try await guidance(token) }
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

    /// What to note where an earlier session of the device had not ended when this one began.
    private func overlap(_ summary: SessionSummary) async throws -> String? {
        let others = try await store.sessions(device: summary.deviceID, limit: Self.neighbours)
        let cut = others.contains { other in
            other.id != summary.id && other.began < summary.began && other.direction == summary.direction
                && (other.ended ?? .distantFuture) > summary.began
        }
        return cut ? "it began before the device's earlier session ended, and cuts it" : nil
    }
}
