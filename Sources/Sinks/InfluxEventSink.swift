import Foundation
package import HubKit
import LoadEvents
package import Storage
package import WebClient

/// Writes load events to an InfluxDB as points of the measurement `load_event`.
///
/// A point that is written again takes the place of itself, so a repeat is harmless.
package struct InfluxEventSink: EventSink {
    /// A bucket or database, and who writes.
    package enum Target: Sendable, CustomReflectable {
        /// Version 2 and later: `/api/v2/write` with a token.
        case bucket(String, organisation: String, token: String)
        /// Version 1: `/write`, with a user and password where it wants them.
        case database(
            String, retentionPolicy: String? = nil, user: String? = nil, password: String? = nil)

        /// Shows no secret.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    package let name: String
    package let wantsHistory: Bool
    private let url: String
    private let headers: WebHeaders
    private let client: WebClient
    private let clock: any HubClock
    /// How long the other side may take.
    package var limits = WebLimits(connect: .seconds(10), idle: .seconds(20), total: .seconds(60))
    private let wallClock: any HubClock

    /// Makes a sink.
    /// - Parameters:
    ///   - base: the server's address, such as `http://127.0.0.1:8086`.
    ///   - target: where on it points go.
    ///   - client: what speaks HTTP.
    ///   - clock: the hub's time.
    ///   - wallClock: the network's time.
    ///   - name: the name in the store and in metrics.
    ///   - wantsHistory: whether a new sink gets all events of the past.
    package init(
        base: String, target: Target, client: WebClient, clock: any HubClock,
        wallClock: any HubClock = SystemClock(),
        name: String = "influxdb", wantsHistory: Bool = false
    ) {
        self.client = client
        self.clock = clock
        self.wallClock = wallClock
        self.name = name
        self.wantsHistory = wantsHistory
        let root = base.hasSuffix("/") ? String(base.dropLast()) : base
        var headers: WebHeaders = ["Content-Type": "text/plain; charset=utf-8"]
        switch target {
        case .bucket(let bucket, let organisation, let token):
            headers["Authorization"] = "Token \(token)"
            url =
                "\(root)/api/v2/write?"
                + Self.query([("org", organisation), ("bucket", bucket), ("precision", "ns")])
        case .database(let database, let policy, let user, let password):
            if let user {
                let pair = Data("\(user):\(password ?? "")".utf8)
                headers["Authorization"] = "Basic \(pair.base64EncodedString())"
            }
            url =
                "\(root)/write?"
                + Self.query([("db", database), ("precision", "ns")] + (policy.map { [("rp", $0)] } ?? []))
        }
        self.headers = headers
    }

    package func deliver(_ events: [StoredEvent]) async throws {
        let lines = events.map { LineProtocol.line($0) }.joined(separator: "\n")
        let request = WebRequest(
            "POST", url, headers: headers, body: Array(lines.utf8),
            limits: limits)
        let verdict = HTTPVerdict(name: "InfluxDB", now: clock.now)
        do {
            let answer = try await client.send(request)
            try verdict.judge(answer, sentAt: Int(wallClock.now.timeIntervalSince1970))
        } catch let error as WebClientError {
            throw verdict.failure(error)
        }
    }

    private static func query(_ items: [(String, String)]) -> String {
        let plain = CharacterSet.alphanumerics.intersection(
            CharacterSet(charactersIn: "\u{0}"..."\u{7F}")
        )
        .union(CharacterSet(charactersIn: "-._~"))
        return items.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: plain) ?? "")" }
            .joined(separator: "&")
    }
}
