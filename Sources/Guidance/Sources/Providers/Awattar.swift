/// aWATTar's market data for Germany and Austria: spot prices of the coming day, without a key.
struct AwattarProvider: SourceProvider {
    let facts = ProviderFacts(
        "awattar", "aWATTar", [.price], region: "Germany, Austria", required: [.area], optional: [.address],
        areaHint: "DE or AT", areas: ["DE", "AT"], publication: .dayAhead(hour: 14),
        quotas: [RequestQuota(100, perSeconds: 86_400)], terms: "fair use, about 100 requests a day")
    let decoder: any PayloadDecoder = AwattarDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let area = try facts.area(settings).lowercased()
        let base = settings.address ?? "https://api.awattar.\(area)"
        return [
            SourceRequest(
                base, "/v1/marketdata", query: [("start", millis(ask.start)), ("end", millis(ask.end))])
        ]
    }

    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions { PayloadOptions() }
}
