/// Nord Pool's data portal: a market day (Central European) for each request, without a key.
struct NordPoolProvider: SourceProvider {
    let facts = ProviderFacts(
        "nord-pool", "Nord Pool data portal", [.price], region: "the Nordics, the Baltics and Central Europe",
        required: [.area], optional: [.currency, .address], areaHint: "a delivery area such as SE3, NO2, FI, DK1, GER",
        publication: .dayAhead(hour: 13, minute: 15), quotas: [RequestQuota(200, perSeconds: 86_400)],
        terms: "not an official interface; prices may not be passed on")
    let decoder: any PayloadDecoder = NordPoolDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let area = try facts.area(settings)
        let base = settings.address ?? "https://dataportal-api.nordpoolgroup.com"
        return ask.days(in: "Europe/Brussels").map { day in
            SourceRequest(
                base, "/api/DayAheadPrices",
                query: [
                    ("date", day.text()), ("market", "DayAhead"), ("deliveryArea", area),
                    ("currency", settings.currency ?? "EUR"),
                ])
        }
    }
}
