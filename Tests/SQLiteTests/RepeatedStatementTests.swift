import Foundation
import SQLite
import Testing

@Suite struct RepeatedStatementTests {
    private static let create = "CREATE TABLE rows (place INTEGER PRIMARY KEY, word TEXT, id TEXT, number REAL)"
    private static let insert = "INSERT INTO rows (word, id, number) VALUES (?, ?, ?)"

    @Test func everyRunTakesItsOwnValues() async throws {
        let database = try await Database(path: ":memory:")
        let words = ["one", "", "ä🚗\u{0}x", String(repeating: "long ", count: 10_000), nil, "last"]
        let ids = words.map { $0 == "last" ? nil : $0.map { _ in UUID() } }
        let rows = try await database.transaction { connection in
            try connection.execute(Self.create)
            try connection.repeating(Self.insert) { insert, _ in
                for (index, word) in words.enumerated() {
                    insert.bind(word, at: 1)
                    insert.bind(ids[index], at: 2)
                    try insert.bind(Double(index) / 4, at: 3)
                    try insert.run()
                }
            }
            return try connection.query("SELECT word, id, number FROM rows ORDER BY place") {
                (try $0.optionalText(0), try $0.optionalText(1), try $0.double(2))
            }
        }
        #expect(rows.map(\.0) == words)
        #expect(rows.map(\.1) == ids.map { $0?.uuidString })
        #expect(rows.map(\.2) == [0, 0.25, 0.5, 0.75, 1, 1.25])
    }

    @Test func whatIsNotBoundAgainIsNull() async throws {
        let database = try await Database(path: ":memory:")
        let rows = try await database.transaction { connection in
            try connection.execute(Self.create)
            try connection.repeating(Self.insert) { insert, connection in
                insert.bind("first", at: 1)
                try insert.run()
                #expect(connection.changes == 1 && connection.lastInsertedRowID == 1)
                try insert.bind(2, at: 3)
                try insert.run()
            }
            // The same statement, taken from the cache by another.
            try connection.execute(Self.insert, [.text("third"), .null, .null])
            return try connection.query("SELECT word, number FROM rows ORDER BY place") {
                (try $0.optionalText(0), try $0.optionalDouble(1))
            }
        }
        #expect(rows.map(\.0) == ["first", nil, "third"] && rows.map(\.1) == [nil, 2, nil])
    }

    @Test func aRunThatFailsSaysWhyAndTheNextOnesWork() async throws {
        let database = try await Database(path: ":memory:")
        try await database.transaction { try $0.execute("CREATE TABLE words (word TEXT UNIQUE NOT NULL)") }
        let count = try await database.transaction { connection in
            try connection.repeating("INSERT INTO words VALUES (?)") { insert, connection in
                for word in ["a", "a", nil, "b"] {
                    insert.bind(word, at: 1)
                    do {
                        try insert.run()
                    } catch let error as SQLiteError {
                        #expect(error.code == .constraint && error.message.contains("words.word"))
                    }
                }
                return try connection.scalarInt64("SELECT count(*) FROM words")
            }
        }
        #expect(count == 2)
    }

    @Test func whatIsNoNumberIsRefused() async throws {
        let database = try await Database(path: ":memory:")
        let error = try await sqliteError {
            try await database.transaction { connection in
                try connection.repeating("SELECT ?") { statement, _ in try statement.bind(.nan, at: 1) }
            }
        }
        #expect(error.code == .mismatch)
    }

    @Test func itMayNotWriteInARead() async throws {
        let database = try await Database(path: ":memory:")
        try await database.transaction { try $0.execute(Self.create) }
        let error = try await sqliteError {
            try await database.read { connection in
                try connection.repeating(Self.insert) { insert, _ in try insert.run() }
            }
        }
        #expect(error.code == .readOnly)
    }
}
