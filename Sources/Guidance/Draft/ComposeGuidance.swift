import Foundation

/// Composes a guidance: rated values from the start of the current slot to the end of what is known, at most the horizon's limit.
///
/// The first value begins with the slot that holds now, but no earlier than the hour: a slot may be as long as a day. When nothing is known
/// for now, the later values are served all the same (G-3). Pure: no clock, no state.
package func composeGuidance(_ inputs: GuidanceInputs) -> GuidanceDraft {
    let hour = Date(timeIntervalSince1970: GuidanceDraft.hour(of: inputs.now) * 3600)
    // The classes of a day are told from all of it, and the day that holds now began up to 25 hours ago.
    let dayBack = 26 * 3600.0
    var picture = pricePicture(
        of: inputs, from: hour, back: inputs.action == .reduce ? GuidanceInputs.historySeconds : dayBack)
    let carbon = inputs.carbon?.series
    guard let horizon = knownHorizon(of: [picture.series, carbon], from: hour, inputs) else {
        return draft(inputs, values: [], rating: nil, picture: picture)
    }
    let isShort = horizon.upperBound.timeIntervalSince(horizon.lowerBound) < GuidanceInputs.shortHorizonSeconds
    let history = horizon.lowerBound.addingTimeInterval(-GuidanceInputs.historySeconds)..<horizon.lowerBound
    let looksBack = inputs.action == .reduce || isShort
    if looksBack && inputs.action != .reduce {
        picture = pricePicture(of: inputs, from: hour, back: GuidanceInputs.historySeconds)
    }
    let priceHistory = looksBack ? picture.series?.clipped(to: history) : nil
    let carbonHistory = looksBack ? carbon?.clipped(to: history) : nil
    let model = RatingModel(weights: inputs.weights, floors: RatingFloors(currency: picture.series?.currency))
    let rating = model.rate(
        price: picture.series, carbon: carbon, over: horizon, priceHistory: priceHistory, carbonHistory: carbonHistory)
    let clean = CarbonRating(scale: rating.carbonScale)
    var values: [GuidanceDraft.Value] = []
    values.reserveCapacity(rating.slots.count)
    for slot in rating.slots {
        let carbonRating = clean.rating(slot.carbon)
        append(slot, carbonRating: carbonRating, to: &values, picture, inputs.thresholds)
    }
    return draft(inputs, values: mergingEqualNeighbours(values), rating: rating, picture: picture)
}

private func pricePicture(of inputs: GuidanceInputs, from hour: Date, back seconds: Double) -> PricePicture {
    let range = hour.addingTimeInterval(-seconds)..<hour.addingTimeInterval(inputs.horizonSeconds + 3600)
    return PricePicture(inputs, over: range, classesFrom: hour)
}

/// The rating of the carbon part alone.
private struct CarbonRating {
    let scale: SignalScale?

    func rating(_ carbon: Double?) -> Double? {
        guard let carbon, let scale else { return nil }
        return scale.contrast > 0 ? scale.mark(carbon) : 0.5
    }
}

private func knownHorizon(
    of series: [EnergySeries?], from hour: Date, _ inputs: GuidanceInputs
) -> Range<Date>? {
    let limit = hour.addingTimeInterval(inputs.horizonSeconds + 3600)
    // Mostly the coming hour is known, and the rest need not be laid side by side for that.
    let soon = min(limit, inputs.now.addingTimeInterval(3600))
    let pieces = { (range: Range<Date>) in joined(series, over: range).first { $0.end > inputs.now } }
    guard let first = pieces(hour..<soon) ?? pieces(hour..<limit) else { return nil }
    let ends = series.compactMap { $0?.lastEnd(in: hour..<limit) }
    let end = min(ends.max() ?? first.end, first.start.addingTimeInterval(inputs.horizonSeconds))
    return first.start..<end
}

/// A rated slot as values, cut where the tariff's class changes inside it.
private func append(
    _ slot: RatingModel.RatedSlot, carbonRating: Double?, to values: inout [GuidanceDraft.Value],
    _ picture: PricePicture, _ thresholds: CleanlinessThresholds
) {
    let cleanliness = thresholds.cleanliness(ofCarbonRating: carbonRating)
    var start = slot.start
    func append(to end: Date) {
        values.append(
            GuidanceDraft.Value(
                start: start, end: end, rating: slot.rating, pricePerKWh: slot.price, gramsCO2PerKWh: slot.carbon,
                carbonRating: carbonRating, cleanliness: cleanliness,
                tariffClass: slot.price == nil ? nil : picture.tariffClass(at: start)))
        start = end
    }
    for edge in picture.classEdges(in: slot.start..<slot.end) { append(to: edge) }
    append(to: slot.end)
}

private func mergingEqualNeighbours(_ values: [GuidanceDraft.Value]) -> [GuidanceDraft.Value] {
    values.reduce(into: []) { merged, value in
        guard let last = merged.last, last.end == value.start, last.holdsSame(as: value) else {
            merged.append(value)
            return
        }
        merged[merged.count - 1] = last.extended(to: value.end)
    }
}

extension GuidanceDraft.Value {
    fileprivate func holdsSame(as other: Self) -> Bool { extended(to: other.end) == other.starting(at: start) }

    fileprivate func extended(to end: Date) -> Self { spanning(start, end) }

    private func starting(at start: Date) -> Self { spanning(start, end) }

    private func spanning(_ start: Date, _ end: Date) -> Self {
        Self(
            start: start, end: end, rating: rating, pricePerKWh: pricePerKWh, gramsCO2PerKWh: gramsCO2PerKWh,
            carbonRating: carbonRating, cleanliness: cleanliness, tariffClass: tariffClass)
    }
}

private func draft(
    _ inputs: GuidanceInputs, values: [GuidanceDraft.Value], rating: RatingModel.Rating?, picture: PricePicture
) -> GuidanceDraft {
    var options: [GuidanceDraft.Option] = []
    if inputs.hasPriceSource || inputs.price != nil || inputs.ratePlan?.hasPrices == true {
        options.append(.locationHasRatePlan)
    }
    if rating?.usesPrice == true, values.contains(where: { $0.pricePerKWh != nil }) {
        options.append(.guidanceIncorporatesRatePlan)
    }
    let age = { (signal: GuidanceInputs.Signal?) in
        signal?.fetchedAt.map { max(0, inputs.now.timeIntervalSince($0)) }
    }
    let price = picture.series.map { series in
        GuidanceDraft.Source(name: series.source, kind: "price", ageSeconds: age(inputs.price))
    }
    let carbon = inputs.carbon.map { signal in
        GuidanceDraft.Source(name: signal.series.source, kind: "carbon", ageSeconds: age(signal))
    }
    return GuidanceDraft(
        action: inputs.action, composedAt: inputs.now, values: values, options: options,
        sources: [price, carbon].compactMap(\.self), currency: picture.series?.currency, weights: inputs.weights,
        thresholds: inputs.thresholds)
}
