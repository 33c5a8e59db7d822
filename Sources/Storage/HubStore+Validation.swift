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
            for token in tokens {
                found[token] = try connection.first(
                    "SELECT venue, starts, ends FROM guidance WHERE token = ?", [.text(token.uuidString)]
                ) { row in
                    let start = Date(timeIntervalSince1970: try row.double(1))
                    let end = Date(timeIntervalSince1970: try row.double(2))
                    return IssuedToken(
                        venueID: try row.uuid(0), interval: DateInterval(start: start, end: max(start, end)))
                }
            }
            return found
        }
    }

    /// Whether one of these fetched the guidance with this token.
    package func wasRequested(token: UUID, byAnyOf requesters: [String]) async throws -> Bool {
        try await read { connection in
            try requesters.contains { requester in
                try connection.scalarInt64(
                    "SELECT 1 FROM guidance_requests WHERE token = ? AND requester = ?",
                    [.text(token.uuidString), .text(requester)]) != nil
            }
        }
    }

    /// What the stored events of a session say; nothing where there are none.
    package func sessionFacts(_ id: UUID) async throws -> SessionFacts? {
        let key = id.uuidString
        let found = try await read { connection -> SessionRows? in
            let sample = try connection.first(
                "SELECT sequence, venue, body, device FROM events WHERE session = ? AND state IS NOT NULL ORDER BY at LIMIT 1",
                [.text(key)]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2), try $0.text(3)) }
            guard let sample, let first = try HubStore.place(key, "IS NOT NULL ORDER BY at, sequence", connection),
                let last = try HubStore.place(key, "IS NOT NULL ORDER BY at DESC, sequence DESC", connection)
            else { return nil }
            return SessionRows(
                sample: sample, first: first, last: last,
                begin: try HubStore.place(key, "= 'begin' ORDER BY at, sequence", connection),
                end: try HubStore.place(key, "= 'end' ORDER BY at, sequence", connection))
        }
        return try found.map { rows in
            let (sequence, venueID, body, deviceID) = rows.sample
            return SessionFacts(
                venueID: venueID, deviceID: deviceID, begin: rows.begin, end: rows.end, first: rows.first,
                last: rows.last,
                sample: try HubStore.storedEvent((sequence, venueID, body)))
        }
    }

    private static func place(
        _ session: String, _ rest: String, _ connection: borrowing Connection
    ) throws -> SessionFacts.Place? {
        try connection.first(
            "SELECT at, sequence FROM events WHERE session = ? AND state \(rest) LIMIT 1", [.text(session)]
        ) { SessionFacts.Place(at: Date(timeIntervalSince1970: try $0.double(0)), sequence: try $0.int64(1)) }
    }

    private struct SessionRows: Sendable {
        var sample: (Int64, UUID, String, String)
        var first: SessionFacts.Place
        var last: SessionFacts.Place
        var begin: SessionFacts.Place?
        var end: SessionFacts.Place?
    }
}
