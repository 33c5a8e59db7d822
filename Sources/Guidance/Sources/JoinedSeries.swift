package import Foundation

/// Several sources for one side, in order of preference: for each time the first that knows it.
///
/// Figures of different currencies, or of average and marginal carbon, are never mixed: the first source with figures for the coming time
/// decides the kind, and only others of that kind fill its gaps.
package struct PreferredSeries: SeriesProvider {
    /// One source, with what turns its prices into what is paid.
    package struct Choice: Sendable {
        let provider: any SeriesProvider
        let composition: PriceComposition

        /// Makes a choice; a composition that changes nothing for all but prices.
        package init(_ provider: any SeriesProvider, composition: PriceComposition = PriceComposition()) {
            self.provider = provider
            self.composition = composition
        }
    }

    private let choices: [Choice]

    /// Makes one of sources, the most wanted first.
    package init(_ choices: [Choice]) { self.choices = choices }

    /// The names, the most wanted first.
    package var name: String { choices.map(\.provider.name).joined(separator: ", ") }
    package var sourceNames: [String] { choices.flatMap(\.provider.sourceNames) }

    package func delivery(covering range: Range<Date>) async -> Delivery {
        var deliveries: [Delivery] = []
        for choice in choices {
            var delivery = await choice.provider.delivery(covering: range)
            delivery.series = delivery.series.map { choice.composition.applied(to: $0) }
            deliveries.append(delivery)
        }
        return Self.joined(deliveries, coming: range)
    }

    /// One delivery of several, the most wanted first.
    static func joined(_ deliveries: [Delivery], coming range: Range<Date>) -> Delivery {
        var result = Delivery()
        for delivery in deliveries { result.faults.merge(delivery.faults) { first, _ in first } }
        let usable = deliveries.filter { $0.series?.slots.isEmpty == false }
        // Ranges end this far ahead of the present.
        let ahead = range.upperBound.addingTimeInterval(-KeptSeries.aheadSeconds)
        let leading = usable.first { ($0.series?.end ?? .distantPast) > ahead } ?? usable.first
        guard let kind = leading?.series?.kind else { return result }
        var names: [String] = []
        for delivery in usable.reversed() {
            guard let series = delivery.series, series.kind == kind else { continue }
            let before = result.series
            result.series = before?.merged(with: series) ?? series
            // A source that is covered whole by a more wanted one takes no part.
            if result.series?.slots == series.slots { names = [] }
            names.insert(series.source, at: 0)
            result.fetchedAt = delivery.fetchedAt ?? result.fetchedAt
            result.staleSince = delivery.staleSince
        }
        result.series = result.series.map {
            EnergySeries(kind: $0.kind, source: names.joined(separator: ", "), ordered: $0.slots)
        }
        return result
    }
}

/// The sum of several solar forecasts, such as of two roofs; unknown where one of them is.
package struct SummedSeries: SeriesProvider {
    private let parts: [any SeriesProvider]

    /// Makes one of several.
    package init(_ parts: [any SeriesProvider]) { self.parts = parts }

    /// The names of the parts.
    package var name: String { parts.map(\.name).joined(separator: " + ") }
    package var sourceNames: [String] { parts.flatMap(\.sourceNames) }

    package func delivery(covering range: Range<Date>) async -> Delivery {
        var result = Delivery()
        var all: [EnergySeries?] = []
        for part in parts {
            let delivery = await part.delivery(covering: range)
            all.append(delivery.series)
            result.faults.merge(delivery.faults) { first, _ in first }
            result.fetchedAt = [result.fetchedAt, delivery.fetchedAt].compactMap(\.self).min()
            result.staleSince = [result.staleSince, delivery.staleSince].compactMap(\.self).min()
        }
        guard !all.contains(where: { $0 == nil }) else { return result }
        let slots = joinedSlots(all, over: range)
        result.series = EnergySeries(kind: .solar, source: name, ordered: slots)
        return result
    }

    private func joinedSlots(_ all: [EnergySeries?], over range: Range<Date>) -> [EnergySeries.Slot] {
        joined(all, over: range).compactMap { slot in
            let known = slot.values.compactMap(\.self)
            guard known.count == slot.values.count else { return nil }
            return EnergySeries.Slot(start: slot.start, end: slot.end, value: known.reduce(0, +))
        }
    }
}
