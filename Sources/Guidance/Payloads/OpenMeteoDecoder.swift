package import Foundation

/// Open-Meteo: radiation on the tilted plane as the mean over the interval BEFORE its stamp, turned into the power of a solar system.
///
/// Power = peak power × radiation / 1000 W/m² × 0.86: cells warm up and inverters and cables lose a part; the share is what
/// PVGIS takes as its usual system loss of 14 %.
package struct OpenMeteoDecoder: PayloadDecoder {
    /// `open-meteo`.
    package let name = "open-meteo"
    /// Solar.
    package let kind: String? = "solar"

    /// Makes the decoder.
    package init() {}

    /// Decodes `global_tilted_irradiance` in quarter-hours or hours; times must be asked for as unix time or GMT.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let answer = try decodeJSON(Answer.self, bytes)
        if answer.error == true {
            let text = answer.reason ?? "an error"
            let isLimit = text.lowercased().contains("limit")
            throw PayloadError(
                isLimit ? .rateLimitExceeded : .serviceUnavailable, text, remedy: "check the query, or wait")
        }
        guard let peak = options.peakWatts, peak > 0 else {
            throw PayloadError(
                .argumentNeeded, "the source delivers radiation", remedy: "tell the system's peak power in watts")
        }
        guard (answer.offset ?? 0) == 0 else {
            throw PayloadError(.argumentNeeded, "the times are local", remedy: "ask for timezone=GMT")
        }
        guard let block = answer.quarters ?? answer.hours else {
            throw PayloadError.malformed("there is neither minutely_15 nor hourly")
        }
        guard block.time.count == block.radiation.count else {
            throw PayloadError.malformed("there are \(block.time.count) times but \(block.radiation.count) values")
        }
        let seconds = answer.quarters == nil ? 3600.0 : 900
        var drafts = SlotDrafts(kind: .solar, source: name)
        for (time, radiation) in zip(block.time, block.radiation) {
            let end = try time.instant()
            drafts.add(end.addingTimeInterval(-seconds), end, radiation.map { max(0, $0) / 1000 * peak * 0.86 })
        }
        return try drafts.series()
    }

    private struct Answer: Decodable {
        let quarters: Block?
        let hours: Block?
        let offset: Int?
        let error: Bool?
        let reason: String?

        private enum CodingKeys: String, CodingKey {
            case quarters = "minutely_15"
            case hours = "hourly"
            case offset = "utc_offset_seconds"
            case error, reason
        }
    }

    private struct Block: Decodable {
        let time: [Stamp]
        let radiation: [Double?]

        private enum CodingKeys: String, CodingKey {
            case time
            case radiation = "global_tilted_irradiance"
        }
    }

    /// Unix seconds or an ISO text in GMT.
    private enum Stamp: Decodable {
        case seconds(Double)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let seconds = try? container.decode(Double.self) {
                self = .seconds(seconds)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func instant() throws(PayloadError) -> Date {
            switch self {
            case .seconds(let seconds): Date(timeIntervalSince1970: seconds)
            case .text(let text): try payloadUTC(text)
            }
        }
    }
}
