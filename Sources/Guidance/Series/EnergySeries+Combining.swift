package import Foundation

extension EnergySeries {
    /// This series and a later one over each other: the later one wins where it has a value, this one fills its gaps.
    ///
    /// Complexity: O(n + m). The result has the later one's source.
    package func merged(with later: EnergySeries) -> EnergySeries {
        var result: [Slot] = []
        result.reserveCapacity(slots.count + later.slots.count)
        var index = 0
        for slot in slots {
            var position = slot.start
            while index < later.slots.count, later.slots[index].end <= slot.start {
                result.append(later.slots[index])
                index += 1
            }
            var ahead = index
            while ahead < later.slots.count, later.slots[ahead].start < slot.end {
                let newer = later.slots[ahead]
                if newer.start > position { result.append(Slot(start: position, end: newer.start, value: slot.value)) }
                position = newer.end
                // One that reaches beyond this slot is needed again for the next.
                guard newer.end <= slot.end else { break }
                result.append(newer)
                ahead += 1
            }
            index = ahead
            if position < slot.end { result.append(Slot(start: position, end: slot.end, value: slot.value)) }
        }
        result.append(contentsOf: later.slots[index...])
        return EnergySeries(kind: later.kind, source: later.source, ordered: result)
    }

    /// The series in slots of a fixed step, aligned to UTC multiples of it, with duration-weighted means.
    ///
    /// What is not covered stays so: where a gap cuts a step, the slots there are shorter, and the mean over any covered
    /// interval that falls on steps is kept.
    /// - Parameter minutes: 60, 30, 15, 5 or any other number of minutes above 0.
    package func resampled(toMinutes minutes: Int) -> EnergySeries {
        let step = Double(max(1, minutes)) * 60
        var result: [Slot] = []
        for covered in coverage {
            let inside = clippedSlots(to: covered)
            var index = 0
            var start = covered.lowerBound
            while start < covered.upperBound {
                let line = (start.timeIntervalSince1970 / step).rounded(.down) * step + step
                let end = min(Date(timeIntervalSince1970: line), covered.upperBound)
                var sum = 0.0
                while inside[index].end < end {
                    sum += inside[index].value * inside[index].end.timeIntervalSince(max(start, inside[index].start))
                    index += 1
                }
                sum += inside[index].value * end.timeIntervalSince(max(start, inside[index].start))
                let isWhole = inside[index].start <= start
                let value = isWhole ? inside[index].value : sum / end.timeIntervalSince(start)
                result.append(Slot(start: start, end: end, value: value))
                if inside[index].end == end { index += 1 }
                start = end
            }
        }
        return EnergySeries(kind: kind, source: source, ordered: result)
    }
}

/// A stretch of time in which none of several series changes.
package struct JoinedSlot: Sendable, Equatable {
    /// When it begins, inclusive.
    package let start: Date
    /// When it ends, exclusive.
    package let end: Date
    /// The value of each series in the order given, nil in its gaps.
    package let values: [Double?]
}

/// Lays several series side by side on the union of their edges, by time and never by index (G-16).
///
/// Stretches in which no series has a value are left out.
///
/// Complexity: O(n log n) in the sum of the slots.
/// - Parameter range: the interval to cut to.
package func joined(_ series: [EnergySeries?], over range: Range<Date>) -> [JoinedSlot] {
    let lists = series.map { $0?.clippedSlots(to: range) ?? [] }
    var edges: [Date] = []
    edges.reserveCapacity(lists.reduce(0) { $0 + 2 * $1.count })
    for list in lists {
        for slot in list {
            if edges.last != slot.start { edges.append(slot.start) }
            edges.append(slot.end)
        }
    }
    edges.sort()
    var positions = Array(repeating: 0, count: lists.count)
    var result: [JoinedSlot] = []
    for (start, end) in zip(edges, edges.dropFirst()) where start < end {
        var values: [Double?] = []
        values.reserveCapacity(lists.count)
        for (which, list) in lists.enumerated() {
            while positions[which] < list.count, list[positions[which]].end <= start { positions[which] += 1 }
            let isInside = positions[which] < list.count && list[positions[which]].start <= start
            values.append(isInside ? list[positions[which]].value : nil)
        }
        if values.contains(where: { $0 != nil }) { result.append(JoinedSlot(start: start, end: end, values: values)) }
    }
    return result
}

/// A stretch of time in which neither of two series changes.
struct PairedSlot {
    let start: Date
    let end: Date
    let first: Double?
    let second: Double?
}

/// Lays two series side by side as `joined` does, without an array for each stretch.
///
/// Complexity: O(n).
func paired(_ first: EnergySeries?, _ second: EnergySeries?, over range: Range<Date>) -> [PairedSlot] {
    var one = SlotWalk(first?.clippedSlots(to: range) ?? [])
    var two = SlotWalk(second?.clippedSlots(to: range) ?? [])
    var result: [PairedSlot] = []
    result.reserveCapacity(max(one.slots.count, two.slots.count))
    var start = range.lowerBound
    while let end = earlier(one.nextEdge(after: start), two.nextEdge(after: start)) {
        let slot = PairedSlot(start: start, end: end, first: one.value(at: start), second: two.value(at: start))
        if slot.first != nil || slot.second != nil { result.append(slot) }
        start = end
    }
    return result
}

private func earlier(_ first: Date?, _ second: Date?) -> Date? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}

/// Goes through slots in the order of time.
private struct SlotWalk {
    let slots: [EnergySeries.Slot]
    private var index = 0

    init(_ slots: [EnergySeries.Slot]) {
        self.slots = slots
    }

    /// Where the value changes next after an instant; instants come in order.
    mutating func nextEdge(after instant: Date) -> Date? {
        while index < slots.count, slots[index].end <= instant { index += 1 }
        guard index < slots.count else { return nil }
        return slots[index].start > instant ? slots[index].start : slots[index].end
    }

    /// The value at the instant whose next edge was asked for last.
    func value(at instant: Date) -> Double? {
        index < slots.count && slots[index].start <= instant ? slots[index].value : nil
    }
}
