/// How far a house's fullest phase is above its emptiest, as shares of the time.
///
/// A kettle is on one phase, and there it stands in the way of chargers, which take no more than the fullest phase leaves.
struct UnevenLoad: Equatable, Sendable {
    /// The share of the time in which it is about 0, 1, 2… amps above.
    private var shares: [Double]

    /// Most amps that are told apart.
    private static let most = 40

    /// What is expected until enough was measured: a kettle for a tenth of the time.
    static var usual: UnevenLoad {
        var load = UnevenLoad()
        load.note(1, weight: 1)
        load.note(9, weight: 0.1)
        return load
    }

    /// Even all the time.
    init() { shares = [1] + Array(repeating: 0, count: Self.most) }

    /// Takes in what is seen now.
    /// - Parameters:
    ///   - amps: how far the fullest phase is above the emptiest.
    ///   - weight: the part of the whole that this moment counts, 0 to 1.
    mutating func note(_ amps: Double, weight: Double) {
        guard amps.isFinite else { return }
        let place = Int(min(max(0, amps), Double(Self.most)).rounded())
        for index in shares.indices { shares[index] += ((index == place ? 1 : 0) - shares[index]) * weight }
    }

    /// What chargers get on the whole, in amps.
    /// - Parameters:
    ///   - wanted: what they would draw.
    ///   - free: what is left beside an even load.
    func usable(_ wanted: Double, of free: Double) -> Double {
        shares.enumerated().reduce(0) { $0 + $1.element * min(wanted, max(0, free - Double($1.offset))) }
    }

    /// The variance of the share that they lose, around its mean.
    func lostVariance(_ wanted: Double, of free: Double) -> Double {
        guard wanted > 0 else { return 0 }
        let mean = usable(wanted, of: free) / wanted
        return shares.enumerated().reduce(0) { sum, share in
            let got = min(wanted, max(0, free - Double(share.offset))) / wanted
            return sum + share.element * (got - mean) * (got - mean)
        }
    }
}
