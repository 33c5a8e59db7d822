import Foundation

/// A Home Assistant entity whose attributes hold a list of prices, grams or watts.
struct HomeAssistantProvider: SourceProvider {
    static let name = "home-assistant"

    let facts = ProviderFacts(
        HomeAssistantProvider.name, "Home Assistant", [.price, .carbon, .solar], region: "the house", key: .required,
        keyHint: "a long-lived access token of a Home Assistant user", required: [.address, .entity, .shape],
        optional: [.timeZone], publication: .rolling(seconds: 900))
    // What reads an answer depends on the settings: see `provider(for:)`.
    let decoder: any PayloadDecoder

    init(_ settings: SourceSettings? = nil) { decoder = JSONSeriesDecoder.reading(settings, Self.name) }

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        guard let base = settings.address, let entity = settings.entity else {
            throw PayloadError(
                .argumentNeeded, "home-assistant needs url and entity",
                remedy: "tell them, such as http://homeassistant.local:8123 and sensor.nordpool")
        }
        let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
        return [
            SourceRequest(
                trimmed, "/api/states/\(SourceRequest.encoded(entity))",
                headers: ["Authorization": "Bearer \(SourceRequest.keyMark)"])
        ]
    }
}

/// Any address that answers with JSON, read by paths.
struct URLProvider: SourceProvider {
    let facts = ProviderFacts(
        "url", "any address with JSON", [.price, .carbon, .solar], region: "anywhere", key: .optional,
        keyHint: "sent as a bearer token, or in the place of {key} in the address", required: [.address, .shape],
        optional: [.timeZone], publication: .rolling(seconds: 900))
    let decoder: any PayloadDecoder

    init(_ settings: SourceSettings? = nil) { decoder = JSONSeriesDecoder.reading(settings, "url") }

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        guard let address = settings.address else {
            throw PayloadError(.argumentNeeded, "the source needs a url", remedy: "tell its address")
        }
        let isInAddress = address.contains(SourceRequest.keyMark)
        return [
            SourceRequest(
                address, headers: isInAddress ? [:] : ["Authorization": "Bearer \(SourceRequest.keyMark)"])
        ]
    }
}

extension JSONSeriesDecoder {
    fileprivate static func reading(_ settings: SourceSettings?, _ name: String) -> JSONSeriesDecoder {
        let shape = settings?.shape ?? JSONSeriesShape(rows: [], unit: "EUR/kWh")
        return JSONSeriesDecoder(name: name, shape: shape, side: settings?.side ?? .price)
    }
}

extension SourceProvider {
    /// The provider as it reads answers under these settings.
    package func configured(_ settings: SourceSettings) -> any SourceProvider {
        switch self {
        case is HomeAssistantProvider: HomeAssistantProvider(settings)
        case is URLProvider: URLProvider(settings)
        default: self
        }
    }
}
