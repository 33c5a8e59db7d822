package import Foundation
import HubKit
import SQLite

/// What is kept of a source of guidance.
package struct StoredSource: Sendable, Equatable {
    /// Its memory: quota, waits, failures.
    package var state: String
    /// Its last good series, nil before the first.
    package var series: String?
}

extension HubStore {
    /// What was kept of the source with this name.
    /// - Throws: `HubError` when it can't be read.
    package func source(named name: String) async throws -> StoredSource? {
        try await read { connection in
            try connection.first("SELECT state, series FROM sources WHERE name = ?", [.text(name)]) { row in
                StoredSource(state: try row.text(0), series: try row.optionalText(1))
            }
        }
    }

    /// Keeps the memory of a source, and its series where one is given; on disk when it returns.
    /// - Throws: `HubError` when it can't be written.
    package func keep(source name: String, state: String, series: String?) async throws {
        let now = clock.now.timeIntervalSince1970
        try await write { connection in
            try connection.execute(
                """
                INSERT INTO sources (name, state, series, changed) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET state = excluded.state,
                    series = coalesce(excluded.series, series), changed = excluded.changed
                """,
                [.text(name), .text(state), series.map { .text($0) } ?? .null, .real(now)])
        }
    }

    /// What the store in a folder keeps of sources, by their names; read without opening the store as a hub does, and nothing is changed.
    ///
    /// Empty where there is no store yet, or where it can't be read.
    package static func keptSources(in folder: URL) async -> [String: StoredSource] {
        let file = folder.appendingPathComponent("offpeak.sqlite").path
        guard FileManager.default.fileExists(atPath: file) else { return [:] }
        let reading = DatabaseConfiguration(isReadOnly: true)
        guard let database = try? await Database(path: file, configuration: reading) else { return [:] }
        let rows = try? await database.read { connection in
            try connection.query("SELECT name, state, series FROM sources", []) { row in
                (try row.text(0), StoredSource(state: try row.text(1), series: try row.optionalText(2)))
            }
        }
        await database.close()
        return Dictionary(rows ?? []) { first, _ in first }
    }

    /// Forgets the series of a source, but not its memory.
    /// - Throws: `HubError` when it can't be written.
    package func forgetSeries(ofSource name: String) async throws {
        try await write { connection in
            try connection.execute("UPDATE sources SET series = NULL WHERE name = ?", [.text(name)])
        }
    }

    /// Forgets the sources that are not among the names.
    /// - Throws: `HubError` when it can't be written.
    package func forgetSources(except names: [String]) async throws {
        try await write { connection in
            let known = try connection.query("SELECT name FROM sources", []) { try $0.text(0) }
            for name in known where !names.contains(name) {
                try connection.execute("DELETE FROM sources WHERE name = ?", [.text(name)])
            }
        }
    }
}
