/// RTE éCO2mix (France): hourly day-ahead prices of nine zones; nothing on days when clocks change.
struct RTEProvider: SourceProvider {
    let facts = ProviderFacts(
        "rte-eco2mix", "RTE éCO2mix", [.price], region: "France and eight neighbours", optional: [.area, .address],
        areaHint: "a zone such as FR, DL, BE, ES; FR by itself", publication: .dayAhead(hour: 14),
        quotas: [RequestQuota(100, perSeconds: 86_400)], terms: "days when clocks change are wrong there and left out")
    let decoder: any PayloadDecoder = RTEDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let days = ask.days(in: "Europe/Paris").sorted()
        guard let first = days.first, let last = days.last else { return [] }
        return [
            SourceRequest(
                settings.address ?? "https://eco2mix.rte-france.com", "/curves/getDonneesMarche",
                query: [
                    ("dateDeb", first.reversedText("/")), ("dateFin", last.reversedText("/")), ("mode", "NORM"),
                ])
        ]
    }
}
