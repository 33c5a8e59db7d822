import Foundation
import WebClient

/// Delivers guidance from a hub over however many connections that takes.
struct GuidanceFollower: Sendable {
    /// The longest pause between two attempts to connect.
    private static let longestPause = Duration.seconds(30)

    let calls: HubCalls
    let request: GuidanceRequest

    /// What was delivered last.
    private struct Last {
        var token: UUID
        /// When it will have run out, if nothing newer comes.
        var end: ContinuousClock.Instant
    }

    /// Delivers until the consumer is gone or something final happens.
    func run(_ continuation: AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation) async {
        do {
            try await follow(continuation)
            continuation.finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }

    private func follow(
        _ continuation: AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation
    ) async throws {
        var last: Last?
        var failures = 0
        while true {
            // Only a hub that said something was there: silence that lasts long is no success.
            var wasHeard = false
            let failure: EnergyKitFailure
            do {
                try await connection(&last, &wasHeard, continuation)
                failure = EnergyKitFailure(.serviceUnavailable, detail: "the hub ended the stream", retryAfter: .zero)
            } catch let error as EnergyKitFailure {
                failure = error
            }
            try Task.checkCancellation()
            failures = wasHeard ? 1 : failures + 1
            if let end = end(failure, last, failures) { throw end }
            try await Task.sleep(for: pause(last, failures))
        }
    }

    /// One connection to its end.
    private func connection(
        _ last: inout Last?, _ wasHeard: inout Bool,
        _ continuation: AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation
    ) async throws {
        let place = calls.settings.place
        var query = [("action", request.suggestedAction == .shift ? "shift" : "reduce")]
        if let device = request.requester { query.append(("device", device)) }
        do {
            for try await event in try await calls.events("/venues/\(request.venueID)/guidance", query: query) {
                switch event.name {
                case "guidance":
                    wasHeard = true
                    let guidance = try EnergyKitJSON.decoder()
                        .decode(ElectricityGuidance.self, from: Data(event.data.utf8))
                    // After a reconnect the hub begins with what is in force, which is mostly known.
                    let isNews = guidance.guidanceToken != last?.token
                    guard isNews else { continue }
                    let left = max(0, guidance.interval.end.timeIntervalSince(guidance.issuedAt))
                    last = Last(token: guidance.guidanceToken, end: .now + .seconds(min(left, 1e7)))
                    if case .terminated = continuation.yield(guidance) { throw CancellationError() }
                case "problem":
                    throw HubProblem.failure(json: Data(event.data.utf8), status: nil, retryAfter: nil, from: place)
                default: continue
                }
            }
        } catch is DecodingError {
            throw EnergyKitFailure(.serviceUnavailable, detail: "a guidance of \(place) can't be read")
        } catch {
            throw HubProblem.failure(error, from: place)
        }
    }

    /// The error that ends the delivery after that failure; nil if it goes on.
    private func end(_ failure: EnergyKitFailure, _ last: Last?, _ failures: Int) -> EnergyKitFailure? {
        switch failure.error {
        case .permissionDenied, .venueUnavailable, .unsupportedRegion, .locationServicesDenied: return failure
        default: break
        }
        guard let last else {
            // Nothing was ever delivered: there is nothing left to serve, or no hub that could.
            if failure.error == .guidanceUnavailable || failure.retryAfter == nil { return failure }
            return failures > calls.settings.pauses.count ? failure : nil
        }
        guard last.end <= .now else { return nil }
        return EnergyKitFailure(
            .guidanceUnavailable, detail: "the last guidance has run out, and no newer came: \(failure.detail)")
    }

    /// Doubles from half a second, with a random part so that programs which lost one hub do not return as one.
    private func pause(_ last: Last?, _ failures: Int) -> Duration {
        guard last != nil else { return calls.settings.pauses.prefix(failures).last ?? .zero }
        let ceiling = min(Self.longestPause, .milliseconds(500) * (1 << min(failures - 1, 10)))
        return ceiling * Double.random(in: 0.7...1)
    }
}
