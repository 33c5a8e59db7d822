public import Foundation

/// The JSON in which venues, guidance and load events travel.
///
/// An addition to Apple's surface.
///
/// The types of this module write their own dates, so any coder gives the same text for them; these coders do the same
/// for dates in types of your own.
public enum EnergyKitJSON {
    /// An encoder with sorted keys, plain slashes and dates as ISO 8601.
    public static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in try WireDate(date).encode(to: encoder) }
        return encoder
    }

    /// A decoder that reads dates of ISO 8601 with any offset and any fraction of a second.
    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in try WireDate(from: decoder).date }
        return decoder
    }

    /// The time that `text` names: ISO 8601 with `Z` or an offset, or `nil` if it is anything else.
    public static func date(from text: String) -> Date? {
        ISO8601Text.date(from: text)
    }

    /// A date as ISO 8601 in UTC with `Z`, with a fraction only if needed.
    /// - Returns: `nil` for a date outside the years 0 to 9999.
    public static func string(from date: Date) -> String? {
        ISO8601Text.string(from: date)
    }
}
