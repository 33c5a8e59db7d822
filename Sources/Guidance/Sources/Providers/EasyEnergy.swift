/// easyEnergy (Netherlands): what the customer pays, without a key.
struct EasyEnergyProvider: SourceProvider {
    let facts = ProviderFacts(
        "easyenergy", "easyEnergy", [.price], region: "Netherlands",
        optional: [.field, .vat, .timeZone, .address], publication: .dayAhead(hour: 13, minute: 30),
        quotas: [RequestQuota(200, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = EasyEnergyDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        [
            SourceRequest(
                settings.address ?? "https://mijn.easyenergy.com", "/nl/api/tariff/getapxtariffs",
                query: [
                    ("startTimestamp", isoText(ask.start)), ("endTimestamp", isoText(ask.end)),
                    ("includeVat", settings.vat == .excluded ? "false" : "true"),
                ])
        ]
    }
}
