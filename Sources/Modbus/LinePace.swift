/// Which units of a line cost it time, so that they don't hold up those that answer at once.
///
/// On one line only one unit can be asked at a time, and one that is silent keeps all others waiting until its time is
/// up. So between two such exchanges everyone who waits gets in, a quick unit reads all that it wants, and a unit that
/// was silent is first tried for a shorter time.
struct LinePace {
    /// What a unit was like when it was asked last.
    private enum Temper {
        case quick, slow, silent
    }

    private struct Unit {
        var temper: Temper?
        /// How often in a row it gave no answer.
        var misses = 0
        /// The longest that an answer took of late; fades, so that one bad moment is not remembered for ever.
        var longestAnswer: Duration?
        /// Rounds of requests that go on.
        var rounds = 0

        mutating func heard(after duration: Duration, isSlow: Bool) {
            temper = isSlow ? .slow : .quick
            misses = 0
            longestAnswer = longestAnswer.map { max(duration, $0 * 0.95) } ?? duration
        }

        mutating func missed() {
            temper = .silent
            misses += 1
        }
    }

    /// What a serial line of 9600 bit/s and a patient gateway need for a hundred registers.
    private static let shortestTrial = Duration.milliseconds(250)

    private var units: [UInt8: Unit] = [:]
    /// How many exchanges have held up the line so far.
    private(set) var delays = 0
    /// Whether the last exchange was given up early: a gateway may be waiting still, which is not the next unit's fault.
    private var wasCutShort = false
    /// How often a gateway was waiting still, so that giving up early saved nothing.
    private var wastedCuts = 0

    /// Takes in that a unit answered, or refused.
    /// - Parameters:
    ///   - unit: the unit.
    ///   - duration: how long that took.
    ///   - isSlow: whether that held up the line.
    mutating func heard(_ unit: UInt8, after duration: Duration, isSlow: Bool) {
        if isSlow { delays += 1 }
        let isExcused = isSlow && excuses(unit)
        wasCutShort = false
        guard !isExcused else { return }
        units[unit, default: Unit()].heard(after: duration, isSlow: isSlow)
    }

    /// Takes in that a unit kept the line waiting for nothing.
    mutating func missed(_ unit: UInt8, wasCutShort: Bool) {
        delays += 1
        let isExcused = excuses(unit)
        self.wasCutShort = wasCutShort
        guard !isExcused else { return }
        units[unit, default: Unit()].missed()
    }

    /// Whether a unit that answers at once had to wait for a gateway that waited for another one.
    private mutating func excuses(_ unit: UInt8) -> Bool {
        guard wasCutShort, units[unit]?.temper == .quick else { return false }
        wastedCuts += 1
        return true
    }

    /// A round of requests to a unit begins, which belongs together.
    mutating func began(_ unit: UInt8) { units[unit, default: Unit()].rounds += 1 }

    /// The round is over.
    mutating func ended(_ unit: UInt8) { units[unit]?.rounds -= 1 }

    /// How long to wait for a unit's answer.
    ///
    /// One that was silent while others answer gets three times what it needed before, or a quarter of the whole time
    /// where it has never answered. So that a slow one comes back as well, every 16th try in a row lasts the whole time,
    /// and every fourth of a unit whose pace nobody knows. A gateway that was found waiting for such a unit all the same asks
    /// one after the other and has a time of its own: nothing is saved there, and every try lasts the whole time.
    func patience(with unit: UInt8, whole: Duration) -> Duration {
        guard let known = units[unit], known.temper == .silent, hasOther(than: unit), wastedCuts < 2 else {
            return whole
        }
        guard known.misses % (known.longestAnswer == nil ? 4 : 16) != 0 else { return whole }
        return min(whole, max(Self.shortestTrial, known.longestAnswer.map { $0 * 3 } ?? whole / 4))
    }

    /// Whether a unit held up the line when it was asked last, or may do so, since nobody has asked it yet.
    func mayDelay(_ unit: UInt8) -> Bool { units[unit]?.temper != .quick }

    /// Whether a unit gave no answer when it was asked last.
    func isSilent(_ unit: UInt8) -> Bool { units[unit]?.temper == .silent }

    /// Whether a unit that answers at once is in the middle of its round.
    var hasQuickRound: Bool { units.values.contains { $0.rounds > 0 && $0.temper == .quick } }

    /// Whether another unit answered when it was asked last.
    func hasOther(than unit: UInt8) -> Bool {
        units.contains { $0.key != unit && $0.value.temper != nil && $0.value.temper != .silent }
    }
}
