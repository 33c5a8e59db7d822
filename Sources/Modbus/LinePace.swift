/// Which units of a line cost it time, so that they don't hold up those that answer at once.
///
/// On one line only one unit can be asked at a time, and one that is silent keeps all others waiting until its time is
/// up. So between two such exchanges everyone who waits gets in, and a quick unit reads all that it wants.
struct LinePace {
    /// What a unit was like when it was asked last.
    private enum Temper {
        case quick, slow, silent
    }

    private var tempers: [UInt8: Temper] = [:]
    private var rounds: [UInt8: Int] = [:]
    /// How many exchanges have held up the line so far.
    private(set) var delays = 0

    /// Takes in that a unit answered, or refused.
    mutating func heard(_ unit: UInt8, isSlow: Bool) {
        tempers[unit] = isSlow ? .slow : .quick
        if isSlow { delays += 1 }
    }

    /// Takes in that a unit did not answer in time.
    mutating func missed(_ unit: UInt8) {
        tempers[unit] = .silent
        delays += 1
    }

    /// A round of requests to a unit begins, which belongs together.
    mutating func began(_ unit: UInt8) { rounds[unit, default: 0] += 1 }

    /// The round is over.
    mutating func ended(_ unit: UInt8) {
        let left = (rounds[unit] ?? 0) - 1
        rounds[unit] = left > 0 ? left : nil
    }

    /// Whether a unit held up the line when it was asked last, or may do so, since nobody has asked it yet.
    func mayDelay(_ unit: UInt8) -> Bool { tempers[unit] != .quick }

    /// Whether a unit gave no answer when it was asked last.
    func isSilent(_ unit: UInt8) -> Bool { tempers[unit] == .silent }

    /// Whether a unit that answers at once is in the middle of its round.
    var hasQuickRound: Bool { rounds.keys.contains { tempers[$0] == .quick } }

    /// Whether another unit answered when it was asked last.
    func hasOther(than unit: UInt8) -> Bool {
        tempers.contains { $0.key != unit && $0.value != .silent }
    }
}
