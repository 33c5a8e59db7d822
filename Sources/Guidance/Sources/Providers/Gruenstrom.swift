/// GrünstromIndex by Corrently (Germany): carbon intensity of a postcode.
struct GruenstromProvider: SourceProvider {
    let facts = ProviderFacts(
        "gruenstromindex", "GrünstromIndex (Corrently)", [.carbon], region: "Germany", key: .optional,
        keyHint: "a token from console.corrently.io", required: [.area], optional: [.field, .address],
        areaHint: "a postcode such as 69256", publication: .rolling(seconds: 3 * 3600),
        quotas: [RequestQuota(24, perSeconds: 86_400)],
        terms: "gives grams no more for most postcodes since mid-2026; those are unknown here, not clean")
    let decoder: any PayloadDecoder = GruenstromDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let zip = try facts.area(settings)
        guard zip.count == 5, zip.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw PayloadError(
                .unsupportedRegion, "'\(zip)' is no German postcode", remedy: "tell five digits such as 69256")
        }
        return [
            SourceRequest(
                settings.address ?? "https://api.corrently.io", "/v2.0/gsi/prediction", query: [("zip", zip)],
                headers: ["Authorization": "Bearer \(SourceRequest.keyMark)"])
        ]
    }

    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions {
        PayloadOptions(field: settings.field)
    }
}
