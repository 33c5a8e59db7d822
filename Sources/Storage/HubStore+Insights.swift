import EnergyKit
package import Foundation
import SQLite

/// A device of a home, by the identifier in its events.
package struct DeviceInVenue: Sendable, Hashable {
    package let deviceID: String
    package let venueID: UUID

    /// Names a device.
    package init(deviceID: String, venueID: UUID) {
        self.deviceID = deviceID
        self.venueID = venueID
    }

    fileprivate var arguments: [SQLiteValue] { [.text(deviceID), SQLiteValue(venueID)] }
}

/// The place of an event among those of its device, by time and then by acceptance.
package struct EventPlace: Sendable, Hashable {
    fileprivate let at: Double
    fileprivate let sequence: Int64
}

/// A page of a device's events by time.
package struct TimedEventPage: Sendable {
    /// The events, oldest first.
    package var events: [StoredEvent]
    /// Where the next page begins; absent on the last.
    package var next: EventPlace?
}

// Status events have no state: they have no part in sessions' energy and are left out, except in the recorded span.
extension HubStore {
    /// The times of a device's first and last event of any kind; `nil` where there is none.
    package func recordedSpan(of device: DeviceInVenue) async throws -> DateInterval? {
        let ends = try await read { connection in
            let sql = "SELECT at FROM events WHERE device = ? AND venue = ? ORDER BY at"
            let first = try connection.first("\(sql) LIMIT 1", device.arguments) { try $0.double(0) }
            let last = try connection.first("\(sql) DESC LIMIT 1", device.arguments) { try $0.double(0) }
            return first.flatMap { first in last.map { (first, $0) } }
        }
        return ends.map {
            DateInterval(start: Date(timeIntervalSince1970: $0.0), end: Date(timeIntervalSince1970: $0.1))
        }
    }

    /// A device's newest load event.
    package func newestLoadEvent(of device: DeviceInVenue) async throws -> StoredEvent? {
        try await event(
            """
            SELECT sequence, venue, body FROM events WHERE device = ? AND venue = ? AND state IS NOT NULL
            ORDER BY at DESC, sequence DESC LIMIT 1
            """, device.arguments)
    }

    /// The last event before a moment of the session that, of all begun before it, began last.
    ///
    /// A session begins with its first event. Of two that begin at one moment the one with the greater identifier counts
    /// as the later.
    package func latestSession(of device: DeviceInVenue, before moment: Date) async throws -> StoredEvent? {
        let seconds = SQLiteValue.real(moment.timeIntervalSince1970)
        let row = try await read { connection -> (Int64, UUID, String)? in
            let session = try connection.scalarText(
                """
                SELECT session FROM events AS one WHERE device = ? AND venue = ? AND at < ? AND state IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM events WHERE session = one.session AND at < one.at AND state IS NOT NULL)
                ORDER BY at DESC, session DESC LIMIT 1
                """, device.arguments + [seconds])
            guard let session else { return nil }
            return try connection.first(
                """
                SELECT sequence, venue, body FROM events WHERE session = ? AND at < ? AND state IS NOT NULL
                ORDER BY at DESC, \(HubStore.stateOrder) DESC, sequence DESC LIMIT 1
                """, [.text(session), seconds], HubStore.eventColumns)
        }
        return try row.map { try HubStore.storedEvent($0) }
    }

    /// A page of a device's load events in a range, by time.
    ///
    /// Of sessions that began before the range only `carried` is delivered: it cut the others.
    /// - Parameters:
    ///   - device: whose.
    ///   - range: the time, half-open.
    ///   - carried: the session of `latestSession(of:before:)`.
    ///   - place: where the page before ended.
    ///   - limit: how many at most, 1…10,000.
    package func loadEvents(
        of device: DeviceInVenue, in range: DateInterval, carrying carried: UUID?, after place: EventPlace?, limit: Int
    ) async throws -> TimedEventPage {
        let count = min(max(limit, 1), 10_000)
        let start = range.start.timeIntervalSince1970
        let from = place?.at ?? start
        let rows = try await read { connection in
            try connection.query(
                """
                SELECT sequence, venue, body, at FROM events AS one WHERE device = ? AND venue = ? AND state IS NOT NULL
                AND at >= ? AND at < ? AND (at > ? OR sequence > ?) AND (session = ? OR NOT EXISTS (
                    SELECT 1 FROM events WHERE session = one.session AND at < ? AND state IS NOT NULL))
                ORDER BY at, sequence LIMIT ?
                """,
                device.arguments + [
                    .real(from), .real(range.end.timeIntervalSince1970), .real(from), .integer(place?.sequence ?? 0),
                    SQLiteValue(carried), .real(start), .integer(Int64(count + 1)),
                ]
            ) { (try HubStore.eventColumns($0), try $0.double(3)) }
        }
        let events = try rows.prefix(count).map { try HubStore.storedEvent($0.0) }
        let last = rows.count > count ? rows[count - 1] : nil
        return TimedEventPage(events: events, next: last.map { EventPlace(at: $0.1, sequence: $0.0.0) })
    }

    /// A session's first load event at a moment or later.
    package func nextLoadEvent(of session: UUID, from moment: Date) async throws -> StoredEvent? {
        try await event(
            """
            SELECT sequence, venue, body FROM events WHERE session = ? AND at >= ? AND state IS NOT NULL
            ORDER BY at, \(HubStore.stateOrder), sequence DESC LIMIT 1
            """, [SQLiteValue(session), .real(moment.timeIntervalSince1970)])
    }

    // Events of one moment follow each other as their states do.
    private static let stateOrder = "CASE state WHEN 'begin' THEN 0 WHEN 'active' THEN 1 ELSE 2 END"

    private static func eventColumns(_ row: borrowing Row) throws -> (Int64, UUID, String) {
        (try row.int64(0), try row.uuid(1), try row.text(2))
    }

    private func event(_ sql: String, _ arguments: [SQLiteValue]) async throws -> StoredEvent? {
        let row = try await read { try $0.first(sql, arguments, HubStore.eventColumns) }
        return try row.map { try HubStore.storedEvent($0) }
    }
}
