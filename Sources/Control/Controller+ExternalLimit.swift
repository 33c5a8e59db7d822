package import Foundation
import HubKit
import Storage

/// The limit that the grid operator, or another system outside, sets for all chargers of a home.
extension Controller {
    /// Takes a limit; on disk when it returns.
    ///
    /// Saying the same again shows that who says it is there.
    /// - Parameters:
    ///   - watts: what all chargers may draw together; absent is no limit.
    ///   - seconds: how long it holds; absent is until it is changed.
    ///   - venue: the home.
    /// - Throws: `HubError` that says what is wrong with it.
    package func setExternalLimit(watts: Double?, seconds: Double?, at venue: UUID) async throws {
        guard venues[venue] != nil else { throw HubError(.notFound, "there is no such venue") }
        if let watts {
            guard watts.isFinite, ExternalLimit.range.contains(watts) else {
                throw HubError(.refused, "powerWatts is from 0 to 1,000,000, not \(watts); DELETE clears it")
            }
        }
        if let seconds {
            guard seconds.isFinite, seconds > 0, seconds <= 31_622_400 else {
                throw HubError(.refused, "durationSeconds is above 0 and at most a year, not \(seconds)")
            }
        }
        let now = clock.now
        let limit = ExternalLimit(powerWatts: watts, receivedAt: now, until: seconds.map { now.addingTimeInterval($0) })
        let isNew = externalLimits[venue]?.powerWatts != watts
        // A heartbeat alone need not go to disk.
        if isNew || externalLimits[venue]?.until != limit.until { try await keep(limit, for: venue) }
        externalLimits[venue] = limit
        if isNew {
            let text = watts.map { "chargers and heat pumps together may draw \(PlainNumber.text($0, .powerWatts))" }
            log.notice("\(venues[venue]?.name ?? ""): \(text ?? "the limit from outside was cleared")")
        }
        wake()
    }

    /// What was said last, and what holds now.
    package func externalLimit(at venue: UUID) -> (said: ExternalLimit?, allowed: AllowedPower) {
        (externalLimits[venue], allowedPower(at: venue, clock.now))
    }

    func allowedPower(at venue: UUID, _ now: Date) -> AllowedPower {
        AllowedPower(
            externalLimits[venue], settings.externalLimits[venue], since: listensSince, at: now)
    }

    /// When some limit from outside ends, or silence begins to count.
    var externalEdges: [Date] {
        venues.all.flatMap { venue -> [Date] in
            let heard = max(externalLimits[venue.id]?.receivedAt ?? listensSince, listensSince)
            let silence = settings.externalLimits[venue.id].map {
                heard.addingTimeInterval($0.heartbeatSeconds + 0.001)
            }
            return [externalLimits[venue.id]?.until, silence].compactMap(\.self)
        }
    }

    /// Takes up the limits that held before a restart.
    package func resumeExternalLimits() async throws {
        for venue in venues.all {
            guard let text = try await store.setting("external-limit", venue: venue.id) else { continue }
            externalLimits[venue.id] = try? JSONDecoder().decode(ExternalLimit.self, from: Data(text.utf8))
        }
    }

    private func keep(_ limit: ExternalLimit, for venue: UUID) async throws {
        let text = String(decoding: try JSONEncoder().encode(limit), as: UTF8.self)
        try await store.keep(setting: text, key: "external-limit", venue: venue)
    }
}
