import Foundation

/// The members that load events have in JSON.
enum LoadEventKey: String, CodingKey {
    case id, timestamp, deviceID, device, session, measurement
}

/// The device part of an event's JSON: `deviceID`, and `device` if it is known.
struct WireDevice {
    let id: String
    let device: ElectricalLoadDevice?

    /// - Throws: `DecodingError` if neither is there, or if they name two devices.
    init<Key: CodingKey>(from json: KeyedDecodingContainer<Key>, id idKey: Key, device deviceKey: Key) throws {
        device = try json.decodeIfPresent(ElectricalLoadDevice.self, forKey: deviceKey)
        if let device, try json.decodeIfPresent(String.self, forKey: idKey) == nil {
            id = device.id
        } else {
            id = try json.decode(String.self, forKey: idKey)
        }
        if let device, device.id != id {
            throw DecodingError.dataCorruptedError(
                forKey: deviceKey, in: json, debugDescription: "device.id and deviceID name two devices; give one")
        }
    }
}

extension KeyedDecodingContainer {
    /// A whole number, or nothing where the member is absent or null.
    func wholeNumberIfPresent(forKey key: Key) throws -> Int? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try wholeNumber(forKey: key)
    }

    /// A whole number; the decoder's own error for a fraction does not name the member.
    func wholeNumber(forKey key: Key) throws -> Int {
        // As a Double the largest whole numbers would not be whole numbers any more.
        if let whole = try? decode(Int.self, forKey: key) { return whole }
        let number = try decode(Double.self, forKey: key)
        guard let whole = Int(exactly: number) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(number) is not a whole number")
        }
        return whole
    }
}
