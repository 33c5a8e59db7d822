/// Solcast: power of a registered rooftop, ten requests a day.
struct SolcastProvider: SourceProvider {
    let facts = ProviderFacts(
        "solcast", "Solcast", [.solar], region: "the world", key: .required,
        keyHint: "the API key of an account at solcast.com", required: [.area], optional: [.field, .address],
        areaHint: "the resource id of the rooftop", publication: .rolling(seconds: 3 * 3600),
        quotas: [RequestQuota(10, perSeconds: 86_400)], terms: "the hobby plan has about ten requests a day")
    let decoder: any PayloadDecoder = SolcastDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let site = SourceRequest.encoded(try facts.area(settings))
        return [
            SourceRequest(
                settings.address ?? "https://api.solcast.com.au", "/rooftop_sites/\(site)/forecasts",
                query: [("format", "json"), ("hours", "72"), ("period", "PT30M")],
                headers: ["Authorization": "Bearer \(SourceRequest.keyMark)"])
        ]
    }
}
