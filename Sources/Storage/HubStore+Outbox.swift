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
    ///
    /// One that was away from the configuration for a while gets what was accepted meanwhile, too.
    package func register(sink: String, withHistory: Bool) async throws {
        try await write { connection in
            let last = try connection.scalarInt64("SELECT coalesce(max(sequence), 0) FROM events", []) ?? 0
            let known = try connection.first("SELECT paused FROM sinks WHERE name = ?", [.text(sink)]) {
                try $0.optionalInt64(0)
            }
            let start: Int64?
            if let known {
                start = known
                try connection.execute("UPDATE sinks SET paused = NULL WHERE name = ?", [.text(sink)])
            } else {
                start = withHistory ? 0 : nil
                try connection.execute(
                    "INSERT INTO sinks (name, since) VALUES (?, ?)", [.text(sink), .integer(withHistory ? 0 : last)])
            }
            guard let start else { return }
            try connection.execute(
                "INSERT OR IGNORE INTO outbox (sink, sequence) SELECT ?, sequence FROM events WHERE sequence > ?",
                [.text(sink), .integer(start)])
        }
    }

    /// Notes where the queues of sinks end that are not configured now; nothing that waits for them is forgotten.
    /// - Parameter names: the sinks that there are.
    /// - Returns: the names that were noted just now, with how many events wait for them.
    package func pauseSinks(except names: [String]) async throws -> [(name: String, waiting: Int)] {
        try await write { connection in
            let active = try connection.query("SELECT name FROM sinks WHERE paused IS NULL ORDER BY name") {
                try $0.text(0)
            }
            var paused: [(name: String, waiting: Int)] = []
            for name in active where !names.contains(name) {
                try connection.execute(
                    "UPDATE sinks SET paused = (SELECT coalesce(max(sequence), 0) FROM events) WHERE name = ?",
                    [.text(name)])
                let waiting = try connection.scalarInt64("SELECT count(*) FROM outbox WHERE sink = ?", [.text(name)])
                paused.append((name, Int(waiting ?? 0)))
            }
            return paused
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

    /// The events that a sink refused for good, oldest first.
    /// - Parameters:
    ///   - sink: its name.
    ///   - after: only events after the one of this sequence number.
    ///   - limit: how many at most.
    package func deadLetters(sink: String, after: Int64 = 0, limit: Int) async throws -> [DeadLetter] {
        let rows = try await read { connection in
            try connection.query(
                """
                SELECT events.sequence, events.venue, events.body, dead_letters.at, dead_letters.reason
                FROM dead_letters JOIN events USING (sequence) WHERE sink = ? AND dead_letters.sequence > ?
                ORDER BY sequence LIMIT ?
                """,
                [.text(sink), .integer(after), .integer(Int64(limit))]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2), try $0.double(3), try $0.text(4)) }
        }
        return try rows.map { row in
            DeadLetter(
                event: try HubStore.storedEvent((row.0, row.1, row.2)), at: Date(timeIntervalSince1970: row.3),
                reason: row.4)
        }
    }

    /// Puts events of the past into a sink's queue; those that wait there, or were refused, stay as they are.
    /// - Parameters:
    ///   - sink: its name.
    ///   - since: only events that happened at this time or later.
    /// - Returns: how many were added.
    package func enqueueHistory(sink: String, since: Date?) async throws -> Int {
        try await write { connection in
            try connection.execute(
                """
                INSERT OR IGNORE INTO outbox (sink, sequence) SELECT ?1, sequence FROM events
                WHERE (?2 IS NULL OR at >= ?2) AND NOT EXISTS (
                    SELECT 1 FROM dead_letters WHERE sink = ?1 AND dead_letters.sequence = events.sequence)
                """, [.text(sink), SQLiteValue(since?.timeIntervalSince1970)])
            return connection.changes
        }
    }

    /// Events that wait for a sink, and events that it refused.
    package func depth(sink: String) async throws -> (waiting: Int, dead: Int) {
        try await read { connection in
            let waiting = try connection.scalarInt64("SELECT count(*) FROM outbox WHERE sink = ?", [.text(sink)]) ?? 0
            let dead =
                try connection.scalarInt64("SELECT count(*) FROM dead_letters WHERE sink = ?", [.text(sink)]) ?? 0
            return (Int(waiting), Int(dead))
        }
    }

    /// When the event at the head of a sink's queue happened; nothing where the queue is empty.
    package func oldestWaiting(sink: String) async throws -> Date? {
        try await read { connection in
            try connection.first(
                "SELECT at FROM outbox JOIN events USING (sequence) WHERE sink = ? ORDER BY outbox.sequence LIMIT 1",
                [.text(sink)]
            ) { try $0.double(0) }
        }.map { Date(timeIntervalSince1970: $0) }
    }

    /// Forgets events of long ago with their sessions, where no sink still waits for them.
    ///
    /// A session goes as a whole, once its last event is older than the moment; an event that is in a queue or among the
    /// dead letters keeps its whole session.
    /// - Returns: how many events were forgotten.
    package func pruneEvents(before moment: Date) async throws -> Int {
        try await write { connection in
            let limit = SQLiteValue.real(moment.timeIntervalSince1970)
            try connection.execute("CREATE TEMP TABLE IF NOT EXISTS pruned (sequence INTEGER PRIMARY KEY)")
            try connection.execute("DELETE FROM pruned")
            try connection.execute(
                """
                INSERT INTO pruned SELECT sequence FROM events AS one WHERE at < ?1 AND sequence NOT IN (SELECT sequence FROM outbox UNION SELECT sequence FROM dead_letters)
                AND (session IS NULL OR NOT EXISTS (
                    SELECT 1 FROM events AS other WHERE other.session = one.session
                    AND (other.at >= ?1 OR other.sequence IN (SELECT sequence FROM outbox UNION SELECT sequence FROM dead_letters))))
                """, [limit])
            try connection.execute(
                """
                DELETE FROM sessions WHERE id IN (
                    SELECT session FROM events JOIN pruned USING (sequence) WHERE session IS NOT NULL)
                """)
            try connection.execute("DELETE FROM events WHERE sequence IN (SELECT sequence FROM pruned)")
            return connection.changes
        }
    }
}
