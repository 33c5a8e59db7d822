/// The statements used last, by their SQL.
struct StatementCache {
    private let capacity: Int
    private var statements: [String: Statement] = [:]
    private var clock: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many statements are kept.
    var count: Int { statements.count }

    /// The statement of `sql`, if it is kept and not in use.
    mutating func idle(_ sql: String) -> Statement? {
        guard let statement = statements[sql], !statement.isBusy else { return nil }
        clock += 1
        statement.lastUse = clock
        return statement
    }

    /// Keeps `statement`; the one unused for longest goes if there are too many.
    mutating func insert(_ statement: Statement) {
        guard capacity > 0, statements[statement.sql] == nil else { return }
        clock += 1
        statement.lastUse = clock
        statements[statement.sql] = statement
        guard statements.count > capacity else { return }
        let oldest = statements.min { $0.value.lastUse < $1.value.lastUse }
        if let oldest { statements[oldest.key] = nil }
    }

    /// Lets go of all statements.
    mutating func removeAll() {
        statements.removeAll()
    }
}
