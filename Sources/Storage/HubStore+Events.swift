package import EnergyKit
import Foundation
package import HubKit
import SQLite

/// An accepted load event with its place in the order of acceptance.
package struct StoredEvent: Sendable {
    /// Its place; grows with each event.
    package let sequence: Int64
    /// The home it happened in.
    package let venueID: UUID
    /// The event.
    package let event: AnyLoadEvent
    private let text: String?

    /// Makes a stored event.
    /// - Parameter json: the text on disk, where it is at hand.
    package init(sequence: Int64, venueID: UUID, event: AnyLoadEvent, json: String? = nil) {
        self.sequence = sequence
        self.venueID = venueID
        self.event = event
        text = json
    }

    /// The event's JSON: the very text that is on disk, so that no sink writes it anew.
    /// - Throws: `EncodingError` for an event that never was on disk and can't be written.
    package func json() throws -> String { try text ?? EnergyKitJSON.text(of: event) }
}

/// A page of events.
package struct EventPage: Sendable {
    /// The events, in the order they were accepted.
    package var events: [StoredEvent]
    /// The cursor of the next page; absent on the last.
    package var next: Int64?
}

/// What is stored of a load event in columns of its own.
package struct EventRow: Sendable {
    package var event: AnyLoadEvent
    package var session: UUID?
    package var state: String?
    /// The event's JSON, where it was written before.
    package var json: String?

    /// Makes a row.
    package init(event: AnyLoadEvent, session: UUID?, state: String?, json: String? = nil) {
        self.event = event
        self.session = session
        self.state = state
        self.json = json
    }
}

/// Events with everything that has to be on disk together with them.
package struct EventBatch: Sendable {
    /// The home.
    package var venueID: UUID
    /// The events, in order.
    package var events: [EventRow]
    /// The state of recorders, by device, as text; `nil` clears one.
    package var recorders: [(device: String, body: String?)]
    /// Summaries of the sessions that the events touch.
    package var sessions: [SessionSummary]

    /// Makes a batch.
    package init(
        venueID: UUID, events: [EventRow], recorders: [(device: String, body: String?)] = [],
        sessions: [SessionSummary] = []
    ) {
        self.venueID = venueID
        self.events = events
        self.recorders = recorders
        self.sessions = sessions
    }
}

extension HubStore {
    /// Stores a batch in one transaction: the events, their place in every sink's queue, recorders and sessions.
    ///
    /// An event whose id is there already is left as it is.
    /// - Parameters:
    ///   - batch: what belongs together.
    ///   - sinks: the names of the sinks that are to get the events.
    /// - Returns: how many events are new; they are on disk.
    package func append(_ batch: EventBatch, sinks: [String]) async throws -> SubmissionReceipt {
        let new = try await appendNew(batch, sinks: sinks)
        return SubmissionReceipt(accepted: new.count, duplicates: batch.events.count - new.count)
    }

    /// Stores a batch as `append(_:sinks:)` does.
    /// - Returns: the events that are new, with their places; they are on disk.
    package func appendNew(_ batch: EventBatch, sinks: [String]) async throws -> [StoredEvent] {
        var batch = batch
        for index in batch.events.indices where batch.events[index].json == nil {
            batch.events[index].json = try EnergyKitJSON.text(of: batch.events[index].event)
        }
        return try await write { [batch] in try HubStore.append(batch, sinks, $0) }
    }

    /// Stores a batch within a transaction.
    static func append(_ batch: EventBatch, _ sinks: [String], _ connection: borrowing Connection) throws
        -> [StoredEvent]
    {
        try append(batch, sinks, connection, onlyIfNew: false) ?? []
    }

    /// Stores a batch within a transaction.
    /// - Returns: what is new; nothing, and nothing is stored, where an event is a repeat and only new ones are wanted.
    static func append(
        _ batch: EventBatch, _ sinks: [String], _ connection: borrowing Connection, onlyIfNew: Bool
    ) throws -> [StoredEvent]? {
        guard let new = try insert(batch, connection, onlyIfNew: onlyIfNew) else { return nil }
        if let first = new.first, let last = new.last {
            // In a transaction of its own nobody else's events lie between.
            for sink in sinks {
                try connection.execute(
                    "INSERT INTO outbox (sink, sequence) SELECT ?, sequence FROM events WHERE sequence BETWEEN ? AND ?",
                    [.text(sink), .integer(first.sequence), .integer(last.sequence)])
            }
        }
        try HubStore.write(batch.recorders, connection)
        for session in batch.sessions { try HubStore.write(session, connection) }
        return new
    }

