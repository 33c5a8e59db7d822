/// Tibber: what the customer pays, all in, for today and from about 13:00 for tomorrow.
struct TibberProvider: SourceProvider {
    let facts = ProviderFacts(
        "tibber", "Tibber", [.price], region: "Norway, Sweden, Germany, Netherlands", key: .required,
        keyHint: "a personal access token from developer.tibber.com",
        optional: [.area, .field, .vat, .product, .address], areaHint: "the home's id, where there are several homes",
        publication: .dayAhead(), quotas: [RequestQuota(100, perSeconds: 3600)],
        terms: "ask for a day once, not each hour")
    let decoder: any PayloadDecoder = TibberDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        // A home without quarter-hours answers with hours all the same.
        let resolution = settings.product ?? "QUARTER_HOURLY"
        let fields = "total energy tax startsAt level currency"
        let query =
            "{ viewer { homes { id timeZone currentSubscription { priceInfo(resolution: \(resolution)) "
            + "{ today { \(fields) } tomorrow { \(fields) } } } } } }"
        return [
            SourceRequest(
                settings.address ?? "https://api.tibber.com", "/v1-beta/gql",
                headers: [
                    "Authorization": "Bearer \(SourceRequest.keyMark)", "Content-Type": "application/json",
                ], body: #"{"query":"\#(query)"}"#)
        ]
    }
}
