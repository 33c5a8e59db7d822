/// Open-Meteo: radiation on one plane of panels, turned into power, without a key.
struct OpenMeteoProvider: SourceProvider {
    let facts = ProviderFacts(
        "open-meteo", "Open-Meteo", [.solar], region: "the world", required: [.plane], optional: [.address],
        publication: .rolling(seconds: 3600), quotas: [RequestQuota(200, perSeconds: 86_400)],
        terms: "free for private use")
    let decoder: any PayloadDecoder = OpenMeteoDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let plane = try settings.neededPlane(facts.name)
        return [
            SourceRequest(
                settings.address ?? "https://api.open-meteo.com", "/v1/forecast",
                query: [
                    ("latitude", "\(plane.latitude)"), ("longitude", "\(plane.longitude)"),
                    ("minutely_15", "global_tilted_irradiance"), ("tilt", "\(plane.declination)"),
                    ("azimuth", "\(plane.azimuth)"), ("timezone", "GMT"), ("timeformat", "unixtime"),
                    ("past_days", "1"), ("forecast_days", "3"),
                ])
        ]
    }
}
