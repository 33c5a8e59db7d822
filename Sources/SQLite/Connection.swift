import CSQLite

/// The database inside one transaction; it ends with the closure that was given it.
///
/// Statements are prepared once and kept (the last 64 by default), so write values as parameters, `?` or `:name`, and
/// never into the SQL.
package struct Connection: ~Copyable {
    private let handle: Handle

    init(_ handle: Handle) {
        self.handle = handle
    }

    /// The same connection for a type that wraps it; it must not outlive the transaction either.
    package borrowing func sharing() -> Connection { Connection(handle) }

    /// Runs one statement with a value for each `?` in turn; rows are ignored.
    package borrowing func execute(_ sql: String, _ arguments: [SQLiteValue] = []) throws(SQLiteError) {
        let statement = try handle.statement(sql)
        defer { statement.reset() }
        try statement.bind(arguments)
        while try statement.step() {}
    }

    /// Runs one statement with a value for each `:name`; rows are ignored.
    package borrowing func execute(_ sql: String, named arguments: [String: SQLiteValue]) throws(SQLiteError) {
        let statement = try handle.statement(sql)
        defer { statement.reset() }
        try statement.bind(named: arguments)
        while try statement.step() {}
    }

    /// Runs all statements of a script, without parameters; for migrations.
    package borrowing func executeScript(_ sql: String) throws(SQLiteError) {
        try handle.run(script: sql)
    }

    /// What `row` makes of each row.
    /// - Throws: a `SQLiteError`, or what `row` throws.
    package borrowing func query<T>(
        _ sql: String, _ arguments: [SQLiteValue] = [], _ row: (borrowing Row) throws -> T
    ) throws -> [T] {
        var values: [T] = []
        try forEach(sql, arguments) { values.append(try row($0)) }
        return values
    }

    /// What `row` makes of each row of a statement with `:name` parameters.
    /// - Throws: a `SQLiteError`, or what `row` throws.
    package borrowing func query<T>(
        _ sql: String, named arguments: [String: SQLiteValue], _ row: (borrowing Row) throws -> T
    ) throws -> [T] {
        let statement = try handle.statement(sql)
        statement.isBusy = true
        defer { statement.reset() }
        try statement.bind(named: arguments)
        var values: [T] = []
        while try statement.step() { values.append(try row(Row(statement))) }
        return values
    }

    /// Gives each row to `body` without keeping them; for results of any length.
    /// - Throws: a `SQLiteError`, or what `body` throws, which ends the query.
    package borrowing func forEach(
        _ sql: String, _ arguments: [SQLiteValue] = [], _ body: (borrowing Row) throws -> Void
    ) throws {
        let statement = try handle.statement(sql)
        statement.isBusy = true
        defer { statement.reset() }
        try statement.bind(arguments)
        while try statement.step() { try body(Row(statement)) }
    }

    /// What `row` makes of the first row, or nil if there is none; later rows are not computed.
    /// - Throws: a `SQLiteError`, or what `row` throws.
    package borrowing func first<T>(
        _ sql: String, _ arguments: [SQLiteValue] = [], _ row: (borrowing Row) throws -> T
    ) throws -> T? {
        let statement = try handle.statement(sql)
        statement.isBusy = true
        defer { statement.reset() }
        try statement.bind(arguments)
        return try statement.step() ? try row(Row(statement)) : nil
    }

    /// The first column of the first row, or nil if there is no row.
    package borrowing func scalar(_ sql: String, _ arguments: [SQLiteValue] = []) throws(SQLiteError) -> SQLiteValue? {
        let statement = try handle.statement(sql)
        defer { statement.reset() }
        try statement.bind(arguments)
        return try statement.step() ? try Row(statement).value(0) : nil
    }

    /// The integer in the first column of the first row; nil if there is no row or it is null.
    package borrowing func scalarInt64(
        _ sql: String, _ arguments: [SQLiteValue] = []
    ) throws(SQLiteError) -> Int64? {
        let statement = try handle.statement(sql)
        defer { statement.reset() }
        try statement.bind(arguments)
        return try statement.step() ? try Row(statement).optionalInt64(0) : nil
    }

    /// The text in the first column of the first row; nil if there is no row or it is null.
    package borrowing func scalarText(
        _ sql: String, _ arguments: [SQLiteValue] = []
    ) throws(SQLiteError) -> String? {
        let statement = try handle.statement(sql)
        defer { statement.reset() }
        try statement.bind(arguments)
        return try statement.step() ? try Row(statement).optionalText(0) : nil
    }

    /// How many rows the last INSERT, UPDATE or DELETE touched.
    package var changes: Int {
        handle.database.map { Int(sqlite3_changes64($0)) } ?? 0
    }

    /// The row id of the last successful INSERT.
    package var lastInsertedRowID: Int64 {
        handle.database.map { sqlite3_last_insert_rowid($0) } ?? 0
    }

    /// A statement of `sql` that nobody uses.
    func statement(_ sql: String) throws(SQLiteError) -> Statement { try handle.statement(sql) }

    /// An error about this database.
    func error(_ code: SQLiteError.Code, _ message: String) -> SQLiteError {
        SQLiteError(extendedCode: code.rawValue, message: message, path: handle.path)
    }
}
