/// One step from a version of the schema to the next.
///
/// A migration that was released is never changed; a new one follows it.
package struct Migration: Sendable {
    /// The schema's version after this step; the first is 1.
    package let number: Int
    /// What it does, in a few words.
    package let name: String
    private let body: @Sendable (borrowing Connection) throws -> Void

    /// A step in Swift.
    package init(_ number: Int, _ name: String, _ body: @escaping @Sendable (borrowing Connection) throws -> Void) {
        self.number = number
        self.name = name
        self.body = body
    }

    /// A step in SQL.
    package init(_ number: Int, _ name: String, sql: String) {
        self.init(number, name) { try $0.executeScript(sql) }
    }

    /// Takes the step and records it, inside a transaction.
    func apply(_ connection: borrowing Connection) throws {
        try body(connection)
        if let broken = try connection.brokenReferences().first {
            throw connection.error(
                .constraint, "migration \(number) (\(name)) leaves references that point nowhere: \(broken)")
        }
        try connection.execute("PRAGMA user_version = \(number)")
    }
}

extension Database {
    /// Brings the schema to the last of `migrations`; each step is one transaction, recorded in `user_version`.
    ///
    /// References are not enforced meanwhile, so that a step may rebuild a table, and are checked at the end of each.
    /// - Precondition: the numbers are 1, 2, 3, … in order.
    /// - Throws: `newerSchema` if the file knows more steps than the program; or what a step throws, which undoes it.
    package func migrate(_ migrations: [Migration]) throws {
        precondition(
            migrations.map(\.number) == Array(1..<(migrations.count + 1)), "migrations are numbered 1, 2, 3, …")
        let version = try read { try $0.schemaVersion() }
        guard version <= migrations.count else {
            throw SQLiteError(
                extendedCode: SQLiteError.Code.newerSchema.rawValue,
                message: "the file has schema version \(version) and this program knows \(migrations.count)", path: path
            )
        }
        guard version < migrations.count else { return }
        try withoutForeignKeys {
            for migration in migrations[version...] {
                try transaction { connection in
                    // Another process may have taken the step since.
                    guard try connection.schemaVersion() < migration.number else { return }
                    try migration.apply(connection)
                }
            }
        }
    }
}

extension Connection {
    /// The number of the last migration that the file has seen.
    borrowing func schemaVersion() throws(SQLiteError) -> Int {
        Int(try scalarInt64("PRAGMA user_version") ?? 0)
    }
}
