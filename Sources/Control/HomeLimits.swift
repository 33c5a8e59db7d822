import Foundation

/// What the chargers of a home may draw beside what its connection bears.
struct HomeLimits: Equatable, Sendable {
    /// What each circuit carries, by its name, in amps for each phase.
    var circuitAmps: [String: Double] = [:]
    /// The most that all chargers may draw together, as the grid operator says, in watts; absent where nothing limits.
    var externalWatts: Double?
    /// When that limit ends, where that is known; a plan counts on it until then.
    var externalUntil: Date?
    /// Whether someone outside sets limits, or did.
    var isLimitedFromOutside = false
    /// Whether the limit holds only because nobody outside is heard.
    var isFailSafe = false
    /// What people call that limit.
    var externalName = "the grid operator's limit"

    init(circuitAmps: [String: Double] = [:], externalWatts: Double? = nil) {
        self.circuitAmps = circuitAmps
        self.externalWatts = externalWatts
    }

    /// Circuits, and what holds of a limit from outside.
    init(circuitAmps: [String: Double], external: AllowedPower) {
        self.init(circuitAmps: circuitAmps, externalWatts: external.watts)
        externalUntil = external.until
        isFailSafe = external.isFailSafe
        if external.isFailSafe {
            externalName = "the fail-safe limit, because the grid operator's system is silent"
        }
    }

    /// What is left beside a charger that nobody hears and that may go on with its last current.
    func beside(unheard amps: Double, phases: Int, circuit: String?) -> HomeLimits {
        var left = self
        if let circuit, let carried = left.circuitAmps[circuit] { left.circuitAmps[circuit] = max(0, carried - amps) }
        left.externalWatts = left.externalWatts.map { max(0, $0 - amps * 230 * Double(phases)) }
        return left
    }

    /// What the limit from outside leaves at a moment; absent where it does not hold then.
    func externalWatts(at moment: Date) -> Double? {
        externalUntil.map { moment < $0 } ?? true ? externalWatts : nil
    }

    /// The same without its end, which is said anew again and again and is no reason for another plan.
    var lasting: HomeLimits {
        var lasting = self
        lasting.externalUntil = nil
        return lasting
    }
}
