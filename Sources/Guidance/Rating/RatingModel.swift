package import Foundation

/// Rates time from 0 (best) to 1 (worst) by price and carbon.
///
/// Each signal's value is placed in the signal's usual range over a reference time (`SignalScale`), and the marks are averaged with
/// weight × contrast, so that a flat tariff does not dilute the carbon signal. Where nothing varies all time rates 0.5.
/// Pure: the same values give the same ratings, in whatever slots they come.
package struct RatingModel: Sendable {
    /// How much each signal counts.
    package var weights: RatingWeights
    /// The least differences that count.
    package var floors: RatingFloors

    /// Makes a model.
    package init(weights: RatingWeights = RatingWeights(), floors: RatingFloors = RatingFloors()) {
        self.weights = weights
        self.floors = floors
    }

    /// One stretch of time with its rating.
    package struct RatedSlot: Sendable, Equatable {
        /// When it begins, inclusive.
        package let start: Date
        /// When it ends, exclusive.
        package let end: Date
        /// 0 best … 1 worst.
        package let rating: Double
        /// The price per kWh, nil when unknown.
        package let price: Double?
        /// Grams of CO2 per kWh, nil when unknown.
        package let carbon: Double?
    }

    /// The ratings of an interval, and what they were measured against.
    package struct Rating: Sendable, Equatable {
        /// The rated stretches, on the union of the signals' edges; time without any signal has none.
        package let slots: [RatedSlot]
        /// The price's scale, nil when no price is known.
        package let priceScale: SignalScale?
        /// The carbon intensity's scale, nil when none is known.
        package let carbonScale: SignalScale?
        /// Whether the price moved these ratings: it has weight and varies.
        package let usesPrice: Bool
        /// Whether the carbon intensity moved these ratings.
        package let usesCarbon: Bool
    }

    /// Rates every stretch of an interval in which a signal is known.
    ///
    /// Complexity: O(n log n) in the number of slots.
    /// - Parameters:
    ///   - price: price per kWh.
    ///   - carbon: grams of CO2 per kWh.
    ///   - horizon: the interval to rate.
    ///   - priceHistory: earlier prices to judge against as well; only what lies before the horizon counts.
    ///   - carbonHistory: earlier carbon intensities to judge against as well.
    package func rate(
        price: EnergySeries?, carbon: EnergySeries?, over horizon: Range<Date>,
        priceHistory: EnergySeries? = nil, carbonHistory: EnergySeries? = nil
    ) -> Rating {
        let priceScale = scale(of: price, over: horizon, history: priceHistory, floor: floors.pricePerKWh)
        let carbonScale = scale(of: carbon, over: horizon, history: carbonHistory, floor: floors.gramsCO2PerKWh)
        let priceShare = weights.price * (priceScale?.contrast ?? 0)
        let carbonShare = weights.carbon * (carbonScale?.contrast ?? 0)
        let share = priceShare + carbonShare
        let slots = paired(price, carbon, over: horizon).map { slot in
            let priceMark = mark(slot.first, on: priceScale)
            let carbonMark = mark(slot.second, on: carbonScale)
            let rating = share > 0 ? (priceShare * priceMark + carbonShare * carbonMark) / share : 0.5
            return RatedSlot(
                start: slot.start, end: slot.end, rating: min(1, max(0, rating)), price: slot.first,
                carbon: slot.second)
        }
        return Rating(
            slots: slots, priceScale: priceScale, carbonScale: carbonScale, usesPrice: priceShare > 0,
            usesCarbon: carbonShare > 0)
    }

    /// A side that is missing is neutral, not good.
    private func mark(_ value: Double?, on scale: SignalScale?) -> Double {
        guard let value, let scale else { return 0.5 }
        return scale.mark(value)
    }

    private func scale(
        of series: EnergySeries?, over horizon: Range<Date>, history: EnergySeries?, floor: Double
    ) -> SignalScale? {
        let past = Date.distantPast..<horizon.lowerBound
        let reference = (history?.clippedSlots(to: past) ?? []) + (series?.clippedSlots(to: horizon) ?? [])
        return SignalScale(of: reference.map { ($0.value, $0.seconds) }, absoluteFloor: floor)
    }
}
