import CSQLite

/// A prepared statement; finalised when its last user lets go of it.
///
/// ## Thread Safety
/// Used only on the thread of the connection that made it.
final class Statement {
    let handle: OpaquePointer
    let sql: String
    let path: String
    /// Whether rows are being read from it right now.
    var isBusy = false
    /// The cache's clock at its last use.
    var lastUse: UInt64 = 0
    private var columns: [String: Int32]?
    private var preparations: Int32 = 0

    init(handle: OpaquePointer, sql: String, path: String) {
        self.handle = handle
        self.sql = sql
        self.path = path
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Whether it leaves the database as it is.
    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Steps once.
    /// - Returns: whether there is a row.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw lastError()
        }
    }

    /// Makes it ready for the next use and forgets its arguments; without this a failed statement keeps its locks.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isBusy = false
    }

    /// Where the column of that name stands; the first one if there are several.
    func columnIndex(_ name: String) -> Int32? {
        // SQLite prepares again by itself when the schema changes, and `SELECT *` may then have other columns.
        let now = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let columns, now == preparations { return columns[name] }
        var found: [String: Int32] = [:]
        for index in 0..<sqlite3_column_count(handle) {
            guard let name = sqlite3_column_name(handle, index) else { continue }
            let key = String(cString: name)
            if found[key] == nil { found[key] = index }
        }
        columns = found
        preparations = now
        return found[name]
    }

    /// The error that the connection reports now.
    func lastError() -> SQLiteError {
        SQLiteError(database: sqlite3_db_handle(handle), sql: sql, path: path)
    }

    /// An error of this wrapper about this statement.
    func error(_ code: SQLiteError.Code, _ message: String) -> SQLiteError {
        SQLiteError(extendedCode: code.rawValue, message: message, sql: sql, path: path)
    }
}

// MARK: - Arguments

extension Statement {
    /// Binds one value for each parameter in turn.
    func bind(_ arguments: [SQLiteValue]) throws(SQLiteError) {
        let count = Int(sqlite3_bind_parameter_count(handle))
        guard arguments.count == count else {
            throw error(.range, "the statement has \(count) parameters but \(arguments.count) arguments were given")
        }
        for index in 0..<count { try bind(arguments[index], at: Int32(index + 1)) }
    }

    /// Binds `:name` parameters; each must have a value and each value a parameter.
    func bind(named arguments: [String: SQLiteValue]) throws(SQLiteError) {
        let count = Int(sqlite3_bind_parameter_count(handle))
        guard arguments.count == count else {
            throw error(.range, "the statement has \(count) parameters but \(arguments.count) arguments were given")
        }
        for (name, value) in arguments {
            let index = sqlite3_bind_parameter_index(handle, ":\(name)")
            guard index > 0 else { throw error(.range, "the statement has no parameter ':\(name)'") }
            try bind(value, at: index)
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) throws(SQLiteError) {
        let result =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
            case .real(let real): try bind(real, at: index)
            case .text(let text): bind(text, at: index)
            case .blob(let bytes): bind(bytes, at: index)
            }
        guard result == SQLITE_OK else { throw lastError() }
    }

    private func bind(_ real: Double, at index: Int32) throws(SQLiteError) -> Int32 {
        guard !real.isNaN else { throw error(.mismatch, "argument \(index) is not a number; store null if unknown") }
        return sqlite3_bind_double(handle, index, real)
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return offpeak_bind_text(handle, index, "", 0) }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                offpeak_bind_text(handle, index, $0, sqlite3_uint64(bytes.count))
            }
        }
    }

    private func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            // A nil pointer would be stored as null, and an empty blob is not null.
            guard let start = buffer.baseAddress, !buffer.isEmpty else {
                return sqlite3_bind_zeroblob(handle, index, 0)
            }
            return offpeak_bind_blob(handle, index, start, sqlite3_uint64(buffer.count))
        }
    }
}

extension SQLiteError {
    /// The error that `database` reports now.
    init(database: OpaquePointer?, sql: String?, path: String) {
        self.init(
            extendedCode: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)),
            sql: sql,
            path: path)
    }
}
