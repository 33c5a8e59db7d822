import Foundation
import HubKit
import Storage
import WebServer

/// How the hub itself is, beside its devices.
struct HubHealthJSON: Encodable, Equatable {
    struct Store: Encodable, Equatable {
        var isWritable: Bool
        var failingSince: Date?
        var reason: String?
        var failedWrites: Int
        var backupFault: String?
    }

    var state: String
    var store: Store
    /// What a person should know about how the store was opened.
    var notices: [String]

    init(_ health: StoreHealth, clock: any HubClock, notices: [String]) {
        let isWell = health.isWritable && health.backupFault == nil && clock.isBelievable
        state = isWell ? "ok" : "degraded"
        store = Store(
            isWritable: health.isWritable, failingSince: health.failingSince, reason: health.reason,
            failedWrites: health.failures, backupFault: health.backupFault)
        let doubt = "the machine's clock shows a time that can't be; set it, and sessions are recorded again"
        self.notices = notices + (health.backupFault.map { [$0] } ?? []) + (clock.isBelievable ? [] : [doubt])
    }
}

extension HubAPI {
    /// 200 while the hub can read and write its store, 503 with the reason while it can't.
    func ready() async throws -> HTTPResponse {
        do {
            _ = try await services.store.depth(sink: "local")
        } catch {
            throw Self.notReady("the store does not answer: \(plainWords(of: error))")
        }
        let health = await services.store.currentHealth()
        guard !health.isWritable else { return .text("ready\n") }
        throw Self.notReady("the store can't be written: \(health.reason ?? "no reason is known")")
    }

    private static func notReady(_ reason: String) -> Problem {
        Problem(503, "serviceUnavailable", "not ready: \(reason)", retryAfter: 10)
    }

    /// How the hub is, as far as is known; asking changes nothing.
    var hubHealth: HubHealthJSON {
        HubHealthJSON(services.store.health, clock: services.clock, notices: services.store.notices)
    }

    func addStoreMetrics(to text: inout MetricsText) {
        let health = services.store.health
        text.add(
            "offpeak_store_writable", "1 while the store can be written", "gauge", health.isWritable ? 1 : 0)
        text.add(
            "offpeak_store_write_failures_total", "Writes to the store that failed since the start", "counter",
            Double(health.failuresSinceStart))
    }
}
