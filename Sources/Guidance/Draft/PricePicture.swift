import Foundation

/// What a kWh costs over time, and in which class, from a dynamic price, a rate plan, or both.
struct PricePicture {
    /// What is paid per kWh; nil when nothing is known.
    let series: EnergySeries?
    private let plan: RatePlanExpansion?
    private let dynamic: DynamicTariffClasses?

    /// - Parameters:
    ///   - inputs: what is known.
    ///   - range: the time to look at.
    ///   - hour: classes are of interest from here on.
    init(_ inputs: GuidanceInputs, over range: Range<Date>, classesFrom hour: Date) {
        let ratePlan = inputs.ratePlan
        let expansion = ratePlan.flatMap { plan in
            plan.hasPrices
                ? plan.expanded(over: range, in: inputs.timeZone, monthToDateKWh: inputs.monthToDateKWh) : nil
        }
        let composition = ratePlan?.composition ?? PriceComposition()
        let currency = ratePlan?.currency ?? inputs.currency
        if let spot = inputs.price?.series {
            let days = range.lowerBound.addingTimeInterval(-86_400)..<range.upperBound.addingTimeInterval(86_400)
            var bare = spot.clipped(to: days)
            if let expansion, ratePlan?.addsToSpot == true {
                bare = Self.sum(bare, expansion.series(currency: currency), over: range)
            }
            let paid = composition.applied(to: bare)
            series = paid
            plan = nil
            dynamic = DynamicTariffClasses(prices: paid, timeZone: inputs.timeZone, from: hour)
        } else {
            // A plan that only adds to a dynamic price says nothing while there is none.
            let known = ratePlan?.addsToSpot == true || inputs.hasPriceSource ? nil : expansion
            series = known?.series(currency: currency)
            plan = known
            dynamic = nil
        }
    }

    func tariffClass(at instant: Date) -> TariffClass? {
        plan?.tariffClass(at: instant) ?? dynamic?.tariffClass(at: instant)
    }

    /// Where the class may change without the price changing.
    func classEdges(in range: Range<Date>) -> [Date] { dynamic?.dayEdges(in: range) ?? [] }

    /// Spot and plan together, where both are known.
    private static func sum(_ spot: EnergySeries, _ plan: EnergySeries, over range: Range<Date>) -> EnergySeries {
        let slots = paired(spot, plan, over: range).compactMap { slot -> EnergySeries.Slot? in
            guard let first = slot.first, let second = slot.second else { return nil }
            return EnergySeries.Slot(start: slot.start, end: slot.end, value: first + second)
        }
        return EnergySeries(kind: spot.kind, source: spot.source, ordered: slots)
    }
}
