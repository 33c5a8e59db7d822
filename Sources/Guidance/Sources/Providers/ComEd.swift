import Foundation

/// ComEd (Illinois): five-minute prices of the past; what is to come is expected from the days before.
struct ComEdProvider: SourceProvider {
    let facts = ProviderFacts(
        "comed", "ComEd Hourly Pricing", [.price], region: "northern Illinois", optional: [.address],
        publication: .rolling(seconds: 1800), quotas: [RequestQuota(200, perSeconds: 86_400)],
        terms: "no forecast: coming hours are the median of the same hours of the last week")
    let decoder: any PayloadDecoder = ComEdDecoder()
    private static let zone = TimeZone(identifier: "America/Chicago") ?? .gmt

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        [
            SourceRequest(
                settings.address ?? "https://hourlypricing.comed.com", "/api",
                query: [
                    ("type", "5minutefeed"), ("format", "json"), ("datestart", Self.wall(ask.start)),
                    ("dateend", Self.wall(ask.now)),
                ])
        ]
    }

    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions { PayloadOptions() }

    func completed(_ series: EnergySeries, now: Date) -> EnergySeries { series.expected(after: now, zone: Self.zone) }

    /// `202603291300` on the clocks of Chicago.
    private static func wall(_ moment: Date) -> String {
        let offset = Double(LocalClock(zone: zone).offsetSeconds(at: moment))
        return isoText(moment.addingTimeInterval(offset)).prefix(16).filter(\.isNumber)
    }
}
