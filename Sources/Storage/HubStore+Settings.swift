package import Foundation
package import HubKit
import SQLite

extension HubStore {
    /// The stable identifier of a venue: the configured one, the one it had before, or a new one.
    /// - Parameters:
    ///   - name: its name.
    ///   - configured: the identifier that the configuration gives it.
    ///   - home: HomeKit's identifier of the home, by which a venue that is named anew is known again.
    /// - Throws: `HubError` when it can't be read or written.
    package func venueID(named name: String, configured: UUID?, home: UUID? = nil) async throws -> UUID {
        try await write { connection in
            let byName = try connection.first("SELECT id FROM venues WHERE name = ?", [.text(name)]) { try $0.uuid(0) }
            let byHome = try home.flatMap { home in
                try connection.first("SELECT id FROM venues WHERE home = ?", [SQLiteValue(home)]) { try $0.uuid(0) }
            }
            let id = configured ?? byHome ?? byName ?? UUID()
            if id != byName {
                // A venue that is known under another name was renamed: it is the same home with the same history.
                try connection.execute("DELETE FROM venues WHERE name = ?", [.text(name)])
                try connection.execute("UPDATE venues SET name = ? WHERE id = ?", [.text(name), SQLiteValue(id)])
                if connection.changes == 0 {
                    try connection.execute(
                        "INSERT INTO venues (id, name) VALUES (?, ?)", [SQLiteValue(id), .text(name)])
                }
            }
            if let home {
                try connection.execute(
                    "UPDATE venues SET home = ? WHERE id = ?", [SQLiteValue(home), SQLiteValue(id)])
            }
            return id
        }
    }

    /// The names of venues that were configured once and are not now.
    package func venuesBeside(_ ids: [UUID]) async throws -> [String] {
        let all = try await read { connection in
            try connection.query("SELECT id, name FROM venues ORDER BY name", []) { (try $0.uuid(0), try $0.text(1)) }
        }
        return all.filter { !ids.contains($0.0) }.map(\.1)
    }

    /// What was kept for a device under a key.
    package func setting(_ key: String, device: DeviceID) async throws -> String? {
        try await setting(key, of: device.rawValue)
    }

    /// What was kept for a home under a key.
    package func setting(_ key: String, venue: UUID) async throws -> String? {
        try await setting(key, of: Self.owner(venue))
    }

    /// Keeps something for a device, or forgets it; on disk when it returns (field case R-2).
    package func keep(setting: String?, key: String, device: DeviceID) async throws {
        try await keep(setting, key, of: device.rawValue)
    }

    /// Keeps something for a home, or forgets it; on disk when it returns.
    package func keep(setting: String?, key: String, venue: UUID) async throws {
        try await keep(setting, key, of: Self.owner(venue))
    }

    /// No device is called so: a colon can't be in a device's name.
    private static func owner(_ venue: UUID) -> String { "venue:\(venue.uuidString)" }

    private func setting(_ key: String, of owner: String) async throws -> String? {
        try await read { connection in
            try connection.scalarText(
                "SELECT body FROM settings WHERE device = ? AND key = ?", [.text(owner), .text(key)])
        }
    }

    private func keep(_ setting: String?, _ key: String, of owner: String) async throws {
        let now = clock.now.timeIntervalSince1970
        try await write { connection in
            guard let setting else {
                return try connection.execute(
                    "DELETE FROM settings WHERE device = ? AND key = ?", [.text(owner), .text(key)])
            }
            try connection.execute(
                "INSERT OR REPLACE INTO settings (device, key, body, changed) VALUES (?, ?, ?, ?)",
                [.text(owner), .text(key), .text(setting), .real(now)])
        }
    }
}
