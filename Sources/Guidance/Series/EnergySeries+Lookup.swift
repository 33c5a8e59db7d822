package import Foundation

extension EnergySeries {
    /// The slot that holds at an instant, nil in a gap.
    ///
    /// Complexity: O(log n).
    package func slot(at instant: Date) -> Slot? {
        let next = firstIndex(startingAfter: instant)
        guard next > 0, instant < slots[next - 1].end else { return nil }
        return slots[next - 1]
    }

    /// The value that holds at an instant, nil in a gap.
    ///
    /// Complexity: O(log n).
    package func value(at instant: Date) -> Double? { slot(at: instant)?.value }

    /// The part inside an interval; slots across its edges are cut.
    package func clipped(to range: Range<Date>) -> EnergySeries {
        EnergySeries(kind: kind, source: source, ordered: clippedSlots(to: range))
    }

    func clippedSlots(to range: Range<Date>) -> [Slot] {
        guard !range.isEmpty else { return [] }
        var index = firstIndex(startingAfter: range.lowerBound)
        if index > 0, slots[index - 1].end > range.lowerBound { index -= 1 }
        var inside: [Slot] = []
        inside.reserveCapacity(firstIndex(startingAfter: range.upperBound) - index)
        while index < slots.count, slots[index].start < range.upperBound {
            let slot = slots[index]
            inside.append(
                Slot(start: max(slot.start, range.lowerBound), end: min(slot.end, range.upperBound), value: slot.value))
            index += 1
        }
        return inside
    }

    /// The intervals without a gap that the series covers.
    package var coverage: [Range<Date>] {
        var covered: [Range<Date>] = []
        for slot in slots {
            if let last = covered.last, last.upperBound == slot.start {
                covered[covered.count - 1] = last.lowerBound..<slot.end
            } else {
                covered.append(slot.start..<slot.end)
            }
        }
        return covered
    }

    /// The parts of an interval that the series says nothing about.
    package func gaps(in range: Range<Date>) -> [Range<Date>] {
        var missing: [Range<Date>] = []
        var position = range.lowerBound
        for covered in clipped(to: range).coverage {
            if covered.lowerBound > position { missing.append(position..<covered.lowerBound) }
            position = covered.upperBound
        }
        if position < range.upperBound { missing.append(position..<range.upperBound) }
        return missing
    }

    /// The duration-weighted mean over what is covered of an interval, nil when nothing is.
    package func mean(over range: Range<Date>) -> Double? {
        let inside = clippedSlots(to: range)
        let seconds = inside.reduce(0) { $0 + $1.seconds }
        guard seconds > 0 else { return nil }
        return inside.reduce(0) { $0 + $1.value * $1.seconds } / seconds
    }

    /// Where what is known inside an interval ends, nil when nothing is.
    ///
    /// Complexity: O(log n).
    func lastEnd(in range: Range<Date>) -> Date? {
        var index = firstIndex(startingAfter: range.upperBound)
        while index > 0, slots[index - 1].start >= range.upperBound { index -= 1 }
        guard index > 0, slots[index - 1].end > range.lowerBound else { return nil }
        return min(slots[index - 1].end, range.upperBound)
    }

    /// When the first slot after an instant starts, nil where there is none.
    func firstStart(after instant: Date) -> Date? {
        let index = firstIndex(startingAfter: instant)
        return index < slots.count ? slots[index].start : nil
    }

    /// The index of the first slot that starts after an instant.
    ///
    /// Complexity: O(log n).
    func firstIndex(startingAfter instant: Date) -> Int {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].start <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
