import Foundation
import SQLite
import Testing

@Suite struct BackupTests {
    private func filled(_ path: String) async throws -> Database {
        let database = try await Database(path: path, configuration: DatabaseConfiguration(synchronous: .normal))
        try await database.migrate(numbers)
        try await database.transaction { connection in
            let word = SQLiteValue.text(String(repeating: "w", count: 1000))
            for n in 0..<3000 { try connection.execute("INSERT INTO numbers VALUES (?, ?)", [.init(n), word]) }
        }
        return database
    }

    private func count(_ database: Database) async throws -> Int64? {
        try await database.read { try $0.scalarInt64("SELECT count(*) FROM numbers") }
    }

    @Test func theCopyIsWholeAndOneFile() async throws {
        let folder = try Folder()
        let database = try await filled(folder.path("live.sqlite"))
        try Data("an older copy".utf8).write(to: folder.url.appending(path: "copy.sqlite"))
        let (steps, continuation) = AsyncStream.makeStream(of: Int.self)
        try await database.backup(to: folder.path("copy.sqlite")) { remaining, total in
            #expect(total > 700)
            continuation.yield(remaining)
        }
        continuation.finish()
        let remaining = await steps.reduce(into: []) { $0.append($1) }
        #expect(remaining.count > 2)
        #expect(remaining.last == 0)
        #expect(folder.names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        // Bytes 18 and 19 of the header are 2 for a file that needs a write-ahead log beside it, else 1.
        let header = try Data(contentsOf: folder.url.appending(path: "copy.sqlite")).prefix(20)
        #expect(header.suffix(2) == Data([1, 1]))
        let copy = try await Database(path: folder.path("copy.sqlite"))
        #expect(try await count(copy) == 3000)
        #expect(try await copy.integrityCheck().isEmpty)
        await copy.close()
    }

    @Test func othersWriteWhileItRuns() async throws {
        let folder = try Folder()
        let database = try await filled(folder.path("live.sqlite"))
        let (firstStep, continuation) = AsyncStream.makeStream(of: Void.self)
        async let backup: Void = database.backup(to: folder.path("copy.sqlite")) { _, _ in continuation.finish() }
        for await _ in firstStep {}
        for n in 0..<20 {
            try await database.transaction { try $0.execute("INSERT INTO numbers VALUES (?, 'y')", [.init(5000 + n)]) }
        }
        try await backup
        let copy = try await Database(path: folder.path("copy.sqlite"))
        #expect(try #require(await count(copy)) >= 3000)
        #expect(try await copy.integrityCheck().isEmpty)
        #expect(try await count(database) == 3020)
        await copy.close()
    }

    @Test func aMissingFolderIsATypedErrorAndNothingStays() async throws {
        let folder = try Folder()
        let database = try await filled(folder.path("live.sqlite"))
        let error = try await sqliteError { try await database.backup(to: folder.path("none/copy.sqlite")) }
        #expect(error.code == .cannotOpen)
        #expect(try await count(database) == 3000)
    }

    @Test func aCancelledBackupLeavesTheOldCopy() async throws {
        let folder = try Folder()
        let database = try await filled(folder.path("live.sqlite"))
        let old = Data("an older copy".utf8)
        try old.write(to: folder.url.appending(path: "copy.sqlite"))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.backup(to: folder.path("copy.sqlite"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try Data(contentsOf: folder.url.appending(path: "copy.sqlite")) == old)
        #expect(folder.names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
    }

    @Test func closingEndsABackupWithAnError() async throws {
        let folder = try Folder()
        let database = try await filled(folder.path("live.sqlite"))
        let error = try await sqliteError {
            try await database.backup(to: folder.path("copy.sqlite")) { _, _ in
                // Begins at once, so the close waits for the actor before the backup's next step does.
                Task.immediate { await database.close() }
            }
        }
        #expect(error.code == .misuse)
        #expect(!folder.names.contains { $0.hasPrefix("copy") })
    }
}
