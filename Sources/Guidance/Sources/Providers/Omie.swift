/// OMIE (Spain, Portugal): the market's own text file for each day, without a key.
struct OmieProvider: SourceProvider {
    let facts = ProviderFacts(
        "omie", "OMIE", [.price], region: "Spain, Portugal", required: [.area], optional: [.address],
        areaHint: "ES or PT", areas: ["ES", "PT"], publication: .dayAhead(hour: 13, minute: 55),
        quotas: [RequestQuota(200, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = OmieDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        _ = try facts.area(settings)
        return ask.days(in: "Europe/Madrid").map { day in
            SourceRequest(
                settings.address ?? "https://www.omie.es", "/es/file-download",
                query: [("parents", "marginalpdbc"), ("filename", "marginalpdbc_\(day.text("")).1")])
        }
    }

    /// A day whose file is not there yet is not published yet.
    func refusal(_ response: SourceResponse) -> PayloadError? {
        response.status == 404 ? .nothing("the file of this day is not there yet") : nil
    }
}
