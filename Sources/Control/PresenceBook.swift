package import Foundation
import ThreadKit

/// Whether anybody is at a home; where that is not known there is no value, and nobody counts as away.
package enum Presence: String, Sendable, Codable {
    /// Somebody is there.
    case home
    /// Nobody is.
    case away
}

/// What is known of the people at each home, for whoever decides by it or shows it.
///
/// What was told counts for a time only, and for a few minutes where the connection that told it is lost: a home that
/// somebody came back to must not stay cold because a message got lost.
package final class PresenceBook: Sendable {
    private struct Report {
        var presence: Presence
        var heardAt: Date
        var until: Date

        func holds(at now: Date) -> Bool {
            // A clock that was set back says nothing of its age.
            heardAt <= now.addingTimeInterval(1) && now < until
        }
    }

    private struct State {
        var reports: [UUID: Report] = [:]
    }

    /// How long what was told goes on counting without the connection, in seconds.
    package static let graceSeconds: Double = 300

    private let state = Locked(State())
    private let listeners = Listeners<UUID>(bufferingNewest: 64)

    /// An empty book.
    package init() {}

    /// What is known of a home at a moment.
    package func presence(at venue: UUID, _ now: Date) -> Presence? {
        state.withLock { state in state.reports[venue].flatMap { $0.holds(at: now) ? $0.presence : nil } }
    }

    /// Takes what was told.
    /// - Parameters:
    ///   - presence: nothing where the teller does not know.
    ///   - venue: the home.
    ///   - now: when it was told.
    ///   - seconds: how long it counts.
    package func note(_ presence: Presence?, at venue: UUID, _ now: Date, for seconds: Double) {
        change(venue, now) { state in
            state.reports[venue] = presence.map {
                Report(presence: $0, heardAt: now, until: now.addingTimeInterval(seconds))
            }
        }
    }

    /// The connection over which a home's presence is told is lost: what was told counts no longer than the grace.
    package func lose(at venue: UUID, _ now: Date) {
        change(venue, now) { state in
            guard let report = state.reports[venue] else { return }
            state.reports[venue]?.until = min(report.until, now.addingTimeInterval(Self.graceSeconds))
        }
    }

    /// Forgets what no longer counts, and tells the listeners.
    func forgetOld(at now: Date) {
        let old = state.withLock { state in
            let old = state.reports.filter { !$0.value.holds(at: now) }.map(\.key)
            for venue in old { state.reports[venue] = nil }
            return old
        }
        for venue in old { listeners.tell(venue) }
    }

    /// When the next of what was told stops counting.
    var edges: [Date] { state.withLock { $0.reports.values.map { $0.until.addingTimeInterval(0.001) } } }

    /// Homes of which something else is known from now on.
    package func changes() -> AsyncStream<UUID> { listeners.stream() }

    private func change(_ venue: UUID, _ now: Date, _ body: (inout State) -> Void) {
        let before = presence(at: venue, now)
        state.withLock { body(&$0) }
        if presence(at: venue, now) != before { listeners.tell(venue) }
    }
}
