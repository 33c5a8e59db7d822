package import Foundation
import SQLite

/// What is known of a guidance token without reading the guidance.
package struct IssuedToken: Sendable, Equatable {
    /// The home it was issued for.
    package let venueID: UUID
    /// The time its guidance covers.
    package let interval: DateInterval
}

/// What the stored events of a session fix for those that follow.
package struct SessionFacts: Sendable {
    /// A moment, and the place of its event in the order of acceptance.
    package struct Place: Sendable, Equatable {
        package let at: Date
        package let sequence: Int64
    }

    /// Its home.
    package let venueID: UUID
    /// Its device.
    package let deviceID: String
    /// Its begin, where one was reported.
    package let begin: Place?
    /// Its end, where one was reported.
    package let end: Place?
    /// The earliest of its events.
    package let first: Place
    /// The latest of its events.
    package let last: Place
    /// One of its events, to read its direction from.
    package let sample: StoredEvent
}

extension HubStore {
    /// What is known of these tokens; those that were never issued are left out.
    package func issuedTokens(_ tokens: Set<UUID>) async throws -> [UUID: IssuedToken] {
        try await read { connection in
            var found: [UUID: IssuedToken] = [:]
            for token in tokens { found[token] = try HubStore.issuedToken(token, connection) }
            return found
        }
    }

    /// Whether one of these fetched the guidance with this token.
    package func wasRequested(token: UUID, byAnyOf requesters: [String]) async throws -> Bool {
        try await read { try HubStore.wasRequested(token, requesters, $0) }
    }

    /// What the stored events of a session say; nothing where there are none.
    package func sessionFacts(_ id: UUID) async throws -> SessionFacts? {
        try await read { try HubStore.sessionFacts(id, $0) }
    }

    static func issuedToken(_ token: UUID, _ connection: borrowing Connection) throws -> IssuedToken? {
        try connection.first("SELECT venue, starts, ends FROM guidance WHERE token = ?", [SQLiteValue(token)]) {
            row in
            let start = Date(timeIntervalSince1970: try row.double(1))
            let end = Date(timeIntervalSince1970: try row.double(2))
            return IssuedToken(venueID: try row.uuid(0), interval: DateInterval(start: start, end: max(start, end)))
        }
    }

    static func wasRequested(
        _ token: UUID, _ requesters: [String], _ connection: borrowing Connection
    ) throws -> Bool {
        for requester in requesters {
            let found = try connection.scalarInt64(
                "SELECT 1 FROM guidance_requests WHERE token = ? AND requester = ?",
                [SQLiteValue(token), .text(requester)])
            if found != nil { return true }
        }
        return false
    }

    static func sessionFacts(_ id: UUID, _ connection: borrowing Connection) throws -> SessionFacts? {
        let key = id.uuidString
        let sample = try connection.first(
            "SELECT sequence, venue, body, device FROM events WHERE session = ? AND state IS NOT NULL ORDER BY at LIMIT 1",
            [.text(key)]
        ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2), try $0.text(3)) }
        guard let sample, let first = try place(key, "IS NOT NULL ORDER BY at, sequence", connection),
            let last = try place(key, "IS NOT NULL ORDER BY at DESC, sequence DESC", connection)
        else { return nil }
        return SessionFacts(
            venueID: sample.1, deviceID: sample.3, begin: try place(key, "= 'begin' ORDER BY at, sequence", connection),
            end: try place(key, "= 'end' ORDER BY at, sequence", connection), first: first, last: last,
            sample: try storedEvent((sample.0, sample.1, sample.2)))
    }

    private static func place(
        _ session: String, _ rest: String, _ connection: borrowing Connection
    ) throws -> SessionFacts.Place? {
        try connection.first(
            "SELECT at, sequence FROM events WHERE session = ? AND state \(rest) LIMIT 1", [.text(session)]
        ) { SessionFacts.Place(at: Date(timeIntervalSince1970: try $0.double(0)), sequence: try $0.int64(1)) }
    }
}
