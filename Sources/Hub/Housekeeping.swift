import Foundation
import HubKit
import Storage

/// What the store needs once a day: a backup, and what nobody needs any more forgotten.
struct Housekeeping: Sendable {
    /// How long load events are kept at least: five years, as long as insights reach.
    static let eventSeconds = 5 * 366 * 86_400.0
    /// How long after the start the first look is, in seconds.
    static let firstSeconds = 300.0

    let store: HubStore
    let clock: any HubClock
    let log: HubLog

    /// Looks every hour whether the newest backup on disk is a day old: a restart makes no more of them, and one that
    /// failed is tried again in an hour.
    func run() async {
        // In a demo a day passes in minutes; once in a real day is enough then.
        let pace = max(1, clock.speed)
        guard (try? await clock.sleep(seconds: Self.firstSeconds * pace)) != nil else { return }
        repeat {
            if store.isBackupDue(after: 86_400 * pace) { await keep() }
        } while (try? await clock.sleep(seconds: 3600 * pace)) != nil
    }

    /// Forgets what nobody needs and makes a backup; one that fails does not keep the other from being done.
    func keep() async {
        do {
            try await store.pruneGuidance(endedBefore: clock.now.addingTimeInterval(-30 * 86_400))
            let forgotten = try await store.pruneEvents(before: clock.now.addingTimeInterval(-Self.eventSeconds))
            if forgotten > 0 { log.labelled("store").notice("\(forgotten) load events of long ago were forgotten") }
        } catch {
            log.labelled("store").warning("what is long past could not be forgotten: \(plainWords(of: error))")
        }
        // What keeps it from being made is in the log and in the store's health.
        try? await store.backUp()
    }
}
