import EnergyKit
import Foundation
import WebServer

/// Runs `body` with a client of a server that answers as a test wants, over real HTTP.
func withFakeHub(
    token: ClientSettings.Token = .none, pauses: [Duration] = [.zero, .zero],
    _ handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    _ body: (EnergyKitClient) async throws -> Void
) async throws {
    let server = WebServer(configuration: WebServerConfiguration(), handler: handler)
    try await server.start()
    var settings = ClientSettings(
        address: try HubAddress("http://127.0.0.1:\(await server.boundPort ?? 0)"), token: token, name: "tests")
    settings.pauses = pauses
    do {
        try await body(try EnergyKitClient(settings))
    } catch {
        await server.stop(within: .zero)
        throw error
    }
    await server.stop(within: .zero)
}

extension HTTPResponse {
    /// A problem document as the hub writes it.
    static func problem(
        _ status: Int, _ code: String, retryAfter: Int? = nil, members: String = ""
    ) -> HTTPResponse {
        let text = "{\"status\":\(status),\"code\":\"\(code)\",\"detail\":\"because\"\(members)}"
        let headers = retryAfter.map { [("Retry-After", "\($0)")] } ?? []
        return .bytes(
            Array(text.utf8), contentType: "application/problem+json", status: status, headers: headers)
    }

    /// A stream of those events, which then ends, or stays open.
    static func stream(_ events: [ServerSentEvent], staysOpen: Bool = false) -> HTTPResponse {
        let (stream, continuation) = AsyncStream<ServerSentEvent>.makeStream()
        for event in events { continuation.yield(event) }
        if !staysOpen { continuation.finish() }
        return .eventStream(stream)
    }
}

extension ElectricityGuidance {
    /// A guidance of two values.
    static func sample(at venue: UUID, seconds: Double = 7200) -> ElectricityGuidance {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let interval = DateInterval(start: start, duration: seconds)
        return ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue, suggestedAction: .shift, issuedAt: start, interval: interval,
            options: [], values: [.init(interval: interval, rating: 0.5)])
    }

    /// The event by which a hub delivers it.
    var event: ServerSentEvent {
        let json = (try? EnergyKitJSON.encoder().encode(self)) ?? Data()
        return ServerSentEvent(event: "guidance", data: String(decoding: json, as: UTF8.self))
    }
}
