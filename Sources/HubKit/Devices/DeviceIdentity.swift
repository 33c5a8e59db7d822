/// A device's stable name in URLs, topics and the store: letters, digits, `-` and `_`, 1 to 64 of them.
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible, Codable {
    /// The name itself.
    public let rawValue: String

    /// Makes an identifier, or nothing when the text has other characters or another length.
    public init?(_ text: String) {
        let isAllowed = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "_")
        }
        guard (1...64).contains(text.utf8.count), isAllowed else { return nil }
        rawValue = text
    }

    /// Reads an identifier from text.
    /// - Throws: `DecodingError` when the text is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = DeviceID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a device id")
        }
        self = id
    }

    /// Writes the identifier as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The name itself.
    public var description: String { rawValue }

    /// The order of the names.
    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.rawValue < right.rawValue }
}

/// What a device is to the house.
public enum DeviceKind: String, Sendable, Codable, CaseIterable {
    /// A charger with a car on it.
    case ev
    /// A heat pump, an air conditioner or a thermostat.
    case hvac
    /// A meter, or an inverter read as one.
    case meter
}

/// What a meter measures, so that the house adds up.
public enum MeterRole: String, Sendable, Codable, CaseIterable {
    /// The connection to the grid: positive is import.
    case grid
    /// Solar production: positive is production.
    case solar
    /// A home battery: positive is discharge.
    case battery
    /// Some other load: positive is consumption.
    case load
}

/// How a device is used, chosen by a person.
public enum DeviceMode: String, Sendable, Codable, CaseIterable {
    /// Not used by the hub: a charger is paused, a heat pump is left alone.
    case off
    /// At once, whatever it costs.
    case now
    /// In the hours that guidance and plan choose.
    case guided
    /// From the house's own surplus.
    case solar
}

extension DeviceID: ExpressibleByStringLiteral {
    /// Names a device in source code; a name that is none is a programmer's error.
    public init(stringLiteral text: StaticString) {
        guard let id = DeviceID("\(text)") else { preconditionFailure("'\(text)' is not a device id") }
        self = id
    }
}
