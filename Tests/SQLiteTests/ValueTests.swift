import Foundation
import SQLite
import Testing

@Suite struct ValueTests {
    static let values: [SQLiteValue] = [
        nil, 0, .integer(.max), .integer(.min), true, 1.5, .real(.infinity),
        .real(-.greatestFiniteMagnitude),
        .real(.leastNonzeroMagnitude), "", "plain", "a\0b\0", "⚡️👩‍👩‍👧 é", .blob([]), .blob([0, 255, 0]),
        .blob([UInt8](repeating: 7, count: 5_000_000)), .text(String(repeating: "long ", count: 500_000)),
        .init(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), .init(Int?.none), .init(Int?(3)),
    ]

    @Test(arguments: values.indices)
    func everyValueComesBackAsItWas(index: Int) async throws {
        let value = Self.values[index]
        let database = try await Database(path: ":memory:")
        let back = try await database.transaction { connection in
            try connection.execute("CREATE TABLE t (v)")
            try connection.execute("INSERT INTO t VALUES (?)", [value])
            return try connection.scalar("SELECT v FROM t")
        }
        // Not `==` on the values, so that a failure does not print megabytes.
        let isSame = back == value
        #expect(isSame)
    }

    @Test func notANumberIsRefusedAndNotStoredAsNull() async throws {
        let database = try await Database(path: ":memory:")
        let error = try await sqliteError {
            try await database.transaction { try $0.execute("SELECT ?", [.real(.nan)]) }
        }
        #expect(error.code == .mismatch)
    }

    @Test func typedAccessReadsByNameAndByPosition() async throws {
        let database = try await Database(path: ":memory:")
        let id = UUID()
        try await database.read { connection in
            let sql = "SELECT 7 AS i, 2.5 AS d, 'x' AS t, x'0102' AS b, 1 AS yes, ? AS id, NULL AS none"
            let found: Void? = try connection.first(sql, [.init(id)]) { (row: borrowing Row) throws -> Void in
                #expect(row.count == 7)
                #expect(try row.int64("i") == 7)
                #expect(try row.int(0) == 7)
                #expect(try row.double("i") == 7)
                #expect(try row.double("d") == 2.5)
                #expect(try row.text("t") == "x")
                #expect(try row.blob("b") == [1, 2])
                #expect(try row.bool("yes"))
                #expect(try row.uuid("id") == id)
                #expect(try row.optionalUUID("id") == id)
                #expect(try row.optionalInt("i") == 7)
                #expect(try row.optionalInt64("none") == nil)
                #expect(try row.optionalInt("none") == nil)
                #expect(try row.optionalDouble("none") == nil)
                #expect(try row.optionalText("none") == nil)
                #expect(try row.optionalBlob("none") == nil)
                #expect(try row.optionalBool("none") == nil)
                #expect(try row.optionalUUID("none") == nil)
                #expect(try row.isNull("none"))
                #expect(try row.value("t") == "x")
            }
            #expect(found != nil)
        }
    }

    private static let wrongAccesses: [(String, SQLiteError.Code, @Sendable (borrowing Row) throws -> Void)] = [
        ("SELECT 'x' AS v", .mismatch, { _ = try $0.int64("v") }),
        ("SELECT 1.5 AS v", .mismatch, { _ = try $0.int64("v") }),
        ("SELECT NULL AS v", .mismatch, { _ = try $0.int64("v") }),
        ("SELECT NULL AS v", .mismatch, { _ = try $0.double("v") }),
        ("SELECT NULL AS v", .mismatch, { _ = try $0.text("v") }),
        ("SELECT '1' AS v", .mismatch, { _ = try $0.double("v") }),
        ("SELECT 1 AS v", .mismatch, { _ = try $0.text("v") }),
        ("SELECT 'x' AS v", .mismatch, { _ = try $0.blob("v") }),
        ("SELECT 2 AS v", .mismatch, { _ = try $0.bool("v") }),
        ("SELECT 'x' AS v", .mismatch, { _ = try $0.uuid("v") }),
        ("SELECT 'x' AS v", .mismatch, { _ = try $0.optionalInt64("v") }),
        ("SELECT 1 AS v", .range, { _ = try $0.int64("w") }),
        ("SELECT 1 AS v", .range, { _ = try $0.int64(1) }),
        ("SELECT 1 AS v", .range, { _ = try $0.int64(-1) }),
        ("SELECT 1 AS v", .range, { _ = try $0.optionalText("w") }),
    ]

    @Test(arguments: wrongAccesses.indices)
    func aWrongTypeOrColumnIsATypedError(index: Int) async throws {
        let (sql, code, access) = Self.wrongAccesses[index]
        let database = try await Database(path: ":memory:")
        let error = try await sqliteError { try await database.read { _ = try $0.query(sql, [], access) } }
        #expect(error.code == code)
        #expect(error.sql == sql)
    }

    @Test func columnNamesFollowAChangeOfTheSchema() async throws {
        let database = try await memoryDatabase()
        try await database.transaction { connection in
            try connection.execute("INSERT INTO numbers VALUES (1, 'one')")
            #expect(try connection.query("SELECT * FROM numbers") { try $0.text("word") } == ["one"])
            try connection.execute("ALTER TABLE numbers ADD COLUMN extra TEXT DEFAULT 'new'")
            #expect(try connection.query("SELECT * FROM numbers") { try $0.text("extra") } == ["new"])
        }
    }
}
