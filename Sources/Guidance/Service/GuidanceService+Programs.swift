package import EnergyKit
import Foundation
import HubKit
import Storage

extension GuidanceService {
    /// As `updates(_:at:for:)`, for programs: the stream fails with `guidanceUnavailable` when there is nothing left to
    /// serve, at its begin or later, and whoever is slow gets the newest only.
    package nonisolated func programUpdates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    try await follow(action, at: venue, for: requester, continuation)
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private nonisolated func follow(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String,
        _ continuation: AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation
    ) async throws {
        _ = try await record(action, at: venue)
        let updates = updates(action, at: venue, for: requester)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await guidance in updates { continuation.yield(guidance) }
            }
            group.addTask { try await self.untilNothingIsLeft(action, at: venue) }
            // Whichever ends first ends both: the hub stops, or nothing is left.
            try await group.next()
            group.cancelAll()
        }
    }

    /// - Throws: what `record(_:at:)` throws once there is no guidance in force.
    private func untilNothingIsLeft(_ action: ElectricityGuidance.SuggestedAction, at venue: UUID) async throws {
        while true {
            let end = try record(action, at: venue).guidance.interval.end
            try await clock.sleep(until: end)
        }
    }
}