    private static func insert(
        _ batch: EventBatch, _ connection: borrowing Connection, onlyIfNew: Bool
    ) throws -> [StoredEvent]? {
        try connection.repeating(
            """
            INSERT OR IGNORE INTO events (id, venue, device, session, state, at, token, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { insert, connection in
            var new: [StoredEvent] = []
            new.reserveCapacity(batch.events.count)
            for row in batch.events {
                let json = try row.json ?? EnergyKitJSON.text(of: row.event)
                try bind(row, json, batch.venueID, &insert)
                try insert.run()
                guard connection.changes > 0 else {
                    guard onlyIfNew else { continue }
                    // Undone by hand: a savepoint would copy every page that the batch touches.
                    if let first = new.first {
                        try connection.execute("DELETE FROM events WHERE sequence >= ?", [.integer(first.sequence)])
                    }
                    return nil
                }
                new.append(
                    StoredEvent(
                        sequence: connection.lastInsertedRowID, venueID: batch.venueID, event: row.event, json: json))
            }
            return new
        }
    }

    private static func bind(
        _ row: EventRow, _ json: String, _ venue: UUID, _ insert: inout RepeatedStatement
    ) throws {
        insert.bind(row.event.id, at: 1)
        insert.bind(venue, at: 2)
        insert.bind(row.event.deviceID, at: 3)
        insert.bind(row.session, at: 4)
        insert.bind(row.state, at: 5)
        try insert.bind(row.event.timestamp.timeIntervalSince1970, at: 6)
        insert.bind(row.event.guidanceToken, at: 7)
        insert.bind(json, at: 8)
    }

    private static func write(_ recorders: [(device: String, body: String?)], _ connection: borrowing Connection) throws
    {
        for recorder in recorders {
            if let body = recorder.body {
                try connection.execute(
                    "INSERT OR REPLACE INTO recorders (device, body) VALUES (?, ?)",
                    [.text(recorder.device), .text(body)])
            } else {
                try connection.execute("DELETE FROM recorders WHERE device = ?", [.text(recorder.device)])
            }
        }
    }

    /// A page of events in the order they were accepted.
    /// - Parameters:
    ///   - after: the cursor of the page before.
    ///   - device: only this device's.
    ///   - since: only events that happened at this time or later.
    ///   - limit: how many at most, 1…10,000.
    package func events(after: Int64? = nil, device: String? = nil, since: Date? = nil, limit: Int) async throws
        -> EventPage
    {
        let count = min(max(limit, 1), 10_000)
        let rows = try await read { connection in
            try connection.query(
                """
                SELECT sequence, venue, body FROM events
                WHERE sequence > ? AND (? IS NULL OR device = ?) AND (? IS NULL OR at >= ?)
                ORDER BY sequence LIMIT ?
                """,
                [
                    .integer(after ?? 0), SQLiteValue(device), SQLiteValue(device),
                    SQLiteValue(since?.timeIntervalSince1970),
                    SQLiteValue(since?.timeIntervalSince1970), .integer(Int64(count + 1)),
                ]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2)) }
        }
        let events = try rows.prefix(count).map { try HubStore.storedEvent($0) }
        return EventPage(events: events, next: rows.count > count ? events.last?.sequence : nil)
    }

    /// The events with these identifiers, for recognising repeats.
    package func events(ids: [UUID]) async throws -> [StoredEvent] {
        let rows = try await read { connection in
            try ids.compactMap { id in
                try HubStore.row(ofEvent: id, connection)
            }
        }
        return try rows.map { try HubStore.storedEvent($0) }
    }

    static func row(ofEvent id: UUID, _ connection: borrowing Connection) throws -> (Int64, UUID, String)? {
        try connection.first("SELECT sequence, venue, body FROM events WHERE id = ?", [SQLiteValue(id)]) {
            (try $0.int64(0), try $0.uuid(1), try $0.text(2))
        }
    }

    /// Every event of a session, by time.
    package func events(session: UUID) async throws -> [StoredEvent] {
        let rows = try await read { connection in
            try connection.query(
                "SELECT sequence, venue, body FROM events WHERE session = ? ORDER BY at, sequence",
                [SQLiteValue(session)]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2)) }
        }
        return try rows.map { try HubStore.storedEvent($0) }
    }

    /// The state of a device's recorder.
    package func recorder(device: String) async throws -> String? {
        try await read { try $0.scalarText("SELECT body FROM recorders WHERE device = ?", [.text(device)]) }
    }

    static func storedEvent(_ row: (Int64, UUID, String)) throws -> StoredEvent {
        StoredEvent(
            sequence: row.0, venueID: row.1, event: try EnergyKitJSON.loadEvent(from: row.2), json: row.2)
    }
}

extension HubStore {
    /// The time of the newest event, to tell a clock that went backwards.
    package func newestEventTime() async throws -> Date? {
        try await read { connection in
            try connection.first("SELECT max(at) FROM events", []) { try $0.optionalDouble(0) }
        }?.map { Date(timeIntervalSince1970: $0) }
    }
}
