package import Foundation

/// forecast.solar: energy per period between irregular times, from which the mean power follows.
package struct ForecastSolarDecoder: PayloadDecoder {
    /// `forecast-solar`.
    package let name = "forecast-solar"
    /// Also with its dot.
    package let aliases = ["forecast.solar", "forecastsolar"]
    /// Solar.
    package let kind: String? = "solar"

    /// Makes the decoder.
    package init() {}

    /// Decodes `watt_hours_period`: the energy at a time is that since the time before it, so the first time has no slot.
    ///
    /// The first and last time of a day are sunrise and sunset; the night is one slot of 0 W.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        _ = try chooseField(options.field, usual: "watt_hours_period", among: ["watt_hours_period"])
        let answer = try decodeJSON(Answer.self, bytes)
        guard let energies = answer.result?.energies else { throw Self.refusal(answer.message) }
        let zone = options.timeZone
        let times = try energies.map { text, wattHours throws(PayloadError) in
            (instant: try Self.instant(text, in: zone), wattHours: wattHours)
        }
        .sorted { $0.instant < $1.instant }
        var drafts = SlotDrafts(kind: .solar, source: name)
        for (before, time) in zip(times, times.dropFirst()) {
            let seconds = time.instant.timeIntervalSince(before.instant)
            drafts.add(before.instant, time.instant, time.wattHours * 3600 / seconds)
        }
        return try drafts.series()
    }

    private static func instant(_ text: String, in zone: TimeZone?) throws(PayloadError) -> Date {
        guard let read = InstantText(text) else { throw .malformed("'\(text)' is no time") }
        if let instant = read.instant { return instant }
        guard let zone else {
            throw PayloadError(
                .argumentNeeded, "the times have no offset", remedy: "ask for time=utc, or tell the time zone")
        }
        guard let first = LocalClock(zone: zone).instants(showing: read.wallSeconds).first else {
            throw .malformed("the clocks of \(zone.identifier) never show \(text)")
        }
        return first
    }

    private static func refusal(_ message: Message?) -> PayloadError {
        let text = message?.text ?? "there is no result"
        guard message?.code == 429 else {
            let isDenied = message?.code == 401 || message?.code == 403
            return PayloadError(
                isDenied ? .permissionDenied : .serviceUnavailable, text, remedy: "check key, place and plane")
        }
        let retry = message?.ratelimit?.retryAt.flatMap { InstantText.instant($0) }
        return PayloadError(.rateLimitExceeded, text, remedy: "wait", retryAt: retry)
    }

    private struct Answer: Decodable {
        let result: Result?
        let message: Message?
    }

    /// An object in a success, a text in a failure.
    private struct Result: Decodable {
        let energies: [String: Double]?

        init(from decoder: any Decoder) throws {
            if (try? decoder.singleValueContainer().decode(String.self)) != nil {
                energies = nil
                return
            }
            energies = try decoder.container(keyedBy: CodingKeys.self).decode([String: Double].self, forKey: .energies)
        }

        private enum CodingKeys: String, CodingKey { case energies = "watt_hours_period" }
    }

    private struct Message: Decodable {
        struct Limit: Decodable {
            let retryAt: String?

            private enum CodingKeys: String, CodingKey { case retryAt = "retry-at" }
        }

        let code: Int?
        let text: String?
        let ratelimit: Limit?
    }
}
