package import Foundation

/// What a configuration says about one source of prices, carbon or solar power.
package struct SourceSettings: Sendable, Equatable {
    /// What the source is to give.
    package enum Side: String, Sendable, Codable, CaseIterable {
        /// Money per kWh.
        case price
        /// Grams of CO2 per kWh.
        case carbon
        /// Watts of a solar system.
        case solar
    }

    /// A solar system's place and plane.
    package struct Plane: Sendable, Equatable {
        /// Degrees north.
        package var latitude: Double
        /// Degrees east.
        package var longitude: Double
        /// Degrees from the horizontal, 0 flat … 90 upright.
        package var declination: Double
        /// Degrees from south, −90 east, 90 west.
        package var azimuth: Double
        /// Peak power in watts.
        package var peakWatts: Double

        /// Makes a plane.
        package init(latitude: Double, longitude: Double, declination: Double, azimuth: Double, peakWatts: Double) {
            self.latitude = latitude
            self.longitude = longitude
            self.declination = declination
            self.azimuth = azimuth
            self.peakWatts = peakWatts
        }
    }

    /// What it is to give.
    package var side: Side
    /// What the provider calls zone, region, postcode, home or geo id.
    package var area: String?
    /// The provider's product or tariff, where it has several.
    package var product: String?
    /// Which of several figures is meant, by the provider's own name.
    package var field: String?
    /// The currency wanted, where the provider has several.
    package var currency: String?
    /// Prices with or without VAT, where the provider has both.
    package var vat: PayloadOptions.VAT?
    /// The zone of local times without offset.
    package var timeZone: TimeZone?
    /// The solar system, for forecasts of its power.
    package var plane: Plane?
    /// Scheme, host and folder in place of the provider's own, or the whole address for sources that have none.
    package var address: String?
    /// A Home Assistant entity.
    package var entity: String?
    /// Where a free JSON document holds its rows.
    package var shape: JSONSeriesShape?

    /// Makes settings.
    package init(side: Side) { self.side = side }

    /// What a decoder must be told, up to a moment that open ends are cut at.
    package func options(openEndsAt end: Date?) -> PayloadOptions {
        PayloadOptions(
            area: area, field: field, timeZone: timeZone, vat: vat, currency: currency, openEndsAt: end,
            peakWatts: plane?.peakWatts)
    }

    /// A text that is another when anything that changes the meaning of what was fetched is another; holds no secret.
    var fingerprint: String {
        [
            side.rawValue, area, product, field, currency, vat?.rawValue, timeZone?.identifier,
            plane.map { "\($0)" }, address, entity, shape.map { "\($0)" },
        ].map { $0 ?? "-" }.joined(separator: "|")
    }
}

/// A key, token or password; it is put into a request at the last moment and never described.
package struct SourceKey: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private enum Origin: Sendable, Equatable {
        case file(URL)
        case value(String)
    }

    private let origin: Origin

    /// A key in a file, read at each fetch, so that a new one is used without a restart.
    package init(file: URL) { origin = .file(file) }

    /// A key that is known already, such as from the environment.
    package init(_ value: String) { origin = .value(value) }

    /// The key itself.
    /// - Throws: `PayloadError` of kind `permissionDenied` when its file can't be read or is empty.
    func reveal() throws(PayloadError) -> String {
        switch origin {
        case .value(let value): return value
        case .file(let file):
            let text = (try? String(contentsOf: file, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
            guard let text, !text.isEmpty else {
                throw PayloadError(
                    .permissionDenied, "the key file \(file.path) can't be read or is empty",
                    remedy: "put the key there, readable for the hub only")
            }
            return text
        }
    }

    /// Never the key.
    package var description: String { "(secret)" }
    /// Never the key.
    package var debugDescription: String { description }
    /// Never the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
