import SQLite

/// Whose a database file is, as its tables tell.
enum StoreContent: Equatable {
    /// There is nothing in it.
    case empty
    /// It is a hub's, and has what a hub's must have.
    case hub
    /// It is another program's, or lacks something; with what is odd.
    case foreign(String)

    /// Tables that every version has.
    private static let tables = [
        "credentials", "dead_letters", "events", "guidance", "guidance_requests", "outbox", "recorders", "sessions",
        "settings", "sinks", "venues",
    ]

    /// Looks at a database.
    static func look(at database: Database) async throws -> StoreContent {
        try await database.read { connection in
            let names = try connection.query(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'", []
            ) { try $0.text(0) }
            let version = Int(try connection.scalarInt64("PRAGMA user_version") ?? 0)
            if names.isEmpty, version == 0 { return .empty }
            let wanted = tables + (version >= 2 ? ["sources"] : [])
            let missing = wanted.filter { !names.contains($0) }
            if missing.count == wanted.count { return .foreign("its tables are another program's") }
            // A newer version may have other tables, and says so itself when it is opened.
            if let first = missing.first, version <= Schema.migrations.count {
                return .foreign("it lacks the table '\(first)'")
            }
            // Tables of these names that no step of ours made.
            return version < 1 ? .foreign("its tables are another program's") : .hub
        }
    }
}
