/// Energinet's data service (Denmark): day-ahead prices, and the forecast of CO2, without a key.
struct EnerginetProvider: SourceProvider {
    let facts = ProviderFacts(
        "energinet", "Energi Data Service", [.price, .carbon], region: "Denmark (prices of its neighbours too)",
        required: [.area], optional: [.currency, .address], areaHint: "DK1 or DK2", publication: .dayAhead(),
        quotas: [RequestQuota(200, perSeconds: 86_400)])
    let decoder: any PayloadDecoder = EnerginetDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let area = try facts.area(settings).uppercased()
        guard area.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw PayloadError(.unsupportedRegion, "'\(area)' is no price area", remedy: "use DK1 or DK2")
        }
        let sets = settings.side == .carbon ? ["CO2EmisProg", "CO2Emis"] : ["DayAheadPrices"]
        let base = settings.address ?? "https://api.energidataservice.dk"
        return sets.map { set in
            SourceRequest(
                base, "/dataset/\(set)",
                query: [
                    ("start", String(isoMinutes(ask.start).dropLast())), ("timezone", "UTC"),
                    ("filter", #"{"PriceArea":["\#(area)"]}"#), ("limit", "0"),
                    ("sort", settings.side == .carbon ? "Minutes5UTC asc" : "TimeUTC asc"),
                ])
        }
    }

    func publication(_ side: SourceSettings.Side) -> Publication {
        side == .carbon ? .rolling(seconds: 1800) : facts.publication
    }
}
