package import Foundation

/// What must be told about a payload that does not say it itself.
package struct PayloadOptions: Sendable, Equatable {
    /// Whether prices with or without VAT are wanted.
    package enum VAT: String, Sendable, CaseIterable {
        /// With VAT.
        case included
        /// Without VAT.
        case excluded
    }

    /// What the provider calls zone, region, postcode or geo id; nil takes the only one there is.
    package var area: String?
    /// Which of several figures is meant, by the provider's own name; nil takes what the consumer pays, or the source's main figure.
    package var field: String?
    /// The zone of local times without offset.
    package var timeZone: TimeZone?
    /// Prices with or without VAT, where the source has both.
    package var vat: VAT?
    /// The currency wanted, where the source has several.
    package var currency: String?
    /// Where a price with an open end is cut; nil: two days after the last time that the payload names.
    package var openEndsAt: Date?
    /// The peak power of the solar system in watts, for sources that deliver radiation.
    package var peakWatts: Double?

    /// Makes options.
    package init(
        area: String? = nil, field: String? = nil, timeZone: TimeZone? = nil, vat: VAT? = nil, currency: String? = nil,
        openEndsAt: Date? = nil, peakWatts: Double? = nil
    ) {
        self.area = area
        self.field = field
        self.timeZone = timeZone
        self.vat = vat
        self.currency = currency
        self.openEndsAt = openEndsAt
        self.peakWatts = peakWatts
    }
}

/// Turns what one provider delivers into the common series.
///
/// Times become half-open UTC slots with explicit ends, values per kWh, grams per kWh or watts; null stays unknown.
package protocol PayloadDecoder: Sendable {
    /// The source's name on the command line and in configurations.
    var name: String { get }
    /// Other names it goes by.
    var aliases: [String] { get }
    /// What it delivers: `price`, `carbon` or `solar`; nil when that depends on the payload.
    var kind: String? { get }

    /// Decodes a payload.
    ///
    /// - Throws: `PayloadError`, or the `DecodingError` or `SeriesFault` that it is made from; callers use `series(from:options:file:)`.
    func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries
}

extension PayloadDecoder {
    /// No other names.
    package var aliases: [String] { [] }

    /// Decodes a payload; every failure is a `PayloadError`.
    ///
    /// - Parameters:
    ///   - bytes: the payload; an empty one means that nothing is published yet.
    ///   - options: what must be told.
    ///   - file: the file it came from, for the error.
    package func series(
        from bytes: Data, options: PayloadOptions = PayloadOptions(), file: String? = nil
    ) throws(PayloadError) -> EnergySeries {
        var failure: PayloadError
        do {
            guard bytes.contains(where: { !$0.isWhitespaceInText }) else {
                throw PayloadError.nothing("the answer is empty")
            }
            let series = try decode(bytes, options: options)
            if !series.slots.isEmpty { return series }
            failure = .nothing("the payload holds no value")
        } catch let error as PayloadError {
            failure = error
        } catch let fault as SeriesFault {
            failure = .malformed(
                [fault.index.map { "slot \($0)" }, fault.what].compactMap(\.self).joined(separator: ": "))
        } catch {
            failure = .malformed(jsonReason(error))
        }
        failure.file = file
        throw failure
    }
}

extension UInt8 {
    fileprivate var isWhitespaceInText: Bool { self == 32 || (9...13).contains(self) }
}
