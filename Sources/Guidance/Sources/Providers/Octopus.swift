/// Octopus Energy (Great Britain): unit rates of Agile, Go and other products by region, without a key.
struct OctopusProvider: SourceProvider {
    let facts = ProviderFacts(
        "octopus-agile", "Octopus Energy", [.price], region: "Great Britain", required: [.area, .product],
        optional: [.field, .vat, .address], areaHint: "the letter of the grid supply point, A to P",
        areas: "ABCDEFGHJKLMNP".map(String.init),
        // The market day ends at midnight in Brussels, and prices come between 16:00 and 20:00 in London.
        publication: .dayAhead(hour: 17), quotas: [RequestQuota(200, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = OctopusDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let region = try facts.area(settings)
        guard let product = settings.product else {
            throw PayloadError(
                .argumentNeeded, "octopus-agile needs a product", remedy: "tell product, such as AGILE-24-10-01")
        }
        let code = SourceRequest.encoded(product)
        return [
            SourceRequest(
                settings.address ?? "https://api.octopus.energy",
                "/v1/products/\(code)/electricity-tariffs/E-1R-\(code)-\(region)/standard-unit-rates/",
                query: [
                    ("period_from", isoText(ask.start)), ("period_to", isoText(ask.end)), ("page_size", "1500"),
                ])
        ]
    }
}
