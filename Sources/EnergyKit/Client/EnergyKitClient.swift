public import Foundation

/// EnergyKit by a hub in another process: a client of its unix socket or HTTP address.
///
/// An addition to Apple's surface. A program that only imports EnergyKit uses one without knowing it, made from the
/// environment at the first call; one that wants another hub chooses it when it starts:
///
///     EnergyKitSystem.bootstrap(try EnergyKitClient(hub: "https://hub.example", tokenFile: "/etc/app/token"))
///
/// ## Environment
/// `OFFPEAK_URL` is `http://HOST:PORT`, `https://HOST` or `unix:/PATH`; without it the hub's own socket
/// `/run/offpeak/http.sock` is used if it exists, otherwise `http://127.0.0.1:8484`. `OFFPEAK_TOKEN`, or the file that
/// `OFFPEAK_TOKEN_FILE` names, holds an access token. `OFFPEAK_CLIENT` is the name by which the hub counts this
/// program's submissions; without it the program's own name.
///
/// ## Errors
/// A hub that does not answer, or asks to wait, is asked again after 2 s and after 4 s; then `serviceUnavailable` or
/// `rateLimitExceeded` is thrown. Guidance, once delivered, survives the loss of the hub: the connection is made again
/// until the last guidance has run out.
public final class EnergyKitClient: EnergyKitBackend {
    private let calls: HubCalls

    package init(_ settings: ClientSettings) throws(EnergyKitFailure) {
        calls = try HubCalls(settings)
    }

    /// Makes a client of one hub; it connects at the first call.
    /// - Parameters:
    ///   - hub: `http://HOST:PORT`, `https://HOST` or `unix:/PATH`.
    ///   - tokenFile: a file that holds an access token, read at every call; nil for none.
    /// - Throws: `EnergyKitFailure` for an address that is none.
    public convenience init(hub: String, tokenFile: String? = nil) throws {
        let token = tokenFile.map { ClientSettings.Token.file($0) } ?? .none
        try self.init(ClientSettings(address: try HubAddress(hub), token: token))
    }

    /// Makes a client as the environment of this program says.
    /// - Throws: `EnergyKitFailure` for an `OFFPEAK_URL` that is none.
    public convenience init() throws {
        try self.init(try ClientSettings(environment: ProcessInfo.processInfo.environment))
    }

    /// All venues of the hub.
    public func venues() async throws -> [EnergyVenue] {
        try await calls.call("GET", "/venues")
    }

    /// The venue of that identifier.
    public func venue(id: UUID) async throws -> EnergyVenue {
        try await calls.call("GET", "/venues/\(id)")
    }

    /// The venue of the home that another home system knows by that identifier.
    public func venue(homeID: UUID) async throws -> EnergyVenue {
        let found: [EnergyVenue] = try await calls.call("GET", "/venues", query: [("homeID", homeID.uuidString)])
        guard let venue = found.first else {
            throw EnergyKitFailure(.venueUnavailable, detail: "no venue belongs to the home \(homeID)")
        }
        return venue
    }

    /// Guidance now and every change of it, over lost connections and restarts of the hub.
    public func guidance(_ request: GuidanceRequest) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        let follower = GuidanceFollower(calls: calls, request: request)
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task { await follower.run(continuation) }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Sends a batch; it is on the hub's disk when this returns.
    public func submit(_ events: [AnyLoadEvent], venueID: UUID) async throws -> LoadEventReceipt {
        let body = try EventBatchWire.body(events)
        do {
            return try await calls.call("POST", "/venues/\(venueID)/events", body: body)
        } catch let failure as EnergyKitFailure where failure.error == .venueUnavailable {
            throw EnergyKitFailure(InvalidLoadEvent(rule: .venue, detail: "no venue has the id \(venueID)"))
        }
    }

    /// The energy that a device used or gave.
    public func energyInsights(
        _ request: InsightRequest
    ) async throws -> [ElectricityInsightRecord<Measurement<UnitEnergy>>] {
        try await insights("energy", request).map(\.energy)
    }

    /// The time that a device ran.
    public func runtimeInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Duration>] {
        try await insights("runtime", request).map(\.runtime)
    }

    private func insights(_ measure: String, _ request: InsightRequest) async throws -> [InsightRecordWire] {
        let query = request.query
        guard let start = EnergyKitJSON.string(from: query.range.start),
            let end = EnergyKitJSON.string(from: query.range.end)
        else { throw EnergyKitFailure(.serviceUnavailable, detail: "the range lies outside the years 0 to 9999") }
        var options: [String] = []
        if query.options.contains(.cleanliness) { options.append("cleanliness") }
        if query.options.contains(.tariff) { options.append("tariff") }
        return try await calls.call(
            "GET", "/venues/\(request.venueID)/insights/\(measure)",
            query: [
                ("device", request.deviceID), ("start", start), ("end", end),
                ("granularity", query.granularity.rawValue), ("options", options.joined(separator: ",")),
                ("flow", query.flowDirection == .imported ? "imported" : "exported"),
            ])
    }
}
