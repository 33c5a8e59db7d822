import EnergyKit
import Foundation
package import Storage

/// Keeps the hub's own session summaries up to date with the events.
///
/// A summary is worked out anew from all events of its session, so a repeat changes nothing and a late event counts.
package struct LocalSink: EventSink {
    package let name = "local"
    package let wantsHistory = true
    private let store: HubStore

    /// How many earlier sessions of a device are looked at for one that still ran.
    private static let neighbours = 8

    /// Makes the sink.
    package init(store: HubStore) { self.store = store }

    package func deliver(_ events: [StoredEvent]) async throws {
        var seen: Set<UUID> = []
        var summaries: [SessionSummary] = []
        for event in events {
            guard event.event.stateName != nil, let id = event.event.sessionID, seen.insert(id).inserted else {
                continue
            }
            if let summary = try await summary(of: id, at: event.venueID) { summaries.append(summary) }
        }
        try await store.keep(summaries, acknowledging: events.map(\.sequence), sink: name)
    }

    private func summary(of id: UUID, at venueID: UUID) async throws -> SessionSummary? {
        let events = try await store.events(session: id).map(\.event)
        var guidance: [UUID: StoredGuidance] = [:]
        for token in Set(events.compactMap(\.guidanceToken)) {
            guidance[token] = try await store.guidance(token: token)
        }
        guard var summary = SessionLedger(venueID: venueID, guidance: guidance).summary(of: events) else { return nil }
        let noted = try await store.session(id)?.irregularities ?? []
        let overlap = try await overlap(summary).map { [$0] } ?? []
        for note in noted + overlap where !summary.irregularities.contains(note) { summary.irregularities.append(note) }
        return summary
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
