/// The carbon intensity of Great Britain by NESO, national or by postcode, without a key.
struct UKCarbonProvider: SourceProvider {
    let facts = ProviderFacts(
        "uk-carbon-intensity", "Carbon Intensity API (NESO)", [.carbon], region: "Great Britain",
        optional: [.area, .address], areaHint: "the first half of a postcode such as NG1; the nation by itself",
        publication: .rolling(seconds: 1800), quotas: [RequestQuota(200, perSeconds: 86_400)], terms: "CC BY 4.0")
    let decoder: any PayloadDecoder = UKCarbonDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let base = settings.address ?? "https://api.carbonintensity.org.uk"
        let now = isoMinutes(ask.now)
        let start = isoMinutes(ask.start)
        guard let area = settings.area else {
            return [
                SourceRequest(base, "/intensity/\(now)/fw48h"), SourceRequest(base, "/intensity/\(start)/\(now)"),
            ]
        }
        let place = Int(area) == nil ? "postcode/\(SourceRequest.encoded(area.uppercased()))" : "regionid/\(area)"
        return [
            SourceRequest(base, "/regional/intensity/\(now)/fw48h/\(place)"),
            SourceRequest(base, "/regional/intensity/\(start)/\(now)/\(place)"),
        ]
    }

    /// An answer for one place needs no choice.
    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions { PayloadOptions() }
}
