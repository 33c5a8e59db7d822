import Foundation
import SQLite
import Testing

@Suite struct FailureTests {
    @Test func aMissingFolderSaysSo() async throws {
        let folder = try Folder()
        let error = try await sqliteError { _ = try await Database(path: folder.path("no/such/db.sqlite")) }
        #expect(error.code == .cannotOpen)
        #expect(error.description.contains("No such file or directory"))
        #expect(error.description.contains("check that the folder exists"))
    }

    @Test func aFolderIsNoDatabase() async throws {
        let folder = try Folder()
        let error = try await sqliteError { _ = try await Database(path: folder.url.path) }
        #expect(error.code == .cannotOpen)
    }

    @Test func anotherKindOfFileIsRefusedAndLeftAlone() async throws {
        let folder = try Folder()
        let text = Data(String(repeating: "This is a letter, not a database. ", count: 100).utf8)
        let url = folder.url.appending(path: "letter.txt")
        try text.write(to: url)
        let error = try await sqliteError { _ = try await Database(path: url.path) }
        #expect(error.code == .notADatabase)
        #expect(error.isCorrupt)
        #expect(try Data(contentsOf: url) == text)
    }

    @Test func damageIsFoundAndTyped() async throws {
        let folder = try Folder()
        let path = folder.path("damaged.sqlite")
        let database = try await Database(path: path)
        try await database.migrate(numbers)
        try await database.transaction { connection in
            for n in 0..<2000 { try connection.execute("INSERT INTO numbers VALUES (?, 'some words')", [.init(n)]) }
        }
        #expect(try await database.integrityCheck().isEmpty)
        await database.close()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 12_288))
        try file.close()
        let damaged = try await Database(path: path)
        #expect(try await !damaged.integrityCheck().isEmpty)
        let error = try await sqliteError {
            _ = try await damaged.read { try $0.query("SELECT word FROM numbers") { try $0.text(0) } }
        }
        #expect(error.code == .corrupt)
        #expect(error.isCorrupt)
        #expect(error.description.contains("restore the latest backup"))
    }

    @Test func aReadOnlyDatabaseReadsAndRefusesToWrite() async throws {
        let folder = try Folder()
        let path = folder.path("fixed.sqlite")
        let writer = try await Database(path: path)
        try await writer.migrate(numbers)
        let reader = try await Database(path: path, configuration: DatabaseConfiguration(isReadOnly: true))
        try await reader.migrate(numbers)
        #expect(try await reader.read { try $0.scalarInt64("SELECT count(*) FROM numbers") } == 0)
        let error = try await sqliteError {
            try await reader.transaction { try $0.execute("INSERT INTO numbers VALUES (1, 'a')") }
        }
        #expect(error.isReadOnly)
        await writer.close()
        await reader.close()
    }

    @Test func aReadOnlyDatabaseIsNotMade() async throws {
        let folder = try Folder()
        let configuration = DatabaseConfiguration(isReadOnly: true)
        let error = try await sqliteError {
            _ = try await Database(path: folder.path("none.sqlite"), configuration: configuration)
        }
        #expect(error.code == .cannotOpen)
        #expect(folder.names.isEmpty)
    }

    @Test func aFullDiskUndoesTheTransactionAndTheDatabaseGoesOn() async throws {
        let folder = try Folder()
        let database = try await Database(path: folder.path("full.sqlite"))
        try await database.migrate(numbers)
        // The page limit takes SQLite's path for a full disk.
        try await database.transaction { try $0.execute("PRAGMA max_page_count = 20") }
        let large = SQLiteValue.text(String(repeating: "x", count: 200_000))
        let error = try await sqliteError {
            try await database.transaction { connection in
                try connection.execute("INSERT INTO numbers VALUES (1, 'small')")
                try connection.execute("INSERT INTO numbers VALUES (2, ?)", [large])
            }
        }
        #expect(error.isFull)
        #expect(error.description.contains("free space"))
        try await database.transaction { try $0.execute("INSERT INTO numbers VALUES (3, 'small')") }
        let rows = try await database.read { try $0.query("SELECT n FROM numbers") { try $0.int(0) } }
        #expect(rows == [3])
    }

    @Test func theFileIsPrivate() async throws {
        let folder = try Folder()
        let path = folder.path("private.sqlite")
        let database = try await Database(path: path)
        try await database.migrate(numbers)
        for name in folder.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        await database.close()
    }

    /// Text size of each row of the transaction that is cut off; the large one spills into the log before the end.
    @Test(arguments: [10, 20_000])
    func killedInATransactionLosesNothingCommittedAndKeepsNothingElse(size: Int) async throws {
        let folder = try Folder()
        let path = folder.path("killed.sqlite")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, size = size as Int] in
            let database = try await Database(path: path)
            try await database.migrate(numbers)
            for n in 0..<20 {
                try await database.transaction { try $0.execute("INSERT INTO numbers VALUES (?, 'kept')", [.init(n)]) }
            }
            try await database.transaction { connection in
                try connection.execute("PRAGMA cache_size = 10")
                let word = SQLiteValue.text(String(repeating: "x", count: size))
                for n in 100..<200 { try connection.execute("INSERT INTO numbers VALUES (?, ?)", [.init(n), word]) }
                kill(getpid(), SIGKILL)
            }
        }
        let database = try await Database(path: path)
        let rows = try await database.read { try $0.query("SELECT n FROM numbers ORDER BY n") { try $0.int(0) } }
        #expect(rows == Array(0..<20))
        #expect(try await database.integrityCheck().isEmpty)
        await database.close()
    }
}
