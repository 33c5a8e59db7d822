/// Electricity Maps: average carbon intensity of zones all over the world; the forecast needs a paid plan.
struct ElectricityMapsProvider: SourceProvider {
    let facts = ProviderFacts(
        "electricity-maps", "Electricity Maps", [.carbon], region: "the world", key: .required,
        keyHint: "the auth-token of an account at electricitymaps.com", required: [.area], optional: [.address],
        areaHint: "a zone such as DE, US-CAL-CISO, AU-NSW", publication: .rolling(seconds: 3600),
        quotas: [RequestQuota(100, perSeconds: 3600)], terms: "the free plan has no forecast")
    let decoder: any PayloadDecoder = ElectricityMapsDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let zone = try facts.area(settings)
        let base = (settings.address ?? "https://api.electricitymaps.com") + "/v3/carbon-intensity"
        let headers = ["auth-token": SourceRequest.keyMark]
        return [
            SourceRequest(base, "/forecast", query: [("zone", zone), ("horizonHours", "48")], headers: headers),
            SourceRequest(base, "/history", query: [("zone", zone)], headers: headers),
        ]
    }
}
