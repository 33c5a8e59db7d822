import Synchronization
import ThreadKit

/// A PostgreSQL database: one connection that lives on a thread of its own and is made anew whenever it broke.
///
/// ## Thread Safety
/// Any task may call it; one transaction runs after the other. A task that is cancelled leaves the server within a
/// fraction of a second: its connection is dropped, and the server undoes the transaction.
package actor PostgreSQLDatabase {
    private let configuration: PostgreSQLConfiguration
    private let executor = ThreadExecutor(name: "postgresql")
    private var session: Session?
    private var isClosed = false

    /// The thread that all work runs on.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Names a database; the first call connects.
    package init(_ configuration: PostgreSQLConfiguration) {
        self.configuration = configuration
    }

    isolated deinit {
        session = nil
        executor.stop()
    }

    /// Runs `body` in one transaction that is kept when it returns and undone when it throws.
    /// - Throws: `PostgreSQLError`, `CancellationError`, or what `body` throws.
    @discardableResult
    package func transaction<Result: Sendable>(
        _ body: @Sendable (borrowing PostgreSQLTransaction) throws -> Result
    ) async throws -> Result {
        let interruption = Session.Interruption()
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try perform(interruption, body)
        } onCancel: {
            interruption.raise()
        }
    }

    /// Lets go of the connection; every later call fails.
    package func close() {
        isClosed = true
        session = nil
    }

    private func perform<Result>(
        _ interruption: Session.Interruption, _ body: (borrowing PostgreSQLTransaction) throws -> Result
    ) throws -> Result {
        guard !isClosed else { throw PostgreSQLError(message: "the database is closed") }
        let session = try session ?? Session(configuration, interruption)
        self.session = session
        session.interruption = interruption
        var isKept = false
        // A connection after a failure may hold half an answer: only one that is idle again is used once more.
        defer { if !isKept { self.session = undo(session) ? session : nil } }
        let limit = configuration.statementTimeout
        _ = try session.run("BEGIN", [], within: limit)
        let value = try body(PostgreSQLTransaction(session, limit: limit))
        _ = try session.run("COMMIT", [], within: limit)
        isKept = true
        return value
    }

    /// Rolls back.
    /// - Returns: whether the connection is of use after that.
    private func undo(_ session: Session) -> Bool {
        guard session.isOpen, session.isSettled else { return false }
        if session.isInTransaction, (try? session.run("ROLLBACK", [], within: .seconds(2))) == nil { return false }
        return session.isOpen && !session.isInTransaction
    }
}

/// The database inside one transaction; it ends with the closure that was given it.
package struct PostgreSQLTransaction: ~Copyable {
    private let session: Session
    private let limit: Duration

    init(_ session: Session, limit: Duration) {
        self.session = session
        self.limit = limit
    }

    /// Runs one statement with a text for each `$1`, `$2`, …; nil is null.
    /// - Returns: the rows, each value as the server writes it.
    @discardableResult
    package borrowing func run(_ sql: String, _ parameters: [String?] = []) throws(PostgreSQLError) -> [[String?]] {
        try session.run(sql, parameters, within: limit)
    }
}
