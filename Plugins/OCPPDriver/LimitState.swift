import Foundation
import OCPP

/// What the hub wants a charger to offer, what it was told, and in which way it takes that.
struct LimitState: Sendable, Equatable {
    /// A way to say a limit.
    struct Way: Sendable, Equatable {
        var purpose: CentralRequest.Purpose
        var unit: CentralRequest.RateUnit
    }

    /// What the hub wants, in amps for each phase.
    var wanted: Double?
    /// What the charger was told and accepted; unknown while that is being written, and after it has restarted.
    private(set) var written: Double?
    private(set) var writtenAt: Date?
    /// The way that worked last.
    private(set) var way: Way?
    /// Whether it takes no limits at all, so that it can only be switched on and off.
    private(set) var isSwitchOnly = false
    /// What the charger refused, in words.
    var complaint: String?
    /// How often the same is written again.
    var repeating = Pace(first: 30, cap: 3600)
    /// How often the charger was told the same again because it offers more.
    var disagreements = 0
    /// Writes that are on their way.
    var writing = 0

    /// Whether the charger has to be told.
    var isDue: Bool { wanted != nil && wanted != written }

    mutating func wrote(_ amps: Double, by way: Way?, at now: Date) {
        written = amps
        writtenAt = now
        if let way { self.way = way }
        complaint = isSwitchOnly ? LimitState.switchOnly : nil
        repeating.reset()
    }

    /// Nobody knows any more what it has.
    mutating func forget() { written = nil }

    /// Someone wants something new: what was tried for the old wish does not count.
    mutating func want(_ amps: Double, at now: Date) {
        guard wanted != amps || written != amps else { return }
        wanted = amps
        disagreements = 0
        repeating.reset()
        _ = repeating.take(at: now)
    }

    mutating func takesNone() { isSwitchOnly = true }

    /// What to say of a charger that was told twice and offers more all the same.
    var disobedience: String? {
        guard disagreements > 1, let wanted else { return nil }
        return "it offers more than the \(wanted) A it was told; look for another limit or server in its settings"
    }

    private static let switchOnly =
        "it takes no charging profiles: it can be switched on and off, but its current can't be set; look for smart charging in its settings"

    /// A connection of its own keeps what was written; only the pace begins anew.
    mutating func connectionIsNew() { repeating.reset() }

    /// It may have forgotten everything, and learnt something with a new software.
    mutating func chargerHasRestarted() {
        written = nil
        isSwitchOnly = false
        way = nil
        repeating.reset()
    }

    /// A limit for one transaction says nothing of the next.
    mutating func transactionHasBegun() {
        if way?.purpose == .transaction || isSwitchOnly { written = nil }
        repeating.reset()
    }
}
