import EnergyKit
import Foundation
package import HubKit
import LoadEvents
import Sodium
package import Storage
package import WebClient

/// Posts load events to an address of another program, in batches that are signed.
///
/// ## File Format
/// The body is `{"events":[{"sequence":12,"venueID":"…","kind":"electricVehicle","event":{…}},…]}`. The header
/// `Offpeak-Signature: t=SECONDS,v1=HEX` has the HMAC-SHA256 of `SECONDS.BODY` under the shared secret;
/// `Idempotency-Key` is the same whenever the same events are sent again.
package struct WebhookEventSink: EventSink {
    /// Where events go, and how.
    package struct Address: Sendable, CustomReflectable {
        /// `https`, or `http` on a network that is trusted.
        package var url: String
        /// What both sides know and nobody else; the body is not signed without it.
        package var secret: String?
        /// A bearer token, where the other side wants one.
        package var token: String?

        /// Names an address.
        package init(url: String, secret: String? = nil, token: String? = nil) {
            self.url = url
            self.secret = secret
            self.token = token
        }

        /// Shows neither the secret nor the token, nor an address that may hold one.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    package let name: String
    package let wantsHistory: Bool
    private let address: Address
    private let client: WebClient
    private let clock: any HubClock
    /// How long the other side may take.
    package var limits = WebLimits(connect: .seconds(10), idle: .seconds(20), total: .seconds(60))
    /// The network's time, whatever the hub's is in a demo.
    private let wallClock: any HubClock

    /// Makes a sink.
    /// - Parameters:
    ///   - address: where events go.
    ///   - client: what speaks HTTP.
    ///   - clock: the hub's time.
    ///   - wallClock: the time that a signature has.
    ///   - name: the name in the store and in metrics.
    ///   - wantsHistory: whether a new sink gets all events of the past.
    package init(
        _ address: Address, client: WebClient, clock: any HubClock,
        wallClock: any HubClock = SystemClock(),
        name: String = "webhook", wantsHistory: Bool = false
    ) {
        self.address = address
        self.client = client
        self.clock = clock
        self.wallClock = wallClock
        self.name = name
        self.wantsHistory = wantsHistory
    }

    package func deliver(_ events: [StoredEvent]) async throws {
        let seconds = Int(wallClock.now.timeIntervalSince1970)
        let verdict = HTTPVerdict(name: "the webhook", now: clock.now)
        do {
            let answer = try await client.send(try request(events, at: seconds))
            try verdict.judge(answer, sentAt: seconds)
        } catch let error as WebClientError {
            throw verdict.failure(error)
        }
    }

    private func request(_ events: [StoredEvent], at seconds: Int) throws -> WebRequest {
        let body = Array(#"{"events":\#(try EventEnvelope.json(events))}"#.utf8)
        var headers: WebHeaders = [
            "Content-Type": "application/json", "Idempotency-Key": Self.key(of: events),
        ]
        if let secret = address.secret {
            headers["Offpeak-Signature"] = Self.signature(of: body, at: seconds, secret: secret)
        }
        if let token = address.token { headers["Authorization"] = "Bearer \(token)" }
        return WebRequest(
            "POST", address.url, headers: headers, body: body,
            limits: limits)
    }

    /// A name for exactly these events.
    static func key(of events: [StoredEvent]) -> String {
        let ids = events.map(\.event.id.uuidString).joined(separator: ",")
        return Hexadecimal.text(SHA256.hash(Array(ids.utf8)).prefix(16))
    }

    /// The signature of a body sent at a moment.
    static func signature(of body: [UInt8], at seconds: Int, secret: String) -> String {
        let code = HMACSHA256.code(for: Array("\(seconds).".utf8) + body, key: Array(secret.utf8))
        return "t=\(seconds),v1=\(Hexadecimal.text(code))"
    }
}
