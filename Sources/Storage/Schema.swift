import SQLite

/// The tables, in numbered steps; a step that was released is never changed.
enum Schema {
    static let migrations = [
        Migration(1, "first tables", sql: first), Migration(2, "sources of guidance", sql: sources),
        Migration(3, "sinks that are away", sql: awaySinks), Migration(4, "homes of HomeKit", sql: homes),
    ]

    private static let sources = """
        CREATE TABLE sources (
            name TEXT PRIMARY KEY,
            state TEXT NOT NULL,
            series TEXT,
            changed REAL NOT NULL
        ) WITHOUT ROWID;
        """

    /// Where the queue of a sink ends that is not configured: events after that are put into it when it comes back.
    private static let awaySinks = "ALTER TABLE sinks ADD COLUMN paused INTEGER"

    /// By what a venue that is named anew is known again.
    private static let homes = "ALTER TABLE venues ADD COLUMN home TEXT"

    private static let first = """
        CREATE TABLE venues (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL UNIQUE
        ) WITHOUT ROWID;

        CREATE TABLE settings (
            device TEXT NOT NULL,
            key TEXT NOT NULL,
            body TEXT NOT NULL,
            changed REAL NOT NULL,
            PRIMARY KEY (device, key)
        ) WITHOUT ROWID;

        CREATE TABLE guidance (
            token TEXT PRIMARY KEY,
            venue TEXT NOT NULL,
            action TEXT NOT NULL,
            issued REAL NOT NULL,
            starts REAL NOT NULL,
            ends REAL NOT NULL,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX guidance_latest ON guidance (venue, action, issued);

        CREATE TABLE guidance_requests (
            token TEXT NOT NULL REFERENCES guidance (token) ON DELETE CASCADE,
            requester TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (token, requester)
        ) WITHOUT ROWID;

        CREATE TABLE events (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            venue TEXT NOT NULL,
            device TEXT NOT NULL,
            session TEXT,
            state TEXT,
            at REAL NOT NULL,
            token TEXT,
            body TEXT NOT NULL
        );
        CREATE INDEX events_device ON events (device, at);
        CREATE INDEX events_session ON events (session, at);
        CREATE INDEX events_token ON events (token);

        CREATE TABLE sessions (
            id TEXT PRIMARY KEY,
            venue TEXT NOT NULL,
            device TEXT NOT NULL,
            began REAL NOT NULL,
            ended REAL,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX sessions_device ON sessions (device, began);

        CREATE TABLE recorders (
            device TEXT PRIMARY KEY,
            body TEXT NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE sinks (
            name TEXT PRIMARY KEY,
            since INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE outbox (
            sink TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (sink, sequence)
        ) WITHOUT ROWID;

        CREATE TABLE dead_letters (
            sink TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            at REAL NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (sink, sequence)
        ) WITHOUT ROWID;

        CREATE TABLE credentials (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash BLOB NOT NULL UNIQUE,
            role TEXT NOT NULL,
            label TEXT NOT NULL,
            created REAL NOT NULL
        );
        """
}
