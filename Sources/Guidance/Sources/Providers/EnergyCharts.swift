/// Energy-Charts by Fraunhofer ISE: day-ahead prices of bidding zones, carbon intensity of countries, without a key.
struct EnergyChartsProvider: SourceProvider {
    let facts = ProviderFacts(
        "energy-charts", "Energy-Charts (Fraunhofer ISE)", [.price, .carbon], region: "Europe", required: [.area],
        optional: [.address], areaHint: "a bidding zone such as DE-LU for prices, a country such as de for carbon",
        publication: .dayAhead(), quotas: [RequestQuota(200, perSeconds: 86_400)],
        terms: "CC BY 4.0 for AT BE CH CZ DE-LU DK1 DK2 FR HU IT-North NL NO2 PL SE4 SI, private use for others")
    let decoder: any PayloadDecoder = EnergyChartsDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let area = try facts.area(settings)
        let base = settings.address ?? "https://api.energy-charts.info"
        guard settings.side == .carbon else {
            return [
                SourceRequest(
                    base, "/price",
                    query: [("bzn", area), ("start", isoMinutes(ask.start)), ("end", isoMinutes(ask.end))])
            ]
        }
        let country = ("country", Optional(area.lowercased()))
        return [
            SourceRequest(base, "/co2eq_forecast", query: [country]),
            SourceRequest(
                base, "/co2eq", query: [country, ("start", isoMinutes(ask.start)), ("end", isoMinutes(ask.now))]),
        ]
    }

    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions { PayloadOptions() }

    func publication(_ side: SourceSettings.Side) -> Publication {
        side == .carbon ? .rolling(seconds: 3600) : facts.publication
    }
}
