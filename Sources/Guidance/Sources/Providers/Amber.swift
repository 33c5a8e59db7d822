import Foundation

/// Amber (Australia): the home's own prices, all in, with their forecast.
struct AmberProvider: SourceProvider {
    let facts = ProviderFacts(
        "amber", "Amber Electric", [.price], region: "Australia (NEM)", key: .required,
        keyHint: "a token from app.amber.com.au/developers", required: [.product], optional: [.area, .field, .address],
        areaHint: "the channel: general, controlledLoad or feedIn", publication: .rolling(seconds: 300),
        quotas: [RequestQuota(40, perSeconds: 300)], terms: "product is the id of the site, as /v1/sites lists it")
    let decoder: any PayloadDecoder = AmberDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        guard let site = settings.product else {
            throw PayloadError(.argumentNeeded, "amber needs a site", remedy: "tell product: the id of the site")
        }
        let base = (settings.address ?? "https://api.amber.com.au") + "/v1/sites/\(SourceRequest.encoded(site))/prices"
        let headers = ["Authorization": "Bearer \(SourceRequest.keyMark)"]
        let current = SourceRequest(
            base, "/current", query: [("next", "96"), ("previous", "48"), ("resolution", "30")], headers: headers)
        guard ask.now.timeIntervalSince(ask.start) > 2 * 86_400 else { return [current] }
        let days = ask.days(in: "Australia/Brisbane").sorted()
        guard let first = days.first else { return [current] }
        let today = LocalClock(zone: .gmt).day(at: ask.now.addingTimeInterval(36_000))
        return [
            current,
            SourceRequest(
                base, "",
                query: [("startDate", first.text()), ("endDate", today.text()), ("resolution", "30")],
                headers: headers),
        ]
    }
}
