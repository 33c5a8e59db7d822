/// EnergyZero (Netherlands): what the customer pays, a local day and its neighbours for each request, without a key.
struct EnergyZeroProvider: SourceProvider {
    let facts = ProviderFacts(
        "energyzero", "EnergyZero", [.price], region: "Netherlands", optional: [.field, .vat, .address],
        publication: .dayAhead(hour: 13, minute: 30), quotas: [RequestQuota(200, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = EnergyZeroDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        // One answer holds the day before and the day after as well.
        let days = ask.days(in: "Europe/Amsterdam").sorted()
        let middles = stride(from: max(0, days.count - 2), through: 0, by: -3).map { days[$0] }
        return middles.map { day in
            SourceRequest(
                settings.address ?? "https://public.api.energyzero.nl", "/public/v1/prices",
                query: [
                    ("energyType", "ENERGY_TYPE_ELECTRICITY"), ("date", day.reversedText("-")),
                    ("interval", "INTERVAL_QUARTER"),
                ])
        }
    }
}
