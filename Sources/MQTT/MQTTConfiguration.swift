/// All that a client needs to know of its broker.
///
/// Its description leaves the password out.
package struct MQTTConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The files for an encrypted connection, in PEM form; they are read again at every connect.
    package struct TLS: Sendable, Hashable {
        /// The authorities to trust; nil for those of the system.
        package var authorityFile: String?
        /// The client's certificate, with `keyFile`, for brokers that ask for one.
        package var certificateFile: String?
        /// The client's key without a passphrase.
        package var keyFile: String?

        /// Makes a set of files, by default none: the system's authorities and no certificate.
        package init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            self.authorityFile = authorityFile
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// A name or an address.
    package var host: String
    /// The broker's port, as a rule 1883 or with TLS 8883.
    package var port: Int
    /// Other brokers of the same cluster, which are tried in turn when one does not answer; what is kept at one has to be
    /// kept at all.
    package var others: [MQTTPlace] = []
    /// The files for an encrypted connection; nil for a plain one.
    package var tls: TLS?
    /// The user to log in as.
    package var userName: String?
    /// That user's password.
    package var password: String?
    /// The client's name at the broker, which must be the only one of that name; nil for a random one that it keeps.
    package var clientID: String?
    /// What the broker publishes when this client vanishes without a good-bye.
    package var will: MQTTMessage?
    /// Whether the broker forgets the client's subscriptions with its connection; if not, `clientID` is needed.
    package var isCleanSession = true
    /// How long the connection may be silent before it is tried; a dead one is noticed within twice this time.
    package var keepAlive: Duration = .seconds(15)
    /// How long a connection may take until it is ready.
    package var connectTimeout: Duration = .seconds(15)
    /// How long a broker may leave a message without acknowledgement before the connection counts as broken.
    package var acknowledgementTimeout: Duration = .seconds(30)
    /// The waits between attempts to connect.
    package var backoff = MQTTBackoff()
    /// How many published messages may be under way at once; more wait their turn.
    package var maximumInFlight = 64
    /// How many topics may be kept while there is no connection.
    package var maximumBufferedTopics = 4096

    /// Makes a configuration with the usual times and limits.
    package init(host: String, port: Int = 1883) {
        self.host = host
        self.port = port
    }

    package var description: String { description(of: MQTTPlace(host: host, port: port)) }

    /// The broker and those that stand in for it.
    var places: [MQTTPlace] { [MQTTPlace(host: host, port: port)] + others }

    /// One of the brokers as it is named in the log.
    func description(of place: MQTTPlace) -> String {
        "mqtt\(tls == nil ? "" : "s")://\(userName.map { $0 + "@" } ?? "")\(place)"
    }

    package var debugDescription: String { description }
}

/// The waits between attempts: each twice as long as the one before, up to a limit, and each shortened by chance.
///
/// Chance keeps many clients of one broker from coming back all at once.
package struct MQTTBackoff: Sendable, Equatable {
    /// The longest first wait.
    package var initial: Duration
    /// The longest wait of all.
    package var maximum: Duration

    /// Makes a row of waits.
    package init(initial: Duration = .seconds(1), maximum: Duration = .seconds(60)) {
        self.initial = initial
        self.maximum = maximum
    }

    /// The wait after a number of failures in a row, between half and all of the doubled time.
    /// - Parameters:
    ///   - failures: 1 after the first failure.
    ///   - chance: from 0 to 1, by default drawn.
    package func wait(afterFailures failures: Int, chance: Double = .random(in: 0...1)) -> Duration {
        let doublings = min(max(failures - 1, 0), 30)
        let longest = min(maximum, initial * (1 << doublings))
        return longest * (0.5 + 0.5 * chance)
    }
}
