import CSQLite
package import Foundation

/// Names a column of a row: by position from 0, or by name.
package protocol RowColumn {
    /// The position in `row`.
    /// - Throws: if the row has no such column.
    func position(in row: borrowing Row) throws(SQLiteError) -> Int32
}

extension Int: RowColumn {
    /// Itself, if the row is that long.
    package func position(in row: borrowing Row) throws(SQLiteError) -> Int32 {
        guard self >= 0, self < row.count else {
            throw row.statement.error(.range, "there is no column \(self); the row has \(row.count)")
        }
        return Int32(self)
    }
}

extension String: RowColumn {
    /// The position of the first column of that name.
    package func position(in row: borrowing Row) throws(SQLiteError) -> Int32 {
        if let index = row.statement.columnIndex(self) { return index }
        throw row.statement.error(.range, "there is no column '\(self)'")
    }
}

/// The row a query stands on; it ends with the closure that was given it.
///
/// A value of another type than asked for, null included, is an error with code `mismatch`, and a column that does not
/// exist one with code `range`. SQLite's own silent conversions are not used, except from integer to real.
package struct Row: ~Copyable {
    let statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
    }

    /// How many columns there are.
    package var count: Int { Int(sqlite3_data_count(statement.handle)) }

    /// The value as it is stored.
    package func value(_ column: some RowColumn) throws(SQLiteError) -> SQLiteValue {
        let index = try column.position(in: self)
        return switch sqlite3_column_type(statement.handle, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement.handle, index))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement.handle, index))
        case SQLITE_TEXT: .text(readText(index))
        case SQLITE_BLOB: .blob(readBlob(index))
        default: .null
        }
    }

    /// Whether the value is null.
    package func isNull(_ column: some RowColumn) throws(SQLiteError) -> Bool {
        sqlite3_column_type(statement.handle, try column.position(in: self)) == SQLITE_NULL
    }

    /// An integer.
    package func int64(_ column: some RowColumn) throws(SQLiteError) -> Int64 {
        let index = try checked(column, SQLITE_INTEGER, "an integer")
        return sqlite3_column_int64(statement.handle, index)
    }

    /// An integer.
    package func int(_ column: some RowColumn) throws(SQLiteError) -> Int {
        Int(try int64(column))
    }

    /// An integer that is 0 or 1.
    package func bool(_ column: some RowColumn) throws(SQLiteError) -> Bool {
        switch try int64(column) {
        case 0: return false
        case 1: return true
        default: throw mismatch(try column.position(in: self), "0 or 1")
        }
    }

    /// A real, or an integer as a real.
    package func double(_ column: some RowColumn) throws(SQLiteError) -> Double {
        let index = try column.position(in: self)
        let type = sqlite3_column_type(statement.handle, index)
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw mismatch(index, "a number") }
        return sqlite3_column_double(statement.handle, index)
    }

    /// A text, with NUL characters if it has any.
    package func text(_ column: some RowColumn) throws(SQLiteError) -> String {
        readText(try checked(column, SQLITE_TEXT, "a text"))
    }

    /// A blob.
    package func blob(_ column: some RowColumn) throws(SQLiteError) -> [UInt8] {
        readBlob(try checked(column, SQLITE_BLOB, "a blob"))
    }

    /// A text that is a UUID.
    package func uuid(_ column: some RowColumn) throws(SQLiteError) -> UUID {
        if let uuid = UUID(uuidString: try text(column)) { return uuid }
        throw mismatch(try column.position(in: self), "a UUID")
    }

    private func checked(
        _ column: some RowColumn, _ type: Int32, _ expected: String
    ) throws(SQLiteError) -> Int32 {
        let index = try column.position(in: self)
        guard sqlite3_column_type(statement.handle, index) == type else { throw mismatch(index, expected) }
        return index
    }

    private func mismatch(_ index: Int32, _ expected: String) -> SQLiteError {
        let name = sqlite3_column_name(statement.handle, index).map { String(cString: $0) } ?? "\(index)"
        let found =
            switch sqlite3_column_type(statement.handle, index) {
            case SQLITE_INTEGER: "an integer"
            case SQLITE_FLOAT: "a real"
            case SQLITE_TEXT: "a text"
            case SQLITE_BLOB: "a blob"
            default: "null"
            }
        return statement.error(.mismatch, "column '\(name)' should hold \(expected) but holds \(found)")
    }

    private func readText(_ index: Int32) -> String {
        // The bytes are counted after the text is asked for, because asking may convert it.
        guard let start = sqlite3_column_text(statement.handle, index) else { return "" }
        let count = Int(sqlite3_column_bytes(statement.handle, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func readBlob(_ index: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement.handle, index) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement.handle, index))))
    }
}

// MARK: - Values that may be null

extension Row {
    /// An integer, or nil for null.
    package func optionalInt64(_ column: some RowColumn) throws(SQLiteError) -> Int64? {
        try isNull(column) ? nil : try int64(column)
    }

    /// An integer, or nil for null.
    package func optionalInt(_ column: some RowColumn) throws(SQLiteError) -> Int? {
        try isNull(column) ? nil : try int(column)
    }

    /// A 0 or 1, or nil for null.
    package func optionalBool(_ column: some RowColumn) throws(SQLiteError) -> Bool? {
        try isNull(column) ? nil : try bool(column)
    }

    /// A number, or nil for null.
    package func optionalDouble(_ column: some RowColumn) throws(SQLiteError) -> Double? {
        try isNull(column) ? nil : try double(column)
    }

    /// A text, or nil for null.
    package func optionalText(_ column: some RowColumn) throws(SQLiteError) -> String? {
        try isNull(column) ? nil : try text(column)
    }

    /// A blob, or nil for null.
    package func optionalBlob(_ column: some RowColumn) throws(SQLiteError) -> [UInt8]? {
        try isNull(column) ? nil : try blob(column)
    }

    /// A UUID, or nil for null.
    package func optionalUUID(_ column: some RowColumn) throws(SQLiteError) -> UUID? {
        try isNull(column) ? nil : try uuid(column)
    }
}
