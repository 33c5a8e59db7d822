import EnergyKit
import Foundation
import Guidance
import Testing

@Suite struct ProviderRequestTests {
    private static func settings(_ name: String) -> SourceSettings {
        let provider = SourceProviders.named(name)
        var settings = SourceSettings(side: provider?.facts.sides.first ?? .price)
        let areas = ["entsoe": "FR", "gruenstromindex": "69256", "nord-pool": "SE3", "energinet": "DK1"]
        settings.area = areas[name] ?? provider?.facts.areas?.first ?? "X1"
        settings.product = "P-1"
        settings.plane = .init(latitude: 50.5, longitude: 8.25, declination: 30, azimuth: -10, peakWatts: 5500)
        settings.entity = "sensor.price"
        settings.shape = JSONSeriesShape(rows: ["attributes.raw_today"], unit: "EUR/kWh")
        if provider?.facts.required.contains(.address) == true { settings.address = "https://hub.example" }
        if name == "uk-carbon-intensity" { settings.area = nil }
        if name == "tibber" { settings.product = nil }
        return settings
    }

    private static func ask() throws -> SourceAsk {
        SourceAsk(
            now: try at("2026-02-03T10:00:00Z"), start: try at("2026-02-02T00:00:00Z"),
            end: try at("2026-02-06T00:00:00Z"))
    }

    @Test(arguments: SourceProviders.all.map(\.name))
    func everyProviderKeepsTheRules(name: String) throws {
        let settings = Self.settings(name)
        let provider = try #require(SourceProviders.named(name)).configured(settings)
        let requests = try provider.requests(settings, try Self.ask())
        #expect(!requests.isEmpty)
        #expect(provider.decoder.name == name)
        for request in requests {
            let plain = request.address.replacingOccurrences(of: SourceRequest.keyMark, with: "key")
            let url = try #require(URL(string: plain), "\(request.address)")
            #expect(url.scheme == "https" && url.host != nil)
            #expect(!plain.contains(" ") && !plain.contains("{"))
        }
        let texts = requests.flatMap { [$0.address, $0.body ?? ""] + $0.headers.values }
        let carriesKey = texts.contains { $0.contains(SourceRequest.keyMark) }
        #expect(carriesKey == (provider.facts.key != .none))
        #expect((provider.facts.key != .none) == (provider.facts.keyHint != nil))
        // A day of fetches in the provider's own rhythm is within what it allows.
        for side in provider.facts.sides {
            for quota in provider.facts.quotas {
                guard case .rolling(let seconds) = provider.publication(side) else { continue }
                #expect(quota.seconds / seconds * Double(requests.count) <= Double(quota.requests) + 1, "\(side)")
            }
        }
    }

    @Test func everyDecoderOfAProviderHasItsRequests() {
        let asked = Set(SourceProviders.all.map(\.name))
        for decoder in PayloadDecoders.all where decoder.name != "file" { #expect(asked.contains(decoder.name)) }
    }

    @Test(arguments: [
        ("awattar", "https://api.awattar.de/v1/marketdata?start=1769990400000&end=1770336000000"),
        (
            "nord-pool",
            "https://dataportal-api.nordpoolgroup.com/api/DayAheadPrices?date=2026-02-03&market=DayAhead&deliveryArea=SE3&currency=EUR"
        ),
        (
            "entsoe",
            "https://web-api.tp.entsoe.eu/api?securityToken={key}&documentType=A44&in_Domain=10YFR-RTE------C&out_Domain=10YFR-RTE------C&periodStart=202602020000&periodEnd=202602060000"
        ),
        (
            "energinet",
            "https://api.energidataservice.dk/dataset/DayAheadPrices?start=2026-02-02T00:00&timezone=UTC&filter=%7B%22PriceArea%22:%5B%22DK1%22%5D%7D&limit=0&sort=TimeUTC%20asc"
        ),
        (
            "octopus-agile",
            "https://api.octopus.energy/v1/products/P-1/electricity-tariffs/E-1R-P-1-A/standard-unit-rates/?period_from=2026-02-02T00:00:00Z&period_to=2026-02-06T00:00:00Z&page_size=1500"
        ),
        (
            "energyzero",
            "https://public.api.energyzero.nl/public/v1/prices?energyType=ENERGY_TYPE_ELECTRICITY&date=03-02-2026&interval=INTERVAL_QUARTER"
        ),
        ("omie", "https://www.omie.es/es/file-download?parents=marginalpdbc&filename=marginalpdbc_20260203.1"),
        (
            "rte-eco2mix",
            "https://eco2mix.rte-france.com/curves/getDonneesMarche?dateDeb=02%2F02%2F2026&dateFin=04%2F02%2F2026&mode=NORM"
        ),
        (
            "comed",
            "https://hourlypricing.comed.com/api?type=5minutefeed&format=json&datestart=202602011800&dateend=202602030400"
        ),
        ("uk-carbon-intensity", "https://api.carbonintensity.org.uk/intensity/2026-02-03T10:00Z/fw48h"),
        ("electricity-maps", "https://api.electricitymaps.com/v3/carbon-intensity/forecast?zone=X1&horizonHours=48"),
        ("forecast-solar", "https://api.forecast.solar/{key}/estimate/50.5/8.25/30.0/-10.0/5.5?time=utc&full=1"),
        ("solcast", "https://api.solcast.com.au/rooftop_sites/X1/forecasts?format=json&hours=72&period=PT30M"),
        ("home-assistant", "https://hub.example/api/states/sensor.price"),
    ])
    func asksWhatTheProviderDocuments(name: String, address: String) throws {
        let provider = try #require(SourceProviders.named(name))
        #expect(try provider.requests(Self.settings(name), try Self.ask()).first?.address == address)
    }

    @Test(arguments: [("awattar", "US"), ("octopus-agile", "Z"), ("elering", "se"), ("entsoe", "XX"), ("omie", "FR")])
    func anAreaThatIsNotCoveredIsAnUnsupportedRegion(name: String, area: String) throws {
        var settings = Self.settings(name)
        settings.area = area
        let ask = try Self.ask()
        let provider = try #require(SourceProviders.named(name))
        let error = #expect(throws: PayloadError.self) { try provider.requests(settings, ask) }
        #expect(error?.kind == .unsupportedRegion)
        #expect(error?.energyKitError == .unsupportedRegion)
    }

    @Test func marketDaysAreThoseOfTheMarket() throws {
        // Half past eleven in the evening in London is the next day in Brussels.
        let ask = SourceAsk(
            now: try at("2026-07-01T22:30:00Z"), start: try at("2026-06-30T22:00:00Z"),
            end: try at("2026-07-05T00:00:00Z"))
        let provider = try #require(SourceProviders.named("nord-pool"))
        let addresses = try provider.requests(Self.settings("nord-pool"), ask).map(\.address)
        let days = ["2026-07-02", "2026-07-03", "2026-07-01"]
        #expect(addresses.count == days.count)
        for (address, day) in zip(addresses, days) { #expect(address.contains("date=\(day)&")) }
    }
}
