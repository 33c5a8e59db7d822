package import EnergyKit
import Foundation
import SQLite

/// A guidance as it was issued, whole: what insights need to know of it later.
package struct StoredGuidance: Sendable, Codable {
    /// What was given out.
    package var guidance: ElectricityGuidance
    /// What stands beside each value, in the same order.
    package var details: [ValueDetail]
    /// The ratings of carbon below which energy is cleaner, and above which it is best avoided.
    package var cleanerBelow: Double
    package var avoidAbove: Double
    /// Where the figures came from.
    package var sources: [GuidanceSource]

    /// Makes a record.
    package init(
        guidance: ElectricityGuidance, details: [ValueDetail], cleanerBelow: Double = 0.5, avoidAbove: Double = 0.9,
        sources: [GuidanceSource] = []
    ) {
        self.guidance = guidance
        self.details = details
        self.cleanerBelow = cleanerBelow
        self.avoidAbove = avoidAbove
        self.sources = sources
    }

    /// What belongs to one value of a guidance.
    package struct ValueDetail: Sendable, Codable, Equatable {
        /// The rating of its carbon alone, 0…1.
        package var carbonRating: Double?
        /// Its tariff class, such as `offPeak`.
        package var tariffClass: String?

        /// Makes a detail.
        package init(carbonRating: Double? = nil, tariffClass: String? = nil) {
            self.carbonRating = carbonRating
            self.tariffClass = tariffClass
        }
    }
}

/// Where a guidance's figures came from.
package struct GuidanceSource: Sendable, Codable, Equatable {
    /// The source's name.
    package var name: String
    /// What it gives: price, carbon or ratePlan.
    package var kind: String
    /// When it was fetched.
    package var fetchedAt: Date?

    /// Names a source.
    package init(name: String, kind: String, fetchedAt: Date? = nil) {
        self.name = name
        self.kind = kind
        self.fetchedAt = fetchedAt
    }
}

extension ElectricityGuidance.SuggestedAction {
    /// The action's name in the store, the API and topics.
    package var name: String {
        switch self {
        case .shift: "shift"
        case .reduce: "reduce"
        }
    }
}

extension HubStore {
    /// Keeps a guidance; on disk when it returns, so that its token is never unknown later.
    package func keep(_ record: StoredGuidance) async throws {
        let body = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        let guidance = record.guidance
        try await write { connection in
            try connection.execute(
                """
                INSERT OR IGNORE INTO guidance (token, venue, action, issued, starts, ends, body) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLiteValue(guidance.guidanceToken), SQLiteValue(guidance.energyVenueID),
                    .text(guidance.suggestedAction.name), .real(guidance.issuedAt.timeIntervalSince1970),
                    .real(guidance.interval.start.timeIntervalSince1970),
                    .real(guidance.interval.end.timeIntervalSince1970), .text(body),
                ])
        }
    }

    /// Notes who fetched a guidance.
    package func noteRequest(token: UUID, by requester: String, at moment: Date) async throws {
        try await write { connection in
            try connection.execute(
                "INSERT OR IGNORE INTO guidance_requests (token, requester, at) VALUES (?, ?, ?)",
                [SQLiteValue(token), .text(requester), .real(moment.timeIntervalSince1970)])
        }
    }

    /// The guidance with this token.
    package func guidance(token: UUID) async throws -> StoredGuidance? {
        try await decoded("SELECT body FROM guidance WHERE token = ?", [SQLiteValue(token)])
    }

    /// The newest guidance of a venue.
    package func latestGuidance(
        venue: UUID, action: ElectricityGuidance.SuggestedAction
    ) async throws -> StoredGuidance? {
        try await decoded(
            "SELECT body FROM guidance WHERE venue = ? AND action = ? ORDER BY issued DESC LIMIT 1",
            [SQLiteValue(venue), .text(action.name)])
    }

    /// The guidance that was in force at a moment: what was known then, whatever was revised since (field case G-17).
    package func guidance(
        venue: UUID, action: ElectricityGuidance.SuggestedAction, inForceAt moment: Date
    ) async throws -> StoredGuidance? {
        try await decoded(
            """
            SELECT body FROM guidance WHERE venue = ? AND action = ? AND issued <= ? AND ends > ?
            ORDER BY issued DESC LIMIT 1
            """,
            [
                .text(venue.uuidString), .text(action.name), .real(moment.timeIntervalSince1970),
                .real(moment.timeIntervalSince1970),
            ])
    }

    /// Forgets guidance that ended before a moment and that no event quotes.
    package func pruneGuidance(endedBefore moment: Date) async throws {
        try await write { connection in
            try connection.execute(
                "DELETE FROM guidance WHERE ends < ? AND token NOT IN (SELECT token FROM events WHERE token IS NOT NULL)",
                [.real(moment.timeIntervalSince1970)])
        }
    }

    private func decoded(_ sql: String, _ arguments: [SQLiteValue]) async throws -> StoredGuidance? {
        let body = try await read { try $0.scalarText(sql, arguments) }
        return try body.map { try JSONDecoder().decode(StoredGuidance.self, from: Data($0.utf8)) }
    }
}
