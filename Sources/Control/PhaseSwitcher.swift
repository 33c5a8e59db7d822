import Foundation

/// Decides on how many phases a charger follows the sun, and takes it there.
///
/// Charging pauses, the phases change, charging goes on. Pure but for its memory of how long a state has lasted.
///
/// One phase begins with a third of the power that three need, so that a little sun is used too; three carry more. A
/// change needs its reason for a while, and two changes have a rest between them: contactors wear out.
struct PhaseSwitcher: Equatable, Sendable {
    /// Seconds for which the sun must be too weak for three phases.
    var downDelay = 120.0
    /// Seconds for which it must be enough for three.
    var upDelay = 300.0
    /// Least seconds between two changes.
    var rest = 600.0
    /// Seconds without current before and after a change.
    var gap = 10.0
    /// The share by which the sun must exceed what three phases need at least.
    var margin = 0.08

    private enum Step: Equatable {
        case steady
        /// Nothing flows any more before the phases change.
        case pausing(to: Int, since: Date)
        /// The phases change.
        case settling(to: Int, since: Date)
    }

    /// The phases it was last asked to use; absent until it was asked.
    private(set) var phases: Int?
    private var step = Step.steady
    private var lowSince: Date?
    private var highSince: Date?
    private var changedAt: Date?

    /// The phases it is on its way to; absent where nothing changes.
    var target: Int? {
        switch step {
        case .steady: nil
        case .pausing(let phases, _), .settling(let phases, _): phases
        }
    }

    /// Looks at the sun.
    /// - Parameters:
    ///   - available: what the sun leaves with this charger off, in watts; absent where that is not known.
    ///   - current: the phases in use.
    ///   - oneWatts: the least power on one phase.
    ///   - threeWatts: the least power on three.
    ///   - now: the present moment.
    mutating func follow(_ available: Double?, on current: Int, oneWatts: Double, threeWatts: Double, at now: Date) {
        guard step == .steady else { return }
        guard let available else {
            (lowSince, highSince) = (nil, nil)
            return
        }
        let isLow = current > 1 && available < threeWatts && available >= oneWatts
        let isHigh = current == 1 && phases == 1 && available >= threeWatts * (1 + margin)
        lowSince = isLow ? lowSince ?? now : nil
        highSince = isHigh ? highSince ?? now : nil
        if let changedAt, now.timeIntervalSince(changedAt) < rest { return }
        if let lowSince, now.timeIntervalSince(lowSince) >= downDelay { begin(1, at: now) }
        if let highSince, now.timeIntervalSince(highSince) >= upDelay { begin(3, at: now) }
    }

    /// Goes back to three phases, for a mode that does not follow the sun.
    /// - Parameter isIdle: whether nothing flows, so that a charger whose phases nobody knows can be told.
    mutating func useAll(isIdle: Bool, at now: Date) {
        (lowSince, highSince) = (nil, nil)
        guard step == .steady, phases != 3, phases == 1 || isIdle else { return }
        begin(3, at: now)
    }

    /// Goes on with a change.
    /// - Parameter isDrawing: whether the car still draws power.
    /// - Returns: whether charging has to pause.
    mutating func proceed(isDrawing: Bool, at now: Date) -> Bool {
        switch step {
        case .steady: return false
        case .pausing(let target, let since):
            if !isDrawing, now.timeIntervalSince(since) >= gap {
                step = .settling(to: target, since: now)
                phases = target
            }
            return true
        case .settling(_, let since):
            guard now.timeIntervalSince(since) >= gap else { return true }
            step = .steady
            changedAt = now
            return false
        }
    }

    private mutating func begin(_ target: Int, at now: Date) {
        step = .pausing(to: target, since: now)
        (lowSince, highSince) = (nil, nil)
    }

    /// Counts again from now what began later than now, since the clock was set back.
    mutating func forgetFuture(at now: Date) {
        lowSince = lowSince.map { min($0, now) }
        highSince = highSince.map { min($0, now) }
        changedAt = changedAt.map { min($0, now) }
        switch step {
        case .steady: break
        case .pausing(let target, let since): step = .pausing(to: target, since: min(since, now))
        case .settling(let target, let since): step = .settling(to: target, since: min(since, now))
        }
    }
}
