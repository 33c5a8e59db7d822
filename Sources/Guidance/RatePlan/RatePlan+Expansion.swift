package import Foundation

/// A rate plan laid out over time.
package struct RatePlanExpansion: Sendable, Equatable {
    /// A stretch with one price.
    package struct Slot: Sendable, Equatable {
        /// From when to when, half-open.
        package let range: Range<Date>
        /// What is paid per kWh, taxes and fees included (without the spot part when the plan adds to one).
        package let price: Double
        /// Its class, nil when not known.
        package let tariffClass: TariffClass?
        /// The period's place in the plan, nil for the flat price.
        package let period: Int?
    }

    /// The stretches, ascending; time that the plan has no price for is left out.
    package let slots: [Slot]

    /// The class at an instant.
    ///
    /// Complexity: O(log n).
    package func tariffClass(at instant: Date) -> TariffClass? {
        var low = 0
        var high = slots.count
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].range.upperBound <= instant { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].range.contains(instant) ? slots[low].tariffClass : nil
    }

    /// The prices as a series.
    package func series(currency: String) -> EnergySeries {
        EnergySeries(
            kind: .price(currency: currency), source: "rate-plan",
            ordered: slots.map { .init(start: $0.range.lowerBound, end: $0.range.upperBound, value: $0.price) })
    }
}

extension RatePlan {
    /// Lays the plan out over an interval by the wall clock of a zone.
    ///
    /// Walks stretches of one offset and, inside, local days: an hour that comes twice is priced twice, one that is skipped not at all (G-1),
    /// and the process's own zone plays no part (G-2).
    /// - Parameters:
    ///   - range: the interval.
    ///   - zone: the venue's zone.
    ///   - monthToDateKWh: the energy used this month, for tiers.
    package func expanded(
        over range: Range<Date>, in zone: TimeZone, monthToDateKWh: Double? = nil
    ) -> RatePlanExpansion {
        var layout = DayLayouts(plan: self, monthToDateKWh: monthToDateKWh)
        var slots: [RatePlanExpansion.Slot] = []
        for stretch in LocalClock(zone: zone).stretches(in: range) {
            let offset = Double(stretch.offsetSeconds)
            let local = (stretch.range.lowerBound.timeIntervalSince1970 + offset) / 86_400
            var day = Int(local.rounded(.down))
            while Double(day) * 86_400 - offset < stretch.range.upperBound.timeIntervalSince1970 {
                for piece in layout.pieces(on: CivilDay(daysSince1970: day)) {
                    let midnight = Double(day) * 86_400 - offset
                    let start = Date(timeIntervalSince1970: midnight + Double(piece.minutes.lowerBound) * 60)
                    let end = Date(timeIntervalSince1970: midnight + Double(piece.minutes.upperBound) * 60)
                    append(
                        piece, from: max(start, stretch.range.lowerBound), to: min(end, stretch.range.upperBound),
                        &slots)
                }
                day += 1
            }
        }
        return RatePlanExpansion(slots: slots)
    }

    private func append(
        _ piece: DayLayouts.Piece, from start: Date, to end: Date, _ slots: inout [RatePlanExpansion.Slot]
    ) {
        guard start < end else { return }
        var begin = start
        if let last = slots.last, last.range.upperBound == start, last.period == piece.period {
            slots.removeLast()
            begin = last.range.lowerBound
        }
        let price = addsToSpot ? piece.price : composition.price(spot: piece.price)
        slots.append(.init(range: begin..<end, price: price, tariffClass: piece.tariffClass, period: piece.period))
    }
}

/// Which period holds at which minutes of a local day; days of one month and weekday are laid out once.
private struct DayLayouts {
    struct Piece {
        let minutes: Range<Int>
        let price: Double
        let tariffClass: TariffClass?
        let period: Int?
    }

    private let plan: RatePlan
    private let monthToDateKWh: Double?
    private let classes: [TariffClass?]
    private let flatClass: TariffClass?
    private let holidays: Set<String>
    private var known: [Int: [Piece]] = [:]

    init(plan: RatePlan, monthToDateKWh: Double?) {
        self.plan = plan
        self.monthToDateKWh = monthToDateKWh
        classes = plan.periodClasses
        flatClass = plan.flatClass
        holidays = Set(plan.holidays)
    }

    mutating func pieces(on day: CivilDay) -> [Piece] {
        let weekday = isHoliday(day) ? 7 : day.weekday
        let key = day.month * 8 + weekday
        if let pieces = known[key] { return pieces }
        let pieces = plan.edges(month: day.month, weekday: weekday).compactMap { minutes in
            piece(minutes, month: day.month, weekday: weekday)
        }
        known[key] = pieces
        return pieces
    }

    private func piece(_ minutes: Range<Int>, month: Int, weekday: Int) -> Piece? {
        if let index = plan.period(month: month, weekday: weekday, minute: minutes.lowerBound) {
            let price = plan.periods[index].price(monthToDateKWh: monthToDateKWh)
            return price.map { Piece(minutes: minutes, price: $0, tariffClass: classes[index], period: index) }
        }
        return plan.flat.map { Piece(minutes: minutes, price: $0, tariffClass: flatClass, period: nil) }
    }

    private func isHoliday(_ day: CivilDay) -> Bool {
        guard !holidays.isEmpty else { return false }
        let text = String(InstantText.text(Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400)).prefix(10))
        return holidays.contains(text) || holidays.contains(String(text.suffix(5)))
    }
}

extension RatePlan {
    /// The stretches of a day, in minutes since local midnight, between which a period may begin or end.
    func edges(month: Int, weekday: Int) -> [Range<Int>] {
        var edges: Set<Int> = [0, 1440]
        for period in periods where period.holds(month: month, weekday: weekday) {
            for piece in (period.hours ?? []).flatMap(\.pieces) {
                edges.formUnion([piece.lowerBound, piece.upperBound])
            }
        }
        let sorted = edges.sorted()
        return zip(sorted, sorted.dropFirst()).map { $0..<$1 }
    }

    /// The first period that holds at a time.
    func period(month: Int, weekday: Int, minute: Int) -> Int? {
        periods.firstIndex { period in
            guard period.holds(month: month, weekday: weekday) else { return false }
            guard let hours = period.hours else { return true }
            return hours.contains { $0.pieces.contains { $0.contains(minute) } }
        }
    }
}

extension RatePlan.Period {
    fileprivate func holds(month: Int, weekday: Int) -> Bool {
        months?.contains(month) ?? true && weekdays?.contains(weekday) ?? true
    }
}
