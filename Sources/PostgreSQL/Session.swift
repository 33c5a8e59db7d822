import CPostgreSQL
import Glibc
import Synchronization

/// Owns one `PGconn *` and waits for the server without ever blocking in libpq.
///
/// ## Thread Safety
/// Used only on the thread of the actor that owns it; `interrupt()` may come from any thread.
final class Session {
    private let connection: OpaquePointer
    /// Whose word ends the waits now.
    var interruption: Interruption

    /// Says from any thread that nobody waits for the answer any more.
    final class Interruption: Sendable {
        private let flag = Atomic<Bool>(false)

        var isRaised: Bool { flag.load(ordering: .relaxed) }
        func raise() { flag.store(true, ordering: .relaxed) }
    }

    /// How long one wait for the server lasts at most, in milliseconds; an interruption is seen after it.
    private static let pollMilliseconds: Int32 = 50

    /// Opens a connection.
    init(_ configuration: PostgreSQLConfiguration, _ interruption: Interruption) throws(PostgreSQLError) {
        self.interruption = interruption
        let keywords = configuration.keywords
        let started = Self.withTexts(keywords.map(\.name)) { names in
            Self.withTexts(keywords.map(\.value)) { values in PQconnectStartParams(names, values, 0) }
        }
        guard let started else { throw PostgreSQLError(message: "there is no memory for a connection") }
        connection = started
        offpeak_pg_silence(started)
        try establish(until: .now + configuration.connectTimeout)
        PQsetnonblocking(connection, 1)
    }

    deinit {
        PQfinish(connection)
    }

    /// Whether the connection is of use; a broken one says so after the first failure on it.
    var isOpen: Bool { PQstatus(connection) == CONNECTION_OK }

    /// Whether no answer is under way.
    var isSettled: Bool { PQtransactionStatus(connection) != PQTRANS_ACTIVE && !interruption.isRaised }

    /// Whether a transaction is open, failed or not.
    var isInTransaction: Bool { PQtransactionStatus(connection) != PQTRANS_IDLE }

    private func establish(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        var step = PGRES_POLLING_WRITING
        while true {
            switch step {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: try wait(POLLIN, until: deadline, "the server did not answer in time")
            case PGRES_POLLING_WRITING: try wait(POLLOUT, until: deadline, "the server can't be reached in time")
            default:
                // Before a password was asked for, a refusal may pass: a server that starts or has no room is such a one.
                let isRefusal = PQconnectionUsedPassword(connection) == 1 && PQsocket(connection) >= 0
                throw connectionError(refusesAccess: isRefusal)
            }
            step = PQconnectPoll(connection)
        }
    }

    /// Runs one statement.
    /// - Returns: the rows, each value as text or nil for null.
    func run(
        _ sql: String, _ parameters: [String?], within limit: Duration
    ) throws(PostgreSQLError) -> [[String?]] {
        let deadline = ContinuousClock.now + limit
        let sent = Self.withTexts(parameters) { values in
            PQsendQueryParams(connection, sql, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        guard sent == 1 else { throw connectionError() }
        try flush(until: deadline)
        var rows: [[String?]] = []
        var failure: PostgreSQLError?
        // libpq wants every result taken, up to the nil that ends them.
        while let result = try nextResult(until: deadline) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: continue
            case PGRES_TUPLES_OK: rows += Self.rows(of: result)
            default: failure = Self.error(of: result)
            }
        }
        if let failure { throw failure }
        return rows
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                try wait(POLLIN | POLLOUT, until: deadline, "the server takes nothing")
                guard PQconsumeInput(connection) == 1 else { throw connectionError() }
            default: throw connectionError()
            }
        }
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try wait(POLLIN, until: deadline, "the server did not answer in time")
            guard PQconsumeInput(connection) == 1 else { throw connectionError() }
        }
        return PQgetResult(connection)
    }

    private func wait(
        _ events: Int32, until deadline: ContinuousClock.Instant, _ complaint: String
    ) throws(PostgreSQLError) {
        var descriptor = pollfd(fd: PQsocket(connection), events: Int16(events), revents: 0)
        guard descriptor.fd >= 0 else { throw connectionError() }
        while true {
            if interruption.isRaised { throw PostgreSQLError(message: "nobody waits for the answer any more") }
            if poll(&descriptor, 1, Self.pollMilliseconds) > 0 { return }
            if ContinuousClock.now >= deadline { throw PostgreSQLError(message: complaint) }
        }
    }

    private func connectionError(refusesAccess: Bool = false) -> PostgreSQLError {
        let text = String(cString: PQerrorMessage(connection))
        let message = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        return PostgreSQLError(
            message: message.isEmpty ? "the connection broke" : message,
            refusesAccess: refusesAccess && message.contains("FATAL"))
    }

    private static func error(of result: OpaquePointer) -> PostgreSQLError {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        let message = [field(offpeak_pg_diag_message), field(offpeak_pg_diag_detail)].compactMap(\.self)
        return PostgreSQLError(
            sqlState: field(offpeak_pg_diag_sqlstate),
            message: message.isEmpty ? "the server refused without a word" : message.joined(separator: "; "))
    }

    private static func rows(of result: OpaquePointer) -> [[String?]] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    /// Texts as C has them, nil as a null pointer; after the last comes one more null pointer.
    private static func withTexts<Result>(
        _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { text in text.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { $0.map { UnsafePointer($0) } } + [nil])
    }
}
