/// ESIOS (Spain): the regulated tariff PVPC of the coming day, from about 20:20, with a free token.
struct EsiosProvider: SourceProvider {
    let facts = ProviderFacts(
        "esios-pvpc", "ESIOS (Red Eléctrica)", [.price], region: "Spain", key: .required,
        keyHint: "a token asked for at consultasios@ree.es", optional: [.area, .product, .address],
        areaHint: "a geo id or its name; 8741, the peninsula, by itself",
        publication: .daily(hour: 20, minute: 20, zone: "Europe/Madrid"),
        quotas: [RequestQuota(100, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = EsiosDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        [
            SourceRequest(
                settings.address ?? "https://api.esios.ree.es",
                "/indicators/\(SourceRequest.encoded(settings.product ?? "1001"))",
                query: [("start_date", isoText(ask.start)), ("end_date", isoText(ask.end))],
                headers: [
                    "x-api-key": SourceRequest.keyMark, "Accept": "application/json; application/vnd.esios-api-v2+json",
                ])
        ]
    }
}
