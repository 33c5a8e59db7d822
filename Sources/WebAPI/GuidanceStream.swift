import EnergyKit
import Foundation
import Guidance
import WebServer

extension HubAPI {
    /// Guidance as server-sent events: `guidance` now and for each new one, and `problem` with a problem document when
    /// there is nothing left to serve, which ends the stream.
    func guidanceStream(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> HTTPResponse {
        let updates = services.guidance.programUpdates(action, at: venue, for: requester)
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServerSentEvent.self, bufferingPolicy: .bufferingNewest(8))
        let log = services.log
        let task = Task {
            defer { continuation.finish() }
            do {
                for try await guidance in updates {
                    let data = String(decoding: try APIJSON.encoder().encode(guidance), as: UTF8.self)
                    continuation.yield(
                        ServerSentEvent(event: "guidance", id: guidance.guidanceToken.uuidString, data: data))
                }
            } catch {
                guard case .bytes(let body) = Problem(error, log: log).response.body else { return }
                continuation.yield(ServerSentEvent(event: "problem", data: String(decoding: body, as: UTF8.self)))
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return .eventStream(stream)
    }
}
