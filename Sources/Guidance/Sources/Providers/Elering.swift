/// Elering: Nord Pool's prices of the Baltics and Finland, without a key.
struct EleringProvider: SourceProvider {
    let facts = ProviderFacts(
        "elering", "Elering", [.price], region: "Estonia, Latvia, Lithuania, Finland", required: [.area],
        optional: [.address], areaHint: "ee, lv, lt or fi", areas: ["ee", "lv", "lt", "fi"],
        publication: .dayAhead(hour: 13, minute: 15), quotas: [RequestQuota(200, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = EleringDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        _ = try facts.area(settings)
        return [
            SourceRequest(
                settings.address ?? "https://dashboard.elering.ee", "/api/nps/price",
                query: [("start", isoText(ask.start)), ("end", isoText(ask.end))])
        ]
    }
}
