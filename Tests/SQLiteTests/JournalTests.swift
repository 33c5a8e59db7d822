import Foundation
import Testing

@testable import SQLite

/// The write-ahead log that has its full length from the beginning.
@Suite struct JournalTests {
    private func count(_ database: Database) async throws -> Int64? {
        try await database.read { try $0.scalarInt64("SELECT count(*) FROM numbers") }
    }

    private func journalBytes(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
        return try #require(attributes[.size] as? NSNumber).intValue
    }

    @Test("whatever is in it already", arguments: [0, 1, 700]) func whatIsCommittedIsFoundAfterACrash(rows: Int)
        async throws
    {
        let folder = try Folder()
        let path = folder.path("long.sqlite")
        let database = try await Database(path: path)
        try await database.migrate(numbers)
        func insert(_ range: Range<Int>) async throws {
            for n in range {
                try await database.transaction {
                    try $0.execute(
                        "INSERT INTO numbers VALUES (?, ?)", [.init(n), .text(String(repeating: "x", count: 9000))])
                }
            }
        }
        try await insert(0..<rows)
        try await database.reserveJournal()
        #expect(try journalBytes(path) >= Handle.checkpointPages * 4096)
        let length = try journalBytes(path)
        try await insert(rows..<rows + 50)
        #expect(try journalBytes(path) == length)
        // What a power cut leaves: the files as they are, without the index in memory.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.path("cut.sqlite") + suffix)
        }
        let after = try await Database(path: folder.path("cut.sqlite"))
        #expect(try await count(after) == Int64(rows + 50))
        #expect(try await after.integrityCheck().isEmpty)
        // It may be said twice, and after the journal was emptied.
        try await database.emptyJournal()
        try await database.reserveJournal()
        try await database.reserveJournal()
        #expect(try await count(database) == Int64(rows + 50))
    }

    @Test func aDatabaseInMemoryHasNone() async throws {
        let database = try await memoryDatabase()
        try await database.reserveJournal()
        #expect(try await count(database) == 0)
    }
}
