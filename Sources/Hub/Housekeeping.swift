import Foundation
import HubKit
import Storage

/// What the store needs once a day: a backup, and what nobody needs any more forgotten.
struct Housekeeping: Sendable {
    /// How long load events are kept at least: five years, as long as insights reach.
    static let eventSeconds = 5 * 366 * 86_400.0

    let store: HubStore
    let clock: any HubClock
    let log: HubLog

    func run() async {
        // In a demo a day passes in minutes; once in real hours is enough then.
        let day = 86_400 * max(1, clock.speed)
        while (try? await clock.sleep(seconds: day / 24)) != nil {
            do {
                try await store.pruneGuidance(endedBefore: clock.now.addingTimeInterval(-30 * 86_400))
                let forgotten = try await store.pruneEvents(before: clock.now.addingTimeInterval(-Self.eventSeconds))
                if forgotten > 0 { log.labelled("store").notice("\(forgotten) load events of long ago were forgotten") }
                try await store.backUp()
            } catch {
                log.labelled("store").warning(
                    "the daily backup failed, the next is tried in a day: \(plainWords(of: error))")
            }
            guard (try? await clock.sleep(seconds: day)) != nil else { return }
        }
    }
}
