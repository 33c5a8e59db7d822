package import Foundation

/// What a guidance is asked for.
package enum GuidanceAction: String, Sendable, Codable, CaseIterable {
    /// Move a load to the best time: time is rated against the other times to choose from.
    case shift
    /// Use less when it is bad: time is rated against the last seven days as well.
    case reduce
}

/// A composed guidance that has no token yet: rated values from the start of the current slot on, and all that they were made from.
package struct GuidanceDraft: Sendable, Equatable, Codable {
    /// One stretch of time with its rating and what is known of it.
    package struct Value: Sendable, Equatable, Codable {
        /// When it begins, inclusive.
        package let start: Date
        /// When it ends, exclusive.
        package let end: Date
        /// 0 best … 1 worst.
        package let rating: Double
        /// What a kWh costs, nil when unknown.
        package let pricePerKWh: Double?
        /// Grams of CO2 per kWh, nil when unknown.
        package let gramsCO2PerKWh: Double?
        /// The rating of the carbon part alone, nil when no carbon is known.
        package let carbonRating: Double?
        /// How clean it is, nil when no carbon is known.
        package let cleanliness: CleanlinessClass?
        /// The tariff's class, nil when none is known.
        package let tariffClass: TariffClass?
    }

    /// What a client may rely on.
    package enum Option: String, Sendable, Codable, CaseIterable {
        /// A rate plan or a price source is configured for the place.
        case locationHasRatePlan
        /// Price really took part in these ratings.
        case guidanceIncorporatesRatePlan
    }

    /// Where a signal came from.
    package struct Source: Sendable, Equatable, Codable {
        /// The source's name, such as `nord-pool` or `rate-plan`.
        package let name: String
        /// `price` or `carbon`.
        package let kind: String
        /// How old the data was when the guidance was composed, in seconds; nil for a plan, which does not age.
        package let ageSeconds: Double?
    }

    /// What was asked for.
    package let action: GuidanceAction
    /// When it was composed.
    package let composedAt: Date
    /// The values, ascending; a true gap is left out.
    package let values: [Value]
    /// What clients may rely on, sorted.
    package let options: [Option]
    /// Where the signals came from.
    package let sources: [Source]
    /// The currency of the prices, nil without any.
    package let currency: String?
    /// The weights the ratings were made with.
    package let weights: RatingWeights
    /// The thresholds the classes of cleanliness were made with.
    package let thresholds: CleanlinessThresholds

    /// From the first start to the last end, nil when there is no value.
    package var interval: Range<Date>? {
        guard let first = values.first, let last = values.last else { return nil }
        return first.start..<last.end
    }

    /// The value that holds at an instant, nil in a gap.
    ///
    /// Complexity: O(log n).
    package func value(at instant: Date) -> Value? {
        var low = 0
        var high = values.count
        while low < high {
            let middle = (low + high) / 2
            if values[middle].end <= instant { low = middle + 1 } else { high = middle }
        }
        return low < values.count && values[low].start <= instant ? values[low] : nil
    }
}

extension GuidanceDraft {
    /// Whether a new guidance must be issued in place of an older one.
    ///
    /// So it is when the hour has turned, an option changed, the horizon moved by an hour or more, a future rating moved by more than 0.05,
    /// time that both horizons span gained or lost its rating, or a future price moved by about a cent: all prices that rise alike
    /// move no rating, but what charging costs and whether it stays below a limit.
    package func isNoticeablyDifferent(from old: GuidanceDraft) -> Bool {
        if action != old.action || options != old.options { return true }
        if Self.hour(of: composedAt) != Self.hour(of: old.composedAt) { return true }
        guard let mine = interval, let theirs = old.interval else { return interval != old.interval }
        if abs(mine.upperBound.timeIntervalSince(theirs.upperBound)) >= 3600 { return true }
        let end = min(mine.upperBound, theirs.upperBound)
        guard composedAt < end else { return false }
        let cent = RatingFloors(currency: currency).pricePerKWh
        return joined([ratings, old.ratings, prices, old.prices], over: composedAt..<end).contains { slot in
            guard let rating = slot.values[0], let before = slot.values[1] else { return true }
            if abs(rating - before) > 0.05 { return true }
            guard let price = slot.values[2], let paid = slot.values[3] else { return slot.values[2] != slot.values[3] }
            return abs(price - paid) >= cent - 1e-9
        }
    }

    private var prices: EnergySeries {
        EnergySeries(
            kind: .price(currency: currency ?? "EUR"), source: "prices",
            ordered: values.compactMap { value in
                value.pricePerKWh.map { .init(start: value.start, end: value.end, value: $0) }
            })
    }

    private var ratings: EnergySeries {
        EnergySeries(
            kind: .carbon(.average), source: "ratings",
            ordered: values.map { .init(start: $0.start, end: $0.end, value: $0.rating) })
    }

    static func hour(of instant: Date) -> Double { (instant.timeIntervalSince1970 / 3600).rounded(.down) }
}
