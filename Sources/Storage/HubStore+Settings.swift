package import Foundation
package import HubKit
import SQLite

extension HubStore {
    /// The stable identifier of a venue: the configured one, the one it had before, or a new one.
    /// - Throws: `HubError` when it can't be read or written, or another venue has the configured identifier.
    package func venueID(named name: String, configured: UUID?) async throws -> UUID {
        try await write { connection in
            let known = try connection.first("SELECT id FROM venues WHERE name = ?", [.text(name)]) { try $0.uuid(0) }
            let id = configured ?? known ?? UUID()
            guard id != known else { return id }
            let holder = try connection.scalarText("SELECT name FROM venues WHERE id = ?", [SQLiteValue(id)])
            if let holder, holder != name {
                // The venue was renamed: it is the same home with the same history.
                try connection.execute("DELETE FROM venues WHERE name = ?", [.text(name)])
                try connection.execute("UPDATE venues SET name = ? WHERE id = ?", [.text(name), SQLiteValue(id)])
                return id
            }
            try connection.execute("DELETE FROM venues WHERE name = ?", [.text(name)])
            try connection.execute("INSERT INTO venues (id, name) VALUES (?, ?)", [SQLiteValue(id), .text(name)])
            return id
        }
    }

    /// What was kept for a device under a key.
    package func setting(_ key: String, device: DeviceID) async throws -> String? {
        try await read { connection in
            try connection.scalarText(
                "SELECT body FROM settings WHERE device = ? AND key = ?", [.text(device.rawValue), .text(key)])
        }
    }

    /// Keeps something for a device, or forgets it; on disk when it returns (field case R-2).
    package func keep(setting: String?, key: String, device: DeviceID) async throws {
        let now = clock.now.timeIntervalSince1970
        try await write { connection in
            guard let setting else {
                return try connection.execute(
                    "DELETE FROM settings WHERE device = ? AND key = ?", [.text(device.rawValue), .text(key)])
            }
            try connection.execute(
                "INSERT OR REPLACE INTO settings (device, key, body, changed) VALUES (?, ?, ?, ?)",
                [.text(device.rawValue), .text(key), .text(setting), .real(now)])
        }
    }
}
