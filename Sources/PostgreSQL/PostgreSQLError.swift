/// What went wrong with a PostgreSQL server, or on the way to it.
///
/// Texts are the server's own; they hold no password.
package struct PostgreSQLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The five characters of the server's error code; absent where there was no answer of a server.
    ///
    /// <https://www.postgresql.org/docs/15/errcodes-appendix.html>
    package let sqlState: String?
    /// What happened.
    package let message: String

    /// Whether the server refused the connection although it has seen a password: wrong credentials or database.
    package let refusesAccess: Bool

    /// Makes an error.
    package init(sqlState: String? = nil, message: String, refusesAccess: Bool = false) {
        self.sqlState = sqlState
        self.message = message
        self.refusesAccess = refusesAccess
    }

    package var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }

    /// Whether the code is one of these, or of one of these classes: two characters name a class.
    package func isAny(of codes: String...) -> Bool {
        guard let sqlState else { return false }
        return codes.contains { sqlState.hasPrefix($0) }
    }
}
