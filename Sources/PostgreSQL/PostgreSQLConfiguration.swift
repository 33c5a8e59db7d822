/// Where a PostgreSQL database is, and who asks.
package struct PostgreSQLConfiguration: Sendable, CustomReflectable {
    /// How the connection is protected; libpq's `sslmode`.
    package enum TLS: String, Sendable, CaseIterable {
        case disable, prefer, require
        case verifyAuthority = "verify-ca"
        case verifyFull = "verify-full"
    }

    /// A host name, an address, or the folder of a unix socket.
    package var host: String
    /// The port.
    package var port: Int
    /// The database.
    package var database: String
    /// The role.
    package var user: String
    /// Its password; never shown.
    package var password: String?
    /// How the connection is protected.
    package var tls: TLS
    /// The file with the authority's certificate, for the two that verify.
    package var authorityFile: String?
    /// How long opening a connection may take.
    package var connectTimeout: Duration
    /// How long one statement may take.
    package var statementTimeout: Duration

    /// Makes a configuration.
    package init(
        host: String, port: Int = 5432, database: String, user: String, password: String? = nil, tls: TLS = .prefer,
        authorityFile: String? = nil, connectTimeout: Duration = .seconds(10),
        statementTimeout: Duration = .seconds(30)
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.user = user
        self.password = password
        self.tls = tls
        self.authorityFile = authorityFile
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
    }

    /// Shows everything but the password.
    package var customMirror: Mirror {
        Mirror(self, children: ["host": host, "port": port, "database": database, "user": user])
    }

    /// libpq's keywords with their values.
    ///
    /// <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS>
    var keywords: [(name: String, value: String)] {
        var keywords = [
            ("host", host), ("port", String(port)), ("dbname", database), ("user", user), ("sslmode", tls.rawValue),
            ("application_name", "offpeak"), ("client_encoding", "UTF8"),
            // A server that vanished without a word is noticed by these.
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"),
        ]
        if let password { keywords.append(("password", password)) }
        if let authorityFile { keywords.append(("sslrootcert", authorityFile)) }
        return keywords
    }
}
