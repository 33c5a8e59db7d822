import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage
import WebServer

/// The outbox: how each sink's deliveries are doing, what it refused for good, and putting events back into its queue.
extension HubAPI {
    private struct OutboxJSON: Encodable { var sinks: [SinkStatus] }

    private struct LetterJSON: Encodable {
        var sequence: Int64
        var at: Date
        var reason: String
        var venueID: UUID
        var event: AnyLoadEvent
    }

    private struct LettersJSON: Encodable {
        var deadLetters: [LetterJSON]
        var after: String?
    }

    private struct ResendRequest: Decodable { var sequences: [Int64]? }
    private struct ReplayRequest: Decodable { var since: Date? }
    private struct NoBody: Decodable {}
    private struct QueuedJSON: Encodable { var queued: Int }

    /// Every sink with its queue.
    func outbox() async throws -> HTTPResponse {
        try json(OutboxJSON(sinks: await services.submitter.sinkStatuses()))
    }

    /// The events that a sink refused for good, oldest first.
    func deadLetters(_ request: HTTPRequest, _ sink: String) async throws -> HTTPResponse {
        try services.submitter.requireSink(sink)
        let count = try request.count("limit", in: 1...1_000, standard: 100)
        let letters = try await services.store.deadLetters(
            sink: sink, after: try cursor(request) ?? 0, limit: count + 1)
        let next = letters.count > count ? letters[count - 1].event.sequence : nil
        return try json(
            LettersJSON(
                deadLetters: letters.prefix(count).map { letter in
                    LetterJSON(
                        sequence: letter.event.sequence, at: letter.at, reason: letter.reason,
                        venueID: letter.event.venueID, event: letter.event.event)
                }, after: next.map { String($0) }))
    }

    /// Puts dead letters back into the queue.
    func resend(_ request: HTTPRequest, _ sink: String) async throws -> HTTPResponse {
        let wanted = request.body.isEmpty ? nil : try decoded(ResendRequest.self, request, .resend).sequences
        return try queued(try await services.submitter.resend(sink: sink, sequences: wanted))
    }

    /// Puts the past into the queue.
    func replay(_ request: HTTPRequest, _ sink: String) async throws -> HTTPResponse {
        let since = request.body.isEmpty ? nil : try decoded(ReplayRequest.self, request, .replay).since
        return try queued(try await services.submitter.replay(sink: sink, since: since))
    }

    /// Tries a sink at once.
    func retry(_ request: HTTPRequest, _ sink: String) async throws -> HTTPResponse {
        if !request.body.isEmpty { _ = try decoded(NoBody.self, request, .nothing) }
        try await services.submitter.retry(sink: sink)
        return HTTPResponse(status: 204)
    }

    private func queued(_ count: Int) throws -> HTTPResponse { try json(QueuedJSON(queued: count), status: 202) }
}
