/// forecast.solar: power of one plane of panels, without a key 12 requests an hour.
struct ForecastSolarProvider: SourceProvider {
    let facts = ProviderFacts(
        "forecast-solar", "Forecast.Solar", [.solar], region: "the world", key: .optional,
        keyHint: "a key from forecast.solar, for finer steps and more requests", required: [.plane],
        optional: [.address], publication: .rolling(seconds: 3600), quotas: [RequestQuota(10, perSeconds: 3600)],
        terms: "12 requests an hour for each address without a key")
    let decoder: any PayloadDecoder = ForecastSolarDecoder()

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let plane = try settings.neededPlane(facts.name)
        let parts = [
            "\(plane.latitude)", "\(plane.longitude)", "\(plane.declination)", "\(plane.azimuth)",
            "\(plane.peakWatts / 1000)",
        ]
        return [
            SourceRequest(
                settings.address ?? "https://api.forecast.solar",
                "/\(SourceRequest.keyMark)/estimate/" + parts.joined(separator: "/"),
                query: [("time", "utc"), ("full", "1")])
        ]
    }
}

extension SourceSettings {
    /// The solar system.
    /// - Throws: `PayloadError` when none is told.
    func neededPlane(_ name: String) throws(PayloadError) -> Plane {
        if let plane { return plane }
        throw PayloadError(
            .argumentNeeded, "\(name) needs the solar system's plane",
            remedy: "tell peak_watts, declination and azimuth, and the venue's location")
    }
}
