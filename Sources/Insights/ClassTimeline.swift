import EnergyKit
import Foundation
package import Storage

/// How clean the grid is, as insights count it.
package enum Cleanliness: Int, Sendable, CaseIterable {
    case cleaner, lessClean, avoid, unknown
}

/// The classes of a rate plan, as insights count them.
package enum PeakClass: Int, Sendable, CaseIterable {
    case superOffPeak, offPeak, partialPeak, onPeak, criticalPeak, unknown

    /// The class of that name; `unknown` for none and for a name that is no class.
    package init(name: String?) {
        self = Self.allCases.first { $0 != .unknown && "\($0)" == name } ?? .unknown
    }
}

/// The classes that one guidance gives to times; a time that it says nothing about is unknown.
package struct ClassTimeline: Sendable, Equatable {
    /// A time with its classes, half-open.
    package struct Slot: Sendable, Equatable {
        package var start: Instant
        package var end: Instant
        package var cleanliness: Cleanliness
        package var tariff: PeakClass

        /// Makes a slot.
        package init(start: Instant, end: Instant, cleanliness: Cleanliness, tariff: PeakClass) {
            self.start = start
            self.end = end
            self.cleanliness = cleanliness
            self.tariff = tariff
        }
    }

    private let slots: [Slot]

    /// Makes a timeline of slots in any order; where two overlap, the one that begins first counts.
    package init(_ slots: [Slot]) {
        var kept: [Slot] = []
        for var slot in slots.sorted(by: { $0.start < $1.start }) {
            slot.start = max(slot.start, kept.last?.end ?? slot.start)
            if slot.start < slot.end { kept.append(slot) }
        }
        self.slots = kept
    }

    /// The classes as they were when the guidance was issued, by the thresholds kept with it.
    package init(_ record: StoredGuidance) {
        self.init(
            zip(record.guidance.values, record.details).map { value, detail in
                Slot(
                    start: Instant(value.interval.start), end: Instant(value.interval.end),
                    cleanliness: record.cleanliness(detail.carbonRating), tariff: PeakClass(name: detail.tariffClass))
            })
    }

    /// A timeline that knows nothing.
    package static let unknown = ClassTimeline([])

    /// Gives `body` the parts of a time one after the other, without a gap: known slots, and unknown between them.
    package func forEachPart(from start: Instant, to end: Instant, _ body: (Slot) -> Void) {
        var at = start
        for slot in slots[firstIndex(endingAfter: start)...] where at < end {
            if slot.start > at {
                let stop = min(slot.start, end)
                body(Slot(start: at, end: stop, cleanliness: .unknown, tariff: .unknown))
                at = stop
            }
            guard at < end else { return }
            let stop = min(slot.end, end)
            body(Slot(start: at, end: stop, cleanliness: slot.cleanliness, tariff: slot.tariff))
            at = stop
        }
        if at < end { body(Slot(start: at, end: end, cleanliness: .unknown, tariff: .unknown)) }
    }

    private func firstIndex(endingAfter moment: Instant) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].end > moment { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension StoredGuidance {
    fileprivate func cleanliness(_ carbonRating: Double?) -> Cleanliness {
        guard let carbonRating else { return .unknown }
        if carbonRating < cleanerBelow { return .cleaner }
        return carbonRating > avoidAbove ? .avoid : .lessClean
    }
}
