package import Foundation
import HubKit
import SQLite

/// An event that a sink refused for good.
package struct DeadLetter: Sendable {
    /// The event.
    package let event: StoredEvent
    /// When it was refused.
    package let at: Date
    /// Why.
    package let reason: String
}

extension HubStore {
    /// Makes a sink known; one that is new gets events from now on, or the whole history.
    package func register(sink: String, withHistory: Bool) async throws {
        try await write { connection in
            let known = try connection.scalarInt64("SELECT since FROM sinks WHERE name = ?", [.text(sink)])
            guard known == nil else { return }
            let last = try connection.scalarInt64("SELECT coalesce(max(sequence), 0) FROM events", []) ?? 0
            try connection.execute(
                "INSERT INTO sinks (name, since) VALUES (?, ?)", [.text(sink), .integer(withHistory ? 0 : last)])
            guard withHistory else { return }
            try connection.execute(
                "INSERT OR IGNORE INTO outbox (sink, sequence) SELECT ?, sequence FROM events", [.text(sink)])
        }
    }

    /// The next events of a sink's queue, oldest first.
    package func nextBatch(sink: String, limit: Int) async throws -> [StoredEvent] {
        let rows = try await read { connection in
            try connection.query(
                """
                SELECT events.sequence, events.venue, events.body FROM outbox JOIN events USING (sequence)
                WHERE outbox.sink = ? ORDER BY outbox.sequence LIMIT ?
                """,
                [.text(sink), .integer(Int64(limit))]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2)) }
        }
        return try rows.map { try HubStore.storedEvent($0) }
    }

    /// Takes delivered events out of a sink's queue.
    package func acknowledge(sink: String, sequences: [Int64]) async throws {
        try await write { try HubStore.acknowledge(sequences, sink, $0) }
    }

    static func acknowledge(_ sequences: [Int64], _ sink: String, _ connection: borrowing Connection) throws {
        for sequence in sequences {
            try connection.execute(
                "DELETE FROM outbox WHERE sink = ? AND sequence = ?", [.text(sink), .integer(sequence)])
        }
    }

    /// Moves an event that a sink refused for good out of its queue, to where a person sees it.
    package func bury(sink: String, sequence: Int64, reason: String) async throws {
        let now = clock.now.timeIntervalSince1970
        try await write { connection in
            try connection.execute(
                "INSERT OR REPLACE INTO dead_letters (sink, sequence, at, reason) VALUES (?, ?, ?, ?)",
                [.text(sink), .integer(sequence), .real(now), .text(reason)])
            try HubStore.acknowledge([sequence], sink, connection)
        }
    }

    /// Puts refused events back into their sink's queue.
    /// - Returns: how many.
    package func resend(sink: String, sequences: [Int64]? = nil) async throws -> Int {
        try await write { connection in
            let all = try connection.query("SELECT sequence FROM dead_letters WHERE sink = ?", [.text(sink)]) {
                try $0.int64(0)
            }
            let chosen = all.filter { sequences?.contains($0) ?? true }
            for sequence in chosen {
                try connection.execute(
                    "INSERT OR IGNORE INTO outbox (sink, sequence) VALUES (?, ?)", [.text(sink), .integer(sequence)])
                try connection.execute(
                    "DELETE FROM dead_letters WHERE sink = ? AND sequence = ?", [.text(sink), .integer(sequence)])
            }
            return chosen.count
        }
    }

    /// The events that a sink refused for good.
    package func deadLetters(sink: String, limit: Int) async throws -> [DeadLetter] {
        let rows = try await read { connection in
            try connection.query(
                """
                SELECT events.sequence, events.venue, events.body, dead_letters.at, dead_letters.reason
                FROM dead_letters JOIN events USING (sequence) WHERE sink = ? ORDER BY sequence LIMIT ?
                """,
                [.text(sink), .integer(Int64(limit))]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2), try $0.double(3), try $0.text(4)) }
        }
        return try rows.map { row in
            DeadLetter(
                event: try HubStore.storedEvent((row.0, row.1, row.2)), at: Date(timeIntervalSince1970: row.3),
                reason: row.4)
        }
    }

    /// Events that wait for a sink, and events it refused.
    package func depth(sink: String) async throws -> (waiting: Int, dead: Int) {
        try await read { connection in
            let waiting = try connection.scalarInt64("SELECT count(*) FROM outbox WHERE sink = ?", [.text(sink)]) ?? 0
            let dead =
                try connection.scalarInt64("SELECT count(*) FROM dead_letters WHERE sink = ?", [.text(sink)]) ?? 0
            return (Int(waiting), Int(dead))
        }
    }
}
