import Foundation
import HubKit

/// WattTime: marginal carbon intensity with its forecast; user and password are exchanged for a token of half an hour.
struct WattTimeProvider: SourceProvider {
    let facts = ProviderFacts(
        "watttime", "WattTime", [.carbon], region: "the world; CAISO_NORTH only without a subscription",
        key: .required, keyHint: "user:password of an account at watttime.org", required: [.area],
        optional: [.field, .address], areaHint: "a region such as CAISO_NORTH, as /v3/region-from-loc tells it",
        publication: .rolling(seconds: 1800), quotas: [RequestQuota(100, perSeconds: 300)])
    let decoder: any PayloadDecoder = WattTimeDecoder()

    private func base(_ settings: SourceSettings) -> String { settings.address ?? "https://api.watttime.org" }

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let region = ("region", Optional(try facts.area(settings)))
        let signal = ("signal_type", Optional(settings.field ?? "co2_moer"))
        let headers = ["Authorization": "Bearer \(SourceRequest.keyMark)"]
        return [
            SourceRequest(
                base(settings), "/v3/forecast", query: [region, signal, ("horizon_hours", "48")], headers: headers),
            SourceRequest(
                base(settings), "/v3/historical",
                query: [region, signal, ("start", isoText(ask.start)), ("end", isoText(ask.now))], headers: headers),
        ]
    }

    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions { PayloadOptions() }

    func login(_ settings: SourceSettings) -> SourceLogin? {
        SourceLogin(
            request: SourceRequest(
                base(settings), "/login", headers: ["Authorization": "Basic \(SourceRequest.keyMark)"]),
            validSeconds: 25 * 60, credential: { Data($0.utf8).base64EncodedString() },
            token: { body in (try? JSONDecoder().decode(JSONDocument.self, from: body))?.text(at: "token") })
    }
}
