import Dispatch
import SQLite
import Testing

@Suite struct TransactionTests {
    private func count(_ database: Database) async throws -> Int64? {
        try await database.read { try $0.scalarInt64("SELECT count(*) FROM numbers") }
    }

    @Test func aThrownErrorUndoesEverything() async throws {
        struct Stop: Error {}
        let database = try await memoryDatabase()
        await #expect(throws: Stop.self) {
            try await database.transaction { connection in
                try connection.execute("INSERT INTO numbers VALUES (1, 'a')")
                throw Stop()
            }
        }
        #expect(try await count(database) == 0)
    }

    @Test func readRefusesToWrite() async throws {
        let database = try await memoryDatabase()
        for sql in ["INSERT INTO numbers VALUES (1, 'a')", "DROP TABLE numbers", "PRAGMA user_version = 9"] {
            let error = try await sqliteError { try await database.read { try $0.execute(sql) } }
            #expect(error.isReadOnly)
            let script = try await sqliteError { try await database.read { try $0.executeScript(sql) } }
            #expect(script.isReadOnly)
        }
        #expect(try await count(database) == 0)
        try await database.transaction { try $0.execute("INSERT INTO numbers VALUES (1, 'a')") }
        #expect(try await count(database) == 1)
    }

    @Test func foreignKeysAreEnforced() async throws {
        let database = try await memoryDatabase()
        let error = try await sqliteError {
            try await database.transaction { connection in
                try connection.execute("CREATE TABLE child (n INTEGER REFERENCES numbers (n))")
                try connection.execute("INSERT INTO child VALUES (5)")
            }
        }
        #expect(error.code == .constraint)
    }

    @Test func fiftyTasksWriteWithoutLocked() async throws {
        let folder = try Folder()
        let database = try await Database(path: folder.path("many.sqlite"))
        try await database.migrate(numbers)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<50 {
                group.addTask {
                    for n in 0..<4 {
                        try await database.transaction { connection in
                            try connection.execute("INSERT INTO numbers VALUES (?, 'x')", [.init(task * 10 + n)])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await count(database) == 200)
        #expect(try await database.integrityCheck().isEmpty)
    }

    @Test func twoDatabasesShareOneFile() async throws {
        let folder = try Folder()
        let path = folder.path("shared.sqlite")
        let configuration = DatabaseConfiguration(synchronous: .normal, busyTimeout: .seconds(60))
        // Both open and migrate at the same time.
        async let one = Database(path: path, configuration: configuration)
        async let two = Database(path: path, configuration: configuration)
        let databases = try await [one, two]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (offset, database) in databases.enumerated() {
                group.addTask {
                    try await database.migrate(numbers)
                    for n in 0..<50 {
                        try await database.transaction { connection in
                            try connection.execute("INSERT INTO numbers VALUES (?, 'x')", [.init(n * 2 + offset)])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for database in databases { #expect(try await count(database) == 100) }
    }

    @Test func aWriterThatWaitsTooLongGetsBusy() async throws {
        let folder = try Folder()
        let path = folder.path("busy.sqlite")
        let holder = try await Database(path: path)
        try await holder.migrate(numbers)
        let waiter = try await Database(
            path: path, configuration: DatabaseConfiguration(busyTimeout: .milliseconds(20)))
        let release = DispatchSemaphore(value: 0)
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        async let held: Void = holder.transaction { connection in
            try connection.execute("INSERT INTO numbers VALUES (1, 'a')")
            continuation.finish()
            release.wait()
        }
        for await _ in entered {}
        let error = try await sqliteError {
            try await waiter.transaction { try $0.execute("INSERT INTO numbers VALUES (2, 'b')") }
        }
        #expect(error.isBusy)
        // A reader does not wait for a writer, and does not see what is not committed.
        #expect(try await count(waiter) == 0)
        release.signal()
        try await held
        #expect(try await count(waiter) == 1)
    }

    @Test func afterOneHasWaitedInVainTheNextOnesFailSoonUntilTheFileIsFree() async throws {
        let folder = try Folder()
        let path = folder.path("held.sqlite")
        let holder = try await Database(path: path)
        try await holder.migrate(numbers)
        let patience = Duration.milliseconds(700)
        let waiter = try await Database(path: path, configuration: DatabaseConfiguration(busyTimeout: patience))
        let release = DispatchSemaphore(value: 0)
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        async let held: Void = holder.transaction { connection in
            try connection.execute("INSERT INTO numbers VALUES (1, 'a')")
            continuation.finish()
            release.wait()
        }
        for await _ in entered {}
        func write() async throws {
            try await waiter.transaction { try $0.execute("INSERT INTO numbers VALUES (2, 'b')") }
        }
        #expect(try await sqliteError { try await write() }.isBusy)
        let began = ContinuousClock.now
        for _ in 0..<10 {
            #expect(try await sqliteError { try await write() }.isBusy)
            #expect(try await count(waiter) == 0)
        }
        // Ten that wait in full can't be done sooner, on any machine.
        #expect(ContinuousClock.now - began < patience * 10)
        release.signal()
        try await held
        try await write()
        #expect(try await count(waiter) == 2)
    }

    @Test(
        "a file that nobody changes is read where nothing can be made beside it",
        arguments: ["a.sqlite", "ä b?c=1#%41.sqlite"])
    func immutableFiles(name: String) async throws {
        let folder = try Folder()
        let source = try await memoryDatabase()
        try await source.transaction { try $0.execute("INSERT INTO numbers VALUES (1, 'a')") }
        try await source.backup(to: folder.path(name))
        var configuration = DatabaseConfiguration(isReadOnly: true)
        configuration.isImmutable = true
        let reader = try await Database(path: folder.path(name), configuration: configuration)
        #expect(try await count(reader) == 1)
        let error = try await sqliteError {
            try await reader.transaction { try $0.execute("INSERT INTO numbers VALUES (9, 'b')") }
        }
        #expect(error.isReadOnly)
    }

    @Test func openingWaitsForAReaderThatKeepsTheFileFromItsLog() async throws {
        let folder = try Folder()
        let source = try await memoryDatabase()
        // A copy has no write-ahead log yet, and it cannot get one while someone reads.
        try await source.backup(to: folder.path("copy.sqlite"))
        let reader = try await Database(
            path: folder.path("copy.sqlite"), configuration: DatabaseConfiguration(isReadOnly: true))
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        async let held: Void = reader.read { connection in
            _ = try connection.scalar("SELECT count(*) FROM numbers")
            continuation.finish()
            // How long this reader takes, not a wait for the other.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(150))
        }
        for await _ in entered {}
        let writer = try await Database(path: folder.path("copy.sqlite"))
        try await writer.transaction { try $0.execute("INSERT INTO numbers VALUES (1, 'a')") }
        try await held
        #expect(try await count(reader) == 1)
    }

    @Test func manyMayMakeTheSameFileAtOnce() async throws {
        let folder = try Folder()
        for round in 0..<30 {
            let path = folder.path("\(round).sqlite")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await Database(path: path).migrate(numbers) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aClosedDatabaseRefusesEveryCall() async throws {
        let database = try await memoryDatabase()
        await database.close()
        await database.close()
        let error = try await sqliteError { try await database.read { _ = try $0.scalar("SELECT 1") } }
        #expect(error.code == .misuse)
        #expect(error.message.contains("closed"))
        let check = try await sqliteError { _ = try await database.integrityCheck() }
        #expect(check.code == .misuse)
    }

    @Test func aBodyThatEndsTheTransactionItselfIsAnError() async throws {
        let database = try await memoryDatabase()
        let error = try await sqliteError { try await database.transaction { try $0.execute("COMMIT") } }
        #expect(error.code == .error)
        try await database.transaction { try $0.execute("INSERT INTO numbers VALUES (1, 'a')") }
        #expect(try await count(database) == 1)
    }

    @Test func aDatabaseMayGoRightAfterItsLastCall() async throws {
        try await withThrowingTaskGroup(of: SQLiteValue?.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    try await Database(path: ":memory:").read { try $0.scalar("SELECT 1") }
                }
            }
            for try await value in group { #expect(value == 1) }
        }
    }

    @Test func closingLeavesOneFile() async throws {
        let folder = try Folder()
        let database = try await Database(path: folder.path("one.sqlite"))
        try await database.migrate(numbers)
        #expect(Set(folder.names) == ["one.sqlite", "one.sqlite-wal", "one.sqlite-shm"])
        await database.close()
        #expect(folder.names == ["one.sqlite"])
    }
}
