import Foundation

extension EnergyVenue: Codable {
    private enum Key: String, CodingKey {
        case id, name, homeID, timeZone, currency
    }

    /// Reads the venue's JSON.
    /// - Throws: `DecodingError` for a missing id, name or zone and for a zone that this machine does not know.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        let identifier = try json.decode(String.self, forKey: .timeZone)
        guard let timeZone = TimeZone(identifier: identifier) else {
            throw DecodingError.dataCorruptedError(
                forKey: .timeZone, in: json,
                debugDescription: "\"\(identifier)\" is not a known IANA time zone; write one such as Europe/Berlin")
        }
        self.init(
            id: try json.decode(UUID.self, forKey: .id),
            name: try json.decode(String.self, forKey: .name),
            details: Details(
                timeZone: timeZone,
                homeID: try json.decodeIfPresent(UUID.self, forKey: .homeID),
                currency: try json.decodeIfPresent(String.self, forKey: .currency)))
    }

    /// Writes the venue's JSON; what is unknown is absent.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(id, forKey: .id)
        try json.encode(name, forKey: .name)
        try json.encodeIfPresent(homeID, forKey: .homeID)
        try json.encode(timeZone.identifier, forKey: .timeZone)
        try json.encodeIfPresent(currency, forKey: .currency)
    }
}
