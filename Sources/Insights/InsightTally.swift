package import EnergyKit
import Foundation

/// Adds stretches up in buckets and classes, in integers.
///
/// Energy is counted in milliwatt-hours; the parts of a stretch are cut from its running sum, so that neighbouring
/// buckets and ranges add up to the whole exactly. Classes are counted a thousand times finer and rounded once at the
/// end, the rest going to the largest, so that the classes of a bucket add up to its total exactly. Running time is
/// counted in microseconds and never rounded.
package struct InsightTally: Sendable {
    /// What the classes count.
    package enum Measure: Sendable {
        case energy, runtime
    }

    /// What one bucket came to.
    package struct Bucket: Sendable, Equatable {
        /// Milliwatt-hours.
        package var energy: Int64 = 0
        /// Microseconds.
        package var runtime: Int64 = 0
        fileprivate var cleanliness = [Int64](repeating: 0, count: Cleanliness.allCases.count)
        fileprivate var tariff = [Int64](repeating: 0, count: PeakClass.allCases.count)
    }

    /// The edges of the buckets, one more than there are buckets, or none.
    package let edges: [Instant]
    /// The buckets, in the order of time.
    package private(set) var buckets: [Bucket]
    private let measure: Measure
    let flow: ElectricityFlowDirection

    /// Makes a tally of nothing yet.
    /// - Parameters:
    ///   - edges: the edges of the buckets, rising.
    ///   - measure: what the classes count.
    ///   - flow: which stretches count at all.
    package init(edges: [Instant], measure: Measure, flow: ElectricityFlowDirection) {
        self.edges = edges
        self.measure = measure
        self.flow = flow
        buckets = Array(repeating: Bucket(), count: max(0, edges.count - 1))
    }

    /// Whether any of a stretch falls into the buckets.
    package func concerns(_ stretch: Stretch) -> Bool {
        guard let first = edges.first, let last = edges.last, stretch.flow == flow else { return false }
        if stretch.start == stretch.end { return stretch.start >= first && stretch.start < last }
        return max(stretch.start, first) < min(stretch.cut, last)
    }

    /// Adds a stretch.
    /// - Parameter timeline: the classes of the guidance that rates it.
    package mutating func add(_ stretch: Stretch, _ timeline: ClassTimeline) {
        guard concerns(stretch), let first = edges.first, let last = edges.last else { return }
        let timeline = stretch.isSilent ? .unknown : timeline
        if stretch.start == stretch.end { return addMoment(stretch, timeline) }
        var start = max(stretch.start, first)
        let end = min(stretch.cut, last)
        var index = bucket(at: start)
        while start < end {
            let stop = min(edges[index + 1], end)
            let energy = stretch.milliwattHours(before: stop) - stretch.milliwattHours(before: start)
            add(energy, running: stretch.isRunning ? stop - start : 0, to: index, from: start, to: stop, timeline)
            start = stop
            index += 1
        }
    }

    // Energy between two events of one moment belongs to that moment.
    private mutating func addMoment(_ stretch: Stretch, _ timeline: ClassTimeline) {
        let stop = Instant(microseconds: stretch.start.microseconds + 1)
        add(
            stretch.milliwattHours ?? 0, running: 0, to: bucket(at: stretch.start), from: stretch.start, to: stop,
            timeline)
    }

    private mutating func add(
        _ energy: Int64, running: Int64, to index: Int, from start: Instant, to end: Instant, _ timeline: ClassTimeline
    ) {
        buckets[index].energy.addSaturating(energy)
        buckets[index].runtime.addSaturating(running)
        let amount: Int64
        switch measure {
        case .energy: amount = energy * 1000
        case .runtime: amount = running
        }
        guard amount > 0 else { return }
        var given: Int64 = 0
        timeline.forEachPart(from: start, to: end) { part in
            let sum = share(of: amount, part: part.end - start, whole: end - start)
            buckets[index].cleanliness[part.cleanliness.rawValue].addSaturating(sum - given)
            buckets[index].tariff[part.tariff.rawValue].addSaturating(sum - given)
            given = sum
        }
    }

    private func bucket(at moment: Instant) -> Int {
        var (low, high) = (0, edges.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= moment { low = middle } else { high = middle }
        }
        return low
    }

    /// A bucket's milliwatt-hours or microseconds by cleanliness, in the order of `Cleanliness`; adds up to its total.
    package func cleanliness(_ index: Int) -> [Int64] { whole(buckets[index].cleanliness, of: buckets[index]) }

    /// A bucket's milliwatt-hours or microseconds by tariff class, in the order of `PeakClass`; adds up to its total.
    package func tariff(_ index: Int) -> [Int64] { whole(buckets[index].tariff, of: buckets[index]) }

    private func whole(_ parts: [Int64], of bucket: Bucket) -> [Int64] {
        switch measure {
        case .energy: Self.rounded(parts, to: bucket.energy)
        case .runtime: parts
        }
    }

    /// Thousandths as integers that add up to `total`, with the rest on the largest.
    static func rounded(_ thousandths: [Int64], to total: Int64) -> [Int64] {
        guard let largest = thousandths.indices.max(by: { thousandths[$0] < thousandths[$1] }) else { return [] }
        // Rounding up many small parts can take more than the largest has; then all are rounded down.
        for half: Int64 in [500, 0] {
            var parts = thousandths.map { $0 / 1000 + ($0 % 1000 + half) / 1000 }
            parts[largest] += total - parts.reduce(0, &+)
            if parts[largest] >= 0 { return parts }
        }
        return thousandths.map { $0 / 1000 }
    }
}
