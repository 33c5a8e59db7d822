import CSQLite
package import Foundation

/// One statement that is run many times, each time with other values; for rows by the hundred.
///
/// A value that is text is copied once, into memory that is used again for the next run, and not once more by SQLite:
/// "the application must ensure that the data remains valid until the statement is reset"
/// (https://www.sqlite.org/c3ref/bind_blob.html).
///
/// ## Thread Safety
/// As the transaction that it belongs to.
package struct RepeatedStatement: ~Copyable {
    private let statement: Statement
    /// The texts of the next run, one after the other.
    ///
    /// Never empty: a text without a byte needs an address too, or it would be null.
    private var bytes: [UInt8] = [0]
    private var texts: [(index: Int32, start: Int, length: Int)] = []

    init(_ statement: Statement) {
        self.statement = statement
        bytes.reserveCapacity(2_048)
        texts.reserveCapacity(16)
    }

    /// Binds a text, or null.
    /// - Parameter index: the parameter's place, from 1.
    package mutating func bind(_ text: String?, at index: Int32) {
        guard let text else { return bindNull(at: index) }
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        texts.append((index, start, bytes.count - start))
    }

    /// Binds an identifier as the 36 characters in upper case, or null.
    package mutating func bind(_ id: UUID?, at index: Int32) {
        guard let id else { return bindNull(at: index) }
        texts.append((index, bytes.count, 36))
        id.appendText(to: &bytes)
    }

    /// Binds a number.
    /// - Throws: a `SQLiteError` for what is no number, which SQLite would store as null.
    package mutating func bind(_ number: Double, at index: Int32) throws(SQLiteError) {
        guard !number.isNaN else {
            throw statement.error(.mismatch, "argument \(index) is not a number; store null if unknown")
        }
        sqlite3_bind_double(statement.handle, index, number)
    }

    private func bindNull(at index: Int32) { sqlite3_bind_null(statement.handle, index) }

    /// Runs the statement with what was bound since the last run; what was not is null, and rows are ignored.
    package mutating func run() throws(SQLiteError) {
        let handle = statement.handle
        let result = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return SQLITE_MISUSE }
            for text in texts {
                let start = (base + text.start).assumingMemoryBound(to: CChar.self)
                let result = offpeak_bind_static_text(handle, text.index, start, sqlite3_uint64(text.length))
                guard result == SQLITE_OK else { return result }
            }
            var result = sqlite3_step(handle)
            while result == SQLITE_ROW { result = sqlite3_step(handle) }
            return result
        }
        let error = result == SQLITE_DONE ? nil : statement.lastError()
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        bytes.removeAll(keepingCapacity: true)
        bytes.append(0)
        texts.removeAll(keepingCapacity: true)
        if let error { throw error }
    }
}

extension Connection {
    /// Prepares a statement once for many runs.
    /// - Throws: a `SQLiteError`, or what `body` throws.
    package borrowing func repeating<Result>(
        _ sql: String, _ body: (inout RepeatedStatement, borrowing Connection) throws -> Result
    ) throws -> Result {
        let statement = try statement(sql)
        statement.isBusy = true
        // Without this the statement would point at memory that is gone.
        defer { statement.reset() }
        var repeated = RepeatedStatement(statement)
        return try body(&repeated, self)
    }
}
