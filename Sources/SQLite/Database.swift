package import ThreadKit

/// A SQLite database: one connection that lives on a thread of its own.
///
/// ## Thread Safety
/// Any task may call it; the actor runs one transaction after the other, so tasks of one process never see "locked".
/// A second `Database` on the same file, in this process or another, waits up to the busy timeout. When it has waited
/// in vain, those after it fail soon, until the file is let go: a queue of tasks would else wait one after the other.
///
/// ## Durability
/// With the default configuration a commit is on the disk when `transaction` returns.
package actor Database {
    /// The path of the file, or `:memory:`.
    package nonisolated let path: String
    let handle: Handle
    private let configuration: DatabaseConfiguration
    private let executor: ThreadExecutor
    /// Whether another connection held the file for the whole busy timeout, at the last try.
    private var isHeld = false

    /// The thread that all work runs on.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The same thread for tasks that do little but call the database.
    package nonisolated let preference: ThreadPreference

    /// Opens the file, and makes it if there is none; its folder must exist.
    /// - Parameter path: a file, or `:memory:` for a database that ends with this object.
    /// - Throws: if the file cannot be opened, is damaged, or is no database.
    package init(
        path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws(SQLiteError) {
        self.path = path
        self.configuration = configuration
        executor = ThreadExecutor(name: "sqlite")
        preference = ThreadPreference(executor)
        handle = Handle(path: path, statementCacheSize: configuration.statementCacheSize)
        try open()
    }

    isolated deinit {
        handle.close()
        executor.stop()
    }

    private func open() throws(SQLiteError) {
        try handle.open(configuration)
    }

    /// Runs `body` in one transaction that is written when it returns and undone when it throws.
    /// - Throws: a `SQLiteError`, or what `body` throws.
    package func transaction<T: Sendable>(_ body: @Sendable (borrowing Connection) throws -> T) throws -> T {
        try perform(begin: "BEGIN IMMEDIATE", body)
    }

    /// Runs `body` on one state of the database; statements that write are refused.
    /// - Throws: a `SQLiteError`, or what `body` throws.
    package func read<T: Sendable>(_ body: @Sendable (borrowing Connection) throws -> T) throws -> T {
        handle.allowsWrites = false
        defer { handle.allowsWrites = true }
        return try perform(begin: "BEGIN", body)
    }

    /// Checks the whole file, which takes a while for a large one.
    /// - Returns: what is wrong in SQLite's words, damaged references included; empty if all is well.
    package func integrityCheck() throws -> [String] {
        do {
            return try read { connection in
                let damage = try connection.query("PRAGMA integrity_check") { try $0.text(0) }.filter { $0 != "ok" }
                return try damage + connection.brokenReferences()
            }
        } catch let error as SQLiteError where error.isCorrupt {
            return [error.message]
        }
    }

    /// Closes the file; every later call but another `close()` throws `misuse`.
    package func close() {
        handle.close()
    }

    /// How many prepared statements are kept; at most the configured number.
    package var cachedStatementCount: Int { handle.cachedStatementCount }

    private func perform<T>(begin: String, _ body: (borrowing Connection) throws -> T) throws -> T {
        try run(begin)
        // SQLite itself has rolled back already after some errors, a full disk for instance.
        defer { if handle.isInTransaction { try? handle.run("ROLLBACK") } }
        let connection = Connection(handle)
        let value = try body(connection)
        try handle.run("COMMIT")
        return value
    }

    private func run(_ begin: String) throws(SQLiteError) {
        do {
            try handle.run(begin)
            // A reader gets in also while another connection writes, and says nothing of that one.
            guard handle.allowsWrites else { return }
            if isHeld { try handle.wait(for: configuration.busyMilliseconds) }
            isHeld = false
        } catch {
            if error.isBusy, !isHeld {
                isHeld = true
                try handle.wait(for: min(configuration.busyMilliseconds, Self.heldMilliseconds))
            }
            throw error
        }
    }

    /// How long to wait for a file that another connection does not let go of.
    private static let heldMilliseconds: Int32 = 20

    /// Runs `body` while references are not enforced, as a migration that rebuilds a table needs.
    func withoutForeignKeys(_ body: () throws -> Void) throws {
        try handle.run("PRAGMA foreign_keys = OFF")
        defer { if configuration.enforcesForeignKeys { try? handle.run("PRAGMA foreign_keys = ON") } }
        try body()
    }
}

extension Connection {
    /// Rows whose `REFERENCES` points nowhere, in words.
    borrowing func brokenReferences() throws -> [String] {
        try query("PRAGMA foreign_key_check") { row in
            "row \(try row.optionalInt64(1) ?? 0) of \(try row.text(0)) refers to nothing in \(try row.text(2))"
        }
    }
}
