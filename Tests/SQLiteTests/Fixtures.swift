import Foundation
import SQLite
import Testing

/// A folder of one test, removed with the object.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "sqlite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}

/// A table of numbers and texts.
let numbers = [Migration(1, "numbers", sql: "CREATE TABLE numbers (n INTEGER PRIMARY KEY, word TEXT)")]

/// A database in memory with the table `numbers`.
func memoryDatabase(_ configuration: DatabaseConfiguration = DatabaseConfiguration()) async throws -> Database {
    let database = try await Database(path: ":memory:", configuration: configuration)
    try await database.migrate(numbers)
    return database
}

/// Runs `body`, which must throw a `SQLiteError`.
func sqliteError(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> SQLiteError {
    let error = await #expect(throws: SQLiteError.self, sourceLocation: sourceLocation) { try await body() }
    return try #require(error, sourceLocation: sourceLocation)
}
