import CSQLite
import Glibc

/// Owns one `sqlite3 *` and the statements prepared on it.
///
/// ## Thread Safety
/// The connection is opened with `SQLITE_OPEN_NOMUTEX`: "the new database connection will use the multi-thread
/// threading mode", that is, one thread at a time. Its owner is the `Database` actor with a thread of its own.
final class Handle {
    let path: String
    private(set) var database: OpaquePointer?
    private var cache: StatementCache
    /// Whether statements may change the database now.
    var allowsWrites = true

    init(path: String, statementCacheSize: Int) {
        self.path = path
        cache = StatementCache(capacity: statementCacheSize)
    }

    deinit {
        close()
    }

    /// How many statements are cached.
    var cachedStatementCount: Int { cache.count }

    /// Whether a transaction is open.
    var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Opens the file.
    func open(readOnly: Bool, isImmutable: Bool = false) throws(SQLiteError) {
        _ = Self.hasPlainMemory
        var access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var name = path
        if readOnly, isImmutable {
            access |= SQLITE_OPEN_URI
            name = Self.immutableAddress(of: path)
        }
        if !readOnly, path != ":memory:" { makePrivateFile() }
        let result = sqlite3_open_v2(name, &database, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result != SQLITE_OK else { return }
        let error = openingError(result)
        close()
        throw error
    }

    /// Whether SQLite was told, before its first use, not to keep sums of its memory, which takes a lock with every piece
    /// (`SQLITE_CONFIG_MEMSTATUS`, https://www.sqlite.org/c3ref/c_config_covering_index_scan.html).
    private static let hasPlainMemory = offpeak_disable_memory_sums() == SQLITE_OK

    /// Makes the file for its owner only; SQLite gives its side files the same mode.
    ///
    /// A failure shows when SQLite opens the file.
    private func makePrivateFile() {
        let descriptor = Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// The address of a file that nobody changes; every byte that may mean something in an address is escaped.
    private static func immutableAddress(of path: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-".utf8)
        let digits = Array("0123456789ABCDEF")
        let escaped = path.utf8.reduce(into: "") { text, byte in
            if plain.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return "file:\(escaped)?immutable=1"
    }

    private func openingError(_ result: Int32) -> SQLiteError {
        let message = database.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(result))
        let number = database.map { sqlite3_system_errno($0) } ?? 0
        let reason = number == 0 ? "" : ": \(String(cString: strerror(number)))"
        return SQLiteError(extendedCode: result, message: message + reason, path: path)
    }

    /// Finalises the statements and closes the file; a second call does nothing.
    func close() {
        cache.removeAll()
        guard let database else { return }
        self.database = nil
        sqlite3_close_v2(database)
    }

    /// The open connection.
    func opened() throws(SQLiteError) -> OpaquePointer {
        if let database { return database }
        throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the database is closed", path: path)
    }

    /// A statement of `sql` that nobody uses, from the cache if possible.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = cache.idle(sql) { return try permitted(statement) }
        let (statement, rest) = try prepare(sql, from: 0, flags: SQLITE_PREPARE_PERSISTENT)
        guard let statement else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "the SQL has no statement", sql: sql, path: path)
        }
        guard try isBlank(sql, from: rest) else {
            throw statement.error(.misuse, "the SQL has more than one statement; use executeScript")
        }
        cache.insert(statement)
        return try permitted(statement)
    }

    /// Runs every statement of `script` in turn.
    func run(script: String) throws(SQLiteError) {
        var offset = 0
        while offset < script.utf8.count {
            let (statement, rest) = try prepare(script, from: offset, flags: 0)
            offset = rest
            guard let statement else { continue }
            _ = try permitted(statement)
            while try statement.step() {}
        }
    }

    /// Runs a statement without arguments whose rows do not matter.
    func run(_ sql: String) throws(SQLiteError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        while try statement.step() {}
    }

    private func permitted(_ statement: Statement) throws(SQLiteError) -> Statement {
        guard allowsWrites || statement.isReadOnly else {
            throw statement.error(.readOnly, "this statement writes inside read { }; use transaction { }")
        }
        return statement
    }

    private func isBlank(_ sql: String, from offset: Int) throws(SQLiteError) -> Bool {
        guard offset < sql.utf8.count else { return true }
        return try prepare(sql, from: offset, flags: 0).statement == nil
    }

    /// Prepares the first statement after `offset` bytes.
    /// - Returns: nil if there are only blanks and comments, and the offset of what follows.
    private func prepare(
        _ sql: String, from offset: Int, flags: Int32
    ) throws(SQLiteError) -> (statement: Statement?, rest: Int) {
        let database = try opened()
        var handle: OpaquePointer?
        var rest = sql.utf8.count
        var text = sql
        let result = text.withUTF8 { bytes in
            guard let start = bytes.baseAddress, offset < bytes.count else { return SQLITE_OK }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
                var tail: UnsafePointer<CChar>?
                let length = Int32(clamping: bytes.count - offset)
                let result = sqlite3_prepare_v3(database, start + offset, length, UInt32(flags), &handle, &tail)
                if let tail { rest = tail - start }
                return result
            }
        }
        guard result == SQLITE_OK else { throw SQLiteError(database: database, sql: sql, path: path) }
        return (handle.map { Statement(handle: $0, sql: sql, path: path) }, max(rest, offset + 1))
    }
}
