import Control
import Feeds
import Foundation
import Guidance
import HubKit
import Storage

/// Puts the sources of guidance together, each once, however many homes name it.
struct GuidanceSetup {
    let configuration: HubConfiguration
    let options: HubOptions
    let store: HubStore
    let topics: (any TopicFeed)?

    /// The homes with what their guidance is made from, and every source.
    /// - Throws: `HubError` when the way to providers can't be made.
    func make(_ venues: VenueRegistry) throws(HubError) -> (venues: [VenueGuidance], sources: [any WatchedSource]) {
        var sources: [String: any WatchedSource] = [:]
        var order: [any WatchedSource] = []
        let needsWeb = configuration.sources.contains { $0.spec != nil }
        let web = try needsWeb ? WebTransport(version: Version.number) : nil
        for configured in configuration.sources {
            guard let source = watched(configured, web) else { continue }
            sources[configured.name] = source
            order.append(source)
        }
        var all: [VenueGuidance] = []
        for (configured, venue) in zip(configuration.venues, venues.all) {
            let files = (
                price: plainFile(configured.priceFile, .price, configured),
                carbon: plainFile(configured.carbonFile, .carbon, configured)
            )
            for file in [files.price, files.carbon].compactMap(\.self) { order.append(file) }
            let price: (any SeriesProvider)? = files.price ?? preferred(configured.choices.price, sources)
            let carbon: (any SeriesProvider)? = files.carbon ?? preferred(configured.choices.carbon, sources)
            all.append(
                VenueGuidance(
                    venue: venue, price: options.price ?? price,
                    composition: configured.priceComposition,
                    carbon: options.carbon ?? carbon,
                    solar: summed(configured.choices.solar, sources), ratePlan: configured.ratePlan,
                    weights: configured.weights))
        }
        return (all, order)
    }

    /// What the sun leaves beyond the house's own use, for homes with a solar forecast that say what they use.
    func surplus(_ venues: VenueRegistry, from guidance: GuidanceService) -> @Sendable (UUID) async -> ExpectedSurplus?
    {
        let homes = zip(venues.all, configuration.venues).compactMap { venue, configured in
            configured.baseLoadWatts.map { (venue.id, ($0, configured.ratePlan?.feedInPerKWh ?? 0)) }
        }
        let known = Dictionary(homes) { first, _ in first }
        return { venue in
            guard let (baseLoad, feedIn) = known[venue], let forecast = await guidance.solarForecast(at: venue) else {
                return nil
            }
            return ExpectedSurplus(
                forecast: forecast.slots.map { ($0.start, $0.end, $0.value) }, baseLoadWatts: baseLoad,
                feedInPerKWh: feedIn)
        }
    }

    private func watched(_ source: SourceConfiguration, _ web: WebTransport?) -> (any WatchedSource)? {
        switch source.way {
        case .provider:
            guard let spec = source.spec, let web else { return nil }
            return SeriesSource(
                spec, currency: currency(of: source), transport: web, store: store, clock: options.clock,
                log: options.log)
        case .file(let url, let decoder):
            return FileSeries(
                url, name: source.name, decoder: decoder, settings: source.settings, currency: currency(of: source),
                store: store, clock: options.clock, log: options.log)
        case .topic(let topic, let decoder):
            guard let topics else { return nil }
            return TopicSeries(
                topic, name: source.name, decoder: decoder, settings: source.settings, currency: currency(of: source),
                feed: topics, store: store, clock: options.clock, log: options.log)
        }
    }

    /// The currency of the homes that take a source's prices; nil where they have several, and each judges for itself.
    private func currency(of source: SourceConfiguration) -> String? {
        let homes = configuration.venues.filter { $0.choices.price.contains { $0.source == source.name } }
        let currencies = Set(homes.compactMap(\.currency))
        return currencies.count == 1 ? currencies.first : nil
    }

    private func plainFile(_ file: URL?, _ side: SourceSettings.Side, _ home: VenueConfiguration) -> FileSeries? {
        file.map {
            FileSeries(
                $0, settings: SourceSettings(side: side), currency: home.currency, store: store, clock: options.clock,
                log: options.log)
        }
    }

    private func preferred(
        _ choices: [SourceChoice], _ sources: [String: any WatchedSource]
    ) -> (any SeriesProvider)? {
        let found = choices.compactMap { choice in
            sources[choice.source].map { PreferredSeries.Choice($0, composition: choice.composition) }
        }
        return found.isEmpty ? nil : PreferredSeries(found)
    }

    private func summed(
        _ choices: [SourceChoice], _ sources: [String: any WatchedSource]
    ) -> (any SeriesProvider)? {
        let found = choices.compactMap { sources[$0.source] as (any SeriesProvider)? }
        return found.isEmpty ? nil : SummedSeries(found)
    }
}
