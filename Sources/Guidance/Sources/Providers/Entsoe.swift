import Foundation

/// ENTSO-E's transparency platform: day-ahead prices of every European bidding zone, with a free token.
struct EntsoeProvider: SourceProvider {
    /// Energy identification codes of bidding zones by the names people know them by.
    static let codes: [String: String] = [
        "DE-LU": "10Y1001A1001A82H", "AT": "10YAT-APG------L", "BE": "10YBE----------2", "NL": "10YNL----------L",
        "FR": "10YFR-RTE------C", "ES": "10YES-REE------0", "PT": "10YPT-REN------W", "CH": "10YCH-SWISSGRIDZ",
        "CZ": "10YCZ-CEPS-----N", "PL": "10YPL-AREA-----S", "IT-NORTH": "10Y1001A1001A73I", "DK1": "10YDK-1--------W",
        "SE3": "10Y1001A1001A46L", "NO2": "10YNO-2--------T", "FI": "10YFI-1--------U", "IE-SEM": "10Y1001A1001A59C",
    ]

    let facts = ProviderFacts(
        "entsoe", "ENTSO-E Transparency Platform", [.price], region: "Europe", key: .required,
        keyHint: "the security token of an account at transparency.entsoe.eu", required: [.area], optional: [.address],
        areaHint: "a bidding zone such as DE-LU, FR, DK1, or its code of 16 characters",
        publication: .dayAhead(), quotas: [RequestQuota(300, perSeconds: 60)],
        terms: "400 requests a minute, then a ban of ten minutes")
    let decoder: any PayloadDecoder = EntsoeDecoder()

    private func code(_ settings: SourceSettings) throws(PayloadError) -> String {
        let area = try facts.area(settings).uppercased()
        if let code = Self.codes[area] { return code }
        if area.count == 16 { return area }
        throw PayloadError(
            .unsupportedRegion, "'\(area)' is no bidding zone that is known here",
            remedy: "use \(Self.codes.keys.sorted().joined(separator: ", ")), or the zone's code of 16 characters")
    }

    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest] {
        let code = try code(settings)
        return [
            SourceRequest(
                settings.address ?? "https://web-api.tp.entsoe.eu", "/api",
                query: [
                    ("securityToken", SourceRequest.keyMark), ("documentType", "A44"), ("in_Domain", code),
                    ("out_Domain", code), ("periodStart", Self.stamp(ask.start)), ("periodEnd", Self.stamp(ask.end)),
                ])
        ]
    }

    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions {
        PayloadOptions(area: try? code(settings))
    }

    /// `202603290000`, in UTC, on a full hour.
    private static func stamp(_ moment: Date) -> String {
        isoText(moment).prefix(13).filter(\.isNumber) + "00"
    }
}
