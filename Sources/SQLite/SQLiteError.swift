/// What SQLite refused, on which file and statement, and how to mend it.
///
/// Match on the code: `catch SQLiteError.Code.constraint`, or `catch let error as SQLiteError where error.isBusy`.
package struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The primary result code.
    package let code: Code
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`; its low byte is the primary one.
    package let extendedCode: Int32
    /// What SQLite says is wrong.
    package let message: String
    /// The statement, without its arguments, which may be secret.
    package let sql: String?
    /// The database's file.
    package let path: String

    /// Makes an error from its parts.
    package init(extendedCode: Int32, message: String, sql: String? = nil, path: String) {
        code = extendedCode < 0 ? Code(rawValue: extendedCode) : Code(rawValue: extendedCode & 0xFF)
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
    }

    /// Whether the file is damaged or no database at all.
    package var isCorrupt: Bool { code == .corrupt || code == .notADatabase }
    /// Whether the disk, or the room the database may take, is full.
    package var isFull: Bool { code == .full }
    /// Whether the file or its folder cannot be written.
    package var isReadOnly: Bool { code == .readOnly }
    /// Whether another connection held the file for longer than the busy timeout.
    package var isBusy: Bool { code == .busy || code == .locked }

    /// File, what is wrong, how to mend it, and the statement, on one line.
    package var description: String {
        let advice = code.advice.map { "; \($0)" } ?? ""
        let statement = sql.map { " [\(Self.oneLine($0))]" } ?? ""
        return "\(path): \(message) (SQLite code \(extendedCode))\(advice)\(statement)"
    }

    /// File, what is wrong and how to mend it, without the statement: for people who do not know the program.
    package var plainText: String {
        let advice = code.advice.map { "; \($0)" } ?? ""
        return "\(path): \(message)\(advice)"
    }

    /// Whether it says that the file cannot be written as things are, whatever is written.
    package var isOfTheFile: Bool {
        switch code {
        case .full, .readOnly, .permission, .inputOutput, .cannotOpen, .corrupt, .notADatabase, .busy, .noMemory, .lost:
            true
        default: false
        }
    }

    private static func oneLine(_ sql: String) -> String {
        let words = sql.split { $0.isWhitespace }.joined(separator: " ")
        return words.count > 200 ? "\(words.prefix(199))…" : words
    }
}

extension SQLiteError {
    /// A primary result code of SQLite, <https://sqlite.org/rescode.html>.
    package struct Code: RawRepresentable, Sendable, Hashable {
        /// SQLite's number; negative for the codes of this wrapper.
        package let rawValue: Int32

        /// Wraps a number.
        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// A mistake in the SQL, or a missing table.
        package static let error = Code(rawValue: 1)
        /// The operating system refused access.
        package static let permission = Code(rawValue: 3)
        /// Another connection held the file too long.
        package static let busy = Code(rawValue: 5)
        /// Another statement of the same connection holds the table.
        package static let locked = Code(rawValue: 6)
        /// No memory.
        package static let noMemory = Code(rawValue: 7)
        /// The file, its folder or the access is read-only.
        package static let readOnly = Code(rawValue: 8)
        /// The statement was interrupted.
        package static let interrupted = Code(rawValue: 9)
        /// The disk failed.
        package static let inputOutput = Code(rawValue: 10)
        /// The file is damaged.
        package static let corrupt = Code(rawValue: 11)
        /// No space left.
        package static let full = Code(rawValue: 13)
        /// The file cannot be opened or made.
        package static let cannotOpen = Code(rawValue: 14)
        /// A value or the statement is too large.
        package static let tooBig = Code(rawValue: 18)
        /// A constraint of the schema forbids the change.
        package static let constraint = Code(rawValue: 19)
        /// A value has the wrong type.
        package static let mismatch = Code(rawValue: 20)
        /// The database was used in a way that is not allowed, after `close()` for instance.
        package static let misuse = Code(rawValue: 21)
        /// A parameter or column that does not exist.
        package static let range = Code(rawValue: 25)
        /// The file is no database.
        package static let notADatabase = Code(rawValue: 26)
        /// The file's schema is newer than the program's; a code of this wrapper.
        package static let newerSchema = Code(rawValue: -1)
        /// The open file has lost its name, or its content; a code of this wrapper.
        package static let lost = Code(rawValue: -2)

        /// Lets `catch SQLiteError.Code.busy` match an error by its primary code.
        package static func ~= (code: Code, error: any Error) -> Bool { (error as? SQLiteError)?.code == code }

        /// What a person can do about it.
        var advice: String? {
            switch self {
            case .full: "free space on the disk that holds the file"
            case .readOnly, .permission: "let this user write to the file and its folder"
            case .cannotOpen: "check that the folder exists and that this user may write in it"
            case .corrupt, .notADatabase: "keep the file aside and restore the latest backup"
            case .busy, .locked: "find the other program that holds the file and stop it"
            case .inputOutput: "check the disk, its cable or card, limits of file size, and the system's log"
            case .noMemory: "free memory"
            case .lost: "put it back, or restart the hub, which takes the newest backup if it has to"
            case .newerSchema: "run the newer version of the program, or restore a backup made before the update"
            default: nil
            }
        }
    }
}
