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

    private struct LettersJSON: Encodable { var deadLetters: [LetterJSON] }

    private struct ResendRequest: Decodable { var sequences: [Int64]? }
    private struct ReplayRequest: Decodable { var since: Date? }
    private struct QueuedJSON: Encodable { var queued: Int }

    /// Every sink with its queue.
    func outbox() async throws -> HTTPResponse {
        try json(OutboxJSON(sinks: await services.submitter.sinkStatuses()))
    }

    /// The events that a sink refused for good, oldest first.
    func deadLetters(_ request: HTTPRequest, _ sink: String) async throws -> HTTPResponse {
        try services.submitter.requireSink(sink)
        let count = request.query("limit").map { Int($0) ?? 0 } ?? 100
        guard (1...1_000).contains(count) else { throw Problem.badRequest("limit is from 1 to 1000") }
        let letters = try await services.store.deadLetters(sink: sink, limit: count)
        return try json(
            LettersJSON(
                deadLetters: letters.map { letter in
                    LetterJSON(
                        sequence: letter.event.sequence, at: letter.at, reason: letter.reason,
                        venueID: letter.event.venueID, event: letter.event.event)
                }))
    }

    /// Changes a sink's queue: `resend` dead letters, `replay` the past, `retry` at once.
    func changeOutbox(_ request: HTTPRequest, _ sink: String, _ verb: String) async throws -> HTTPResponse {
        let submitter = services.submitter
        switch verb {
        case "resend":
            let wanted = request.body.isEmpty ? nil : try decoded(ResendRequest.self, request).sequences
            return try json(QueuedJSON(queued: try await submitter.resend(sink: sink, sequences: wanted)), status: 202)
        case "replay":
            let since = request.body.isEmpty ? nil : try decoded(ReplayRequest.self, request).since
            return try json(QueuedJSON(queued: try await submitter.replay(sink: sink, since: since)), status: 202)
        case "retry":
            try await submitter.retry(sink: sink)
            return HTTPResponse(status: 204)
        default: throw Problem.notFound(request)
        }
    }
}
