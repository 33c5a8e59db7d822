import SQLite
import Testing

@Suite struct MigrationTests {
    private let second = Migration(2, "colours") { connection in
        try connection.execute("ALTER TABLE numbers ADD COLUMN colour TEXT")
        try connection.execute("INSERT INTO numbers VALUES (1, 'one', 'red')")
    }

    private func version(_ database: Database) async throws -> Int64? {
        try await database.read { try $0.scalarInt64("PRAGMA user_version") }
    }

    @Test func eachStepRunsOnce() async throws {
        let folder = try Folder()
        let path = folder.path("steps.sqlite")
        let first = try await Database(path: path)
        try await first.migrate(numbers)
        #expect(try await version(first) == 1)
        await first.close()
        let later = try await Database(path: path)
        try await later.migrate(numbers + [second])
        try await later.migrate(numbers + [second])
        #expect(try await version(later) == 2)
        #expect(try await later.read { try $0.scalarInt64("SELECT count(*) FROM numbers") } == 1)
        await later.close()
    }

    @Test func aNewerFileIsRefused() async throws {
        let database = try await memoryDatabase()
        try await database.migrate(numbers + [second])
        let error = try await sqliteError { try await database.migrate(numbers) }
        #expect(error.code == .newerSchema)
        #expect(error.message == "the file has schema version 2 and this program knows 1")
        #expect(error.description.contains("newer version of the program"))
    }

    @Test func aFailedStepIsUndoneAndThoseBeforeItStay() async throws {
        let database = try await memoryDatabase()
        let bad = Migration(3, "bad", sql: "CREATE TABLE half (n); SELECT * FROM missing")
        _ = try await sqliteError { try await database.migrate(numbers + [second, bad]) }
        #expect(try await version(database) == 2)
        let tables = try await database.read {
            try $0.scalarInt64("SELECT count(*) FROM sqlite_schema WHERE name = 'half'")
        }
        #expect(tables == 0)
        // References are enforced again after a failure.
        #expect(try await database.transaction { try $0.scalarInt64("PRAGMA foreign_keys") } == 1)
    }

    @Test func aStepMayRebuildATableThatOthersReferTo() async throws {
        let database = try await memoryDatabase()
        let child = Migration(
            2, "child",
            sql: """
                INSERT INTO numbers VALUES (1, 'one');
                CREATE TABLE child (n INTEGER REFERENCES numbers (n) ON DELETE CASCADE);
                INSERT INTO child VALUES (1);
                """)
        let rebuild = Migration(
            3, "rebuild",
            sql: """
                CREATE TABLE wide (n INTEGER PRIMARY KEY, word TEXT, more TEXT);
                INSERT INTO wide SELECT n, word, NULL FROM numbers;
                DROP TABLE numbers;
                ALTER TABLE wide RENAME TO numbers;
                """)
        try await database.migrate(numbers + [child, rebuild])
        #expect(try await database.read { try $0.scalarInt64("SELECT count(*) FROM child") } == 1)
        #expect(try await database.integrityCheck().isEmpty)
    }

    @Test func aStepThatBreaksReferencesIsUndone() async throws {
        let database = try await memoryDatabase()
        let bad = Migration(
            2, "orphans", sql: "CREATE TABLE child (n INTEGER REFERENCES numbers (n)); INSERT INTO child VALUES (9)")
        let error = try await sqliteError { try await database.migrate(numbers + [bad]) }
        #expect(error.code == .constraint)
        #expect(error.message.contains("migration 2 (orphans)"))
        #expect(try await version(database) == 1)
    }

    @Test func aGapInTheNumbersIsAProgrammersError() async throws {
        await #expect(processExitsWith: .failure) {
            let database = try await Database(path: ":memory:")
            try await database.migrate([Migration(2, "two", sql: "SELECT 1")])
        }
    }
}
