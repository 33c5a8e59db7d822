import Foundation
import PostgreSQL
import TestSupport
import Testing

/// The wrapper against a real server.
///
/// Without a PostgreSQL server on the machine nothing here can be tried.
@Suite(
    "A PostgreSQL database", .enabled(if: PostgreSQLServer.isInstalled, "the PostgreSQL server is not installed"),
    .timeLimit(.minutes(3)))
struct PostgreSQLDatabaseTests {
    private func configuration(_ port: Int, password: String? = PostgreSQLServer.password) -> PostgreSQLConfiguration {
        PostgreSQLConfiguration(
            host: "127.0.0.1", port: port, database: "postgres", user: "offpeak", password: password)
    }

    @Test("transactions are kept or undone as a whole, values come back, errors have their code and mend nothing else")
    func transactions() async throws {
        let server = try await PostgreSQLServer()
        let database = PostgreSQLDatabase(configuration(server.port))
        try await database.transaction { try $0.run("CREATE TABLE t (a integer PRIMARY KEY, b text)") }
        let texts = ["", "ä🚗", "it's; DROP TABLE t; --", "a\nb\\c", nil]
        try await database.transaction { transaction in
            for (index, text) in texts.enumerated() {
                try transaction.run("INSERT INTO t VALUES ($1, $2)", [String(index), text])
            }
        }
        let rows = try await database.transaction { try $0.run("SELECT b FROM t ORDER BY a") }
        #expect(rows.map { $0.first ?? nil } == texts)

        // A second row with the same key undoes the first of its transaction, and the connection goes on.
        let failure = await #expect(throws: PostgreSQLError.self) {
            try await database.transaction { transaction in
                try transaction.run("INSERT INTO t VALUES (10, 'x')")
                try transaction.run("INSERT INTO t VALUES (10, 'y')")
            }
        }
        #expect(failure?.sqlState == "23505" && failure?.isAny(of: "23") == true)
        struct Own: Error {}
        await #expect(throws: Own.self) {
            try await database.transaction { transaction in
                try transaction.run("INSERT INTO t VALUES (11, 'x')")
                throw Own()
            }
        }
        let count = try await database.transaction { try $0.run("SELECT count(*) FROM t") }
        #expect(count == [[String(texts.count)]])
        await database.close()
        await #expect(throws: PostgreSQLError.self) { try await database.transaction { try $0.run("SELECT 1") } }
    }

    @Test("a wrong password and a missing database are told apart from a server that is away; no password is shown")
    func refusals() async throws {
        let server = try await PostgreSQLServer()
        let wrong = PostgreSQLDatabase(configuration(server.port, password: "hunter2"))
        let refused = await #expect(throws: PostgreSQLError.self) {
            try await wrong.transaction { try $0.run("SELECT 1") }
        }
        #expect(
            refused?.refusesAccess == true && refused?.description.contains("hunter2") == false, "\(refused as Any)")
        var elsewhere = configuration(server.port)
        elsewhere.database = "nowhere"
        let missing = await #expect(throws: PostgreSQLError.self) {
            try await PostgreSQLDatabase(elsewhere).transaction { try $0.run("SELECT 1") }
        }
        #expect(missing?.refusesAccess == true, "\(missing as Any)")
        let away = await #expect(throws: PostgreSQLError.self) {
            try await PostgreSQLDatabase(configuration(try LoopbackPort.free())).transaction { try $0.run("SELECT 1") }
        }
        #expect(away?.refusesAccess == false && away?.sqlState == nil, "\(away as Any)")
        #expect(!String(reflecting: configuration(1)).contains(PostgreSQLServer.password))
        #expect(!"\(configuration(1))".contains(PostgreSQLServer.password))
    }

    @Test("after the server was away the next call connects anew", arguments: [true, false])
    func reconnects(isKilled: Bool) async throws {
        let server = try await PostgreSQLServer()
        let database = PostgreSQLDatabase(configuration(server.port))
        try await database.transaction { try $0.run("CREATE TABLE t (a integer)") }
        if isKilled { await server.kill() } else { await server.stop() }
        await #expect(throws: PostgreSQLError.self) {
            try await database.transaction { try $0.run("INSERT INTO t VALUES (1)") }
        }
        try await server.start()
        let isBack = await eventually {
            try await database.transaction { try $0.run("INSERT INTO t VALUES (2)") }
            return true
        }
        #expect(isBack)
        #expect(try await database.transaction { try $0.run("SELECT a FROM t") } == [["2"]])
    }

    @Test("a task that is cancelled leaves a server that does not answer, and so does a statement that takes too long")
    func leavesASilentServer() async throws {
        let server = try await PostgreSQLServer()
        var slow = configuration(server.port)
        slow.statementTimeout = .milliseconds(300)
        let late = await #expect(throws: PostgreSQLError.self) {
            try await PostgreSQLDatabase(slow).transaction { try $0.run("SELECT pg_sleep(60)") }
        }
        #expect(late?.message == "the server did not answer in time")

        let database = PostgreSQLDatabase(configuration(server.port))
        try await database.transaction { try $0.run("SELECT 1") }
        let sleeper = Task { try await database.transaction { try $0.run("SELECT pg_sleep(600)") } }
        sleeper.cancel()
        await #expect(throws: (any Error).self) { try await sleeper.value }
        // The connection of the one that left is not used for the next.
        #expect(try await database.transaction { try $0.run("SELECT 7") } == [["7"]])
    }
}
