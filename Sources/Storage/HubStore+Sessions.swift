package import Foundation
import SQLite

/// What a session came to.
package struct SessionSummary: Sendable, Codable, Equatable, Identifiable {
    /// The session.
    package var id: UUID
    /// Its home.
    package var venueID: UUID
    /// Its device.
    package var deviceID: String
    /// What the device is: `ev` or `hvac`.
    package var kind: String
    /// `imported` or `exported`.
    package var direction: String
    /// When it began.
    package var began: Date
    /// When it ended; absent while it runs.
    package var ended: Date?
    /// The time of its last event.
    package var lastEventAt: Date
    /// Energy so far; absent where the device measures none.
    package var energyWattHours: Double?
    /// Cost by the prices of the guidance in force at each moment; absent where a price was not known.
    package var cost: Double?
    /// Carbon in grams, in the same way.
    package var gramsCO2: Double?
    /// The share of its time in which it followed guidance, 0…1.
    package var followedShare: Double?
    /// What was out of the ordinary and was accepted all the same.
    package var irregularities: [String]

    /// Makes a summary.
    package init(
        id: UUID, venueID: UUID, deviceID: String, kind: String, direction: String, began: Date, ended: Date? = nil,
        lastEventAt: Date, energyWattHours: Double? = nil, cost: Double? = nil, gramsCO2: Double? = nil,
        followedShare: Double? = nil, irregularities: [String] = []
    ) {
        self.id = id
        self.venueID = venueID
        self.deviceID = deviceID
        self.kind = kind
        self.direction = direction
        self.began = began
        self.ended = ended
        self.lastEventAt = lastEventAt
        self.energyWattHours = energyWattHours
        self.cost = cost
        self.gramsCO2 = gramsCO2
        self.followedShare = followedShare
        self.irregularities = irregularities
    }
}

extension HubStore {
    /// Sessions, newest first.
    /// - Parameters:
    ///   - device: only this device's.
    ///   - since: only sessions that began at this time or later.
    ///   - limit: how many at most.
    package func sessions(device: String? = nil, since: Date? = nil, limit: Int) async throws -> [SessionSummary] {
        let bodies = try await read { connection in
            try connection.query(
                """
                SELECT body FROM sessions WHERE (? IS NULL OR device = ?) AND (? IS NULL OR began >= ?)
                ORDER BY began DESC LIMIT ?
                """,
                [
                    SQLiteValue(device), SQLiteValue(device), SQLiteValue(since?.timeIntervalSince1970),
                    SQLiteValue(since?.timeIntervalSince1970), .integer(Int64(min(max(limit, 1), 10_000))),
                ]
            ) { try $0.text(0) }
        }
        return try bodies.map { try JSONDecoder().decode(SessionSummary.self, from: Data($0.utf8)) }
    }

    /// The summary of a session.
    package func session(_ id: UUID) async throws -> SessionSummary? {
        let body = try await read {
            try $0.scalarText("SELECT body FROM sessions WHERE id = ?", [SQLiteValue(id)])
        }
        return try body.map { try JSONDecoder().decode(SessionSummary.self, from: Data($0.utf8)) }
    }

    /// Keeps summaries that were worked out anew, and takes events out of a sink's queue, in one transaction.
    package func keep(_ sessions: [SessionSummary], acknowledging sequences: [Int64], sink: String) async throws {
        try await write { connection in
            for session in sessions { try HubStore.write(session, connection) }
            try HubStore.acknowledge(sequences, sink, connection)
        }
    }

    static func write(_ session: SessionSummary, _ connection: borrowing Connection) throws {
        let body = String(decoding: try JSONEncoder().encode(session), as: UTF8.self)
        try connection.execute(
            "INSERT OR REPLACE INTO sessions (id, venue, device, began, ended, body) VALUES (?, ?, ?, ?, ?, ?)",
            [
                SQLiteValue(session.id), SQLiteValue(session.venueID), .text(session.deviceID),
                .real(session.began.timeIntervalSince1970), SQLiteValue(session.ended?.timeIntervalSince1970),
                .text(body),
            ])
    }
}
