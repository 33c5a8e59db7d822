package import Foundation
import HubKit
import SQLite
import ThreadKit

/// Whether the store can be written, and has a good backup.
package struct StoreHealth: Sendable, Equatable {
    /// Since when it cannot; nothing while it can.
    package var failingSince: Date?
    /// What is wrong and how to mend it.
    package var reason: String?
    /// Writes that failed since then, and the hub's tests of the file among them.
    package var failures = 0
    /// Writes that failed since the store was opened.
    package var failuresSinceStart = 0
    /// Why the last backup failed, where, and how to mend it; nothing where it is good.
    package var backupFault: String?

    /// Whether it can be written, as far as is known.
    package var isWritable: Bool { failingSince == nil }
}

/// Watches how writes to the store go, and says each change once.
///
/// A write that failed makes the store "not writable"; only a test that writes more than most of the hub's writes makes
/// it well again, since a small write may find room on a full disk where the next event does not.
final class WriteWatch: Sendable {
    private struct State {
        var health = StoreHealth()
        var fault: StandingFault
        var triedAt: ContinuousClock.Instant?
    }

    private let state: Locked<State>
    private let clock: any HubClock
    private let log: HubLog

    init(clock: any HubClock, log: HubLog) {
        self.clock = clock
        self.log = log.labelled("store")
        state = Locked(State(fault: StandingFault(reminderSeconds: 3600 * max(1, clock.speed))))
    }

    var health: StoreHealth { state.withLock { $0.health } }

    /// Whether something was written, or could not be, within the last `limit` of real time.
    func wasTried(within limit: Duration) -> Bool {
        state.withLock { $0.triedAt.map { .now - $0 < limit } ?? false }
    }

    /// A write of the hub's own went well.
    func noteSuccess() {
        state.withLock { $0.triedAt = .now }
    }

    /// A write failed; an error that says nothing of the file is none of this watch's business.
    func note(_ error: SQLiteError) {
        guard error.isOfTheFile else { return }
        let now = clock.now
        let line = state.withLock { state in
            state.triedAt = .now
            state.health.failingSince = state.health.failingSince ?? now
            state.health.reason = error.plainText
            state.health.failures += 1
            state.health.failuresSinceStart += 1
            return state.fault.failed(
                "the store can't be written, what is new waits or is refused until it can: \(error.plainText)", at: now)
        }
        if let line { log.error(line) }
    }

    /// The test went well.
    func noteRecovery() {
        let now = clock.now
        let line = state.withLock { state in
            state.triedAt = .now
            state.health = StoreHealth(failuresSinceStart: state.health.failuresSinceStart)
            return state.fault.ended("the store can be written again", at: now)
        }
        if let line { log.notice(line) }
    }
}

extension HubStore {
    /// Whether the store can be written, as its last write told.
    package var health: StoreHealth {
        var health = watch.health
        health.backupFault = backupWatch.reason
        return health
    }

    /// Whether the store can be written now: writes something small where nothing was written for five seconds.
    package func currentHealth() async -> StoreHealth {
        if !watch.wasTried(within: .seconds(5)), watch.health.isWritable { await tryWriting(bytes: 1) }
        return health
    }

    /// Tests the file until the task is cancelled: every minute while it is well, every five seconds while it is not.
    package func watchWriting() async {
        while (try? await Task.sleep(for: .seconds(5))) != nil {
            if !watch.health.isWritable {
                await tryToRecover()
            } else if !watch.wasTried(within: .seconds(60)) {
                await tryWriting(bytes: 1)
            }
        }
    }

    /// Writes more than the hub's usual write; the store counts as well again when that is on disk.
    package func tryToRecover() async {
        // A journal at the limit of its size would else stay there for ever.
        try? await database.emptyJournal()
        if await tryWriting(bytes: 65_536) { watch.noteRecovery() }
    }

    @discardableResult
    private func tryWriting(bytes: Int) async -> Bool {
        let key = "write-test"
        let text = String(repeating: "0", count: bytes)
        let now = clock.now.timeIntervalSince1970
        do {
            try await write { connection in
                try connection.execute(
                    "INSERT OR REPLACE INTO settings (device, key, body, changed) VALUES ('', ?, ?, ?)",
                    [.text(key), .text(text), .real(now)])
            }
            guard bytes > 1 else { return true }
            try await write { try $0.execute("DELETE FROM settings WHERE device = '' AND key = ?", [.text(key)]) }
            return true
        } catch {
            return false
        }
    }
}
