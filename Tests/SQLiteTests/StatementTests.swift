import SQLite
import Testing

@Suite struct StatementTests {
    @Test func namedParametersTakeTheirValues() async throws {
        let database = try await memoryDatabase()
        try await database.transaction { connection in
            try connection.execute("INSERT INTO numbers VALUES (:n, :w)", named: ["w": "two", "n": 2])
            try connection.execute("INSERT INTO numbers VALUES (:n, :w)", [3, "three"])
            let words = try connection.query(
                "SELECT word FROM numbers WHERE n >= :least ORDER BY n", named: ["least": 2]
            ) { try $0.text(0) }
            #expect(words == ["two", "three"])
        }
    }

    @Test func wrongArgumentsAreErrors() async throws {
        let database = try await memoryDatabase()
        let few = try await sqliteError { try await database.transaction { try $0.execute("SELECT ?, ?", [1]) } }
        let many = try await sqliteError { try await database.transaction { try $0.execute("SELECT ?", [1, 2]) } }
        let other = try await sqliteError {
            try await database.transaction { try $0.execute("SELECT :a", named: ["b": 1]) }
        }
        #expect([few.code, many.code, other.code] == [.range, .range, .range])
        #expect(few.message.contains("2 parameters but 1"))
    }

    @Test(arguments: ["", "  \n", "-- nothing\n", ";"])
    func sqlWithoutAStatementIsAnError(sql: String) async throws {
        let database = try await memoryDatabase()
        let error = try await sqliteError { try await database.transaction { try $0.execute(sql) } }
        #expect(error.code == .misuse)
    }

    @Test func aSecondStatementIsAnErrorAndNotIgnored() async throws {
        let database = try await memoryDatabase()
        let error = try await sqliteError {
            try await database.transaction { try $0.execute("INSERT INTO numbers VALUES (1, 'a'); DROP TABLE numbers") }
        }
        #expect(error.code == .misuse)
        #expect(try await database.read { try $0.scalarInt64("SELECT count(*) FROM numbers; -- all \n") } == 0)
    }

    @Test func aScriptRunsEveryStatement() async throws {
        let database = try await memoryDatabase()
        try await database.transaction { connection in
            try connection.executeScript(
                """
                -- a comment; with a semicolon
                INSERT INTO numbers VALUES (1, 'é;⚡');
                INSERT INTO numbers VALUES (2, 'b')
                ;; -- the end
                """)
        }
        #expect(try await database.read { try $0.scalarText("SELECT group_concat(word) FROM numbers") } == "é;⚡,b")
    }

    @Test func aMistakeInTheSQLNamesItAndTheFile() async throws {
        let database = try await memoryDatabase()
        let error = try await sqliteError { try await database.transaction { try $0.execute("SELEKT\n 1") } }
        #expect(error.code == .error)
        #expect(error.description == ":memory:: near \"SELEKT\": syntax error (SQLite code 1) [SELEKT 1]")
    }

    @Test func theCacheKeepsTheLast64Statements() async throws {
        let database = try await memoryDatabase()
        try await database.read { connection in
            for n in 0..<300 { _ = try connection.scalar("SELECT \(n)") }
        }
        #expect(await database.cachedStatementCount == 64)
    }

    @Test func aFailedStatementIsResetAndWorksAgain() async throws {
        let database = try await memoryDatabase()
        let insert = "INSERT INTO numbers VALUES (?, ?)"
        try await database.transaction { connection in
            try connection.execute(insert, [1, "one"])
            do {
                try connection.execute(insert, [1, "again"])
                Issue.record("the key is unique")
            } catch SQLiteError.Code.constraint {
                // The pattern matches by primary code.
            }
            try connection.execute(insert, [2, "two"])
            #expect(connection.changes == 1)
            #expect(connection.lastInsertedRowID == 2)
        }
        #expect(try await database.read { try $0.scalarInt64("SELECT count(*) FROM numbers") } == 2)
    }

    @Test func aQueryEndedByItsClosureLeavesNoLock() async throws {
        struct Stop: Error {}
        let database = try await memoryDatabase()
        try await database.transaction { connection in
            for n in 0..<10 { try connection.execute("INSERT INTO numbers VALUES (?, NULL)", [.init(n)]) }
        }
        await #expect(throws: Stop.self) {
            try await database.read { _ = try $0.query("SELECT n FROM numbers") { _ in throw Stop() } as [Int] }
        }
        // DROP fails with "locked" while a statement still reads the table.
        try await database.transaction { connection in
            #expect(try connection.first("SELECT n FROM numbers ORDER BY n") { try $0.int(0) } == 0)
            try connection.execute("DROP TABLE numbers")
        }
    }

    @Test func oneStatementInsideItselfReadsOnItsOwn() async throws {
        let database = try await memoryDatabase()
        let pairs = try await database.transaction { connection in
            for n in 1...3 { try connection.execute("INSERT INTO numbers VALUES (?, NULL)", [.init(n)]) }
            let sql = "SELECT n FROM numbers ORDER BY n"
            return try connection.query(sql) { outer in
                let n = try outer.int(0)
                return try connection.query(sql) { try $0.int(0) * n }
            }
        }
        #expect(pairs == [[1, 2, 3], [2, 4, 6], [3, 6, 9]])
    }

    @Test func anExtendedCodeTellsWhichConstraint() async throws {
        let database = try await memoryDatabase()
        let error = try await sqliteError {
            try await database.transaction { connection in
                try connection.execute("CREATE TABLE u (v TEXT UNIQUE)")
                try connection.execute("INSERT INTO u VALUES ('x'), ('x')")
            }
        }
        #expect(error.code == .constraint)
        #expect(error.extendedCode == 2067)
        #expect(error.message == "UNIQUE constraint failed: u.v")
    }
}
