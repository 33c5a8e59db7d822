import Foundation

/// OpenElectricity (Australia): spot prices of a region up to now; what is to come is expected from the days before.
struct OpenElectricityProvider: SourceProvider {
    let facts = ProviderFacts(
        "openelectricity", "OpenElectricity", [.price], region: "Australia", key: .required,
        keyHint: "a key from platform.openelectricity.org.au", required: [.area], optional: [.address],
        areaHint: "NSW1, QLD1, SA1, TAS1 or VIC1", areas: ["NSW1", "QLD1", "SA1", "TAS1", "VIC1"],
        publication: .rolling(seconds: 1800), quotas: [RequestQuota(400, perSeconds: 86_400)],
        terms: "no forecast: coming hours are the median of the same hours of the last week")
    let decoder: any PayloadDecoder = OpenElectricityDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let region = try facts.area(settings)
        // The network's clock is ten hours ahead all year, and times are told in it without an offset.
        let wall = { (moment: Date) in String(isoText(moment.addingTimeInterval(36_000)).dropLast()) }
        return [
            SourceRequest(
                settings.address ?? "https://api.openelectricity.org.au", "/v4/market/network/NEM",
                query: [
                    ("metrics", "price"), ("interval", "1h"), ("network_region", region),
                    ("primary_grouping", "network_region"), ("date_start", wall(ask.start)),
                    ("date_end", wall(ask.now)),
                ], headers: ["Authorization": "Bearer \(SourceRequest.keyMark)"])
        ]
    }

    func completed(_ series: EnergySeries, now: Date) -> EnergySeries {
        series.expected(after: now, zone: TimeZone(secondsFromGMT: 36_000) ?? .gmt)
    }
}
