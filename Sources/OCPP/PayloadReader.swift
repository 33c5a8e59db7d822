import EnergyKit
package import Foundation

/// Reads the members of a payload as OCPP types them, forgiving what chargers commonly do wrong and a meaning survives.
package struct PayloadReader {
    private let payload: Payload

    /// Reads `payload`.
    package init(_ payload: Payload) {
        self.payload = payload
    }

    /// A string that must be there; a number is taken as its digits.
    /// - Throws: `CallError` when it is missing or something else.
    package func text(_ key: String) throws(CallError) -> String {
        guard let text = try optionalText(key) else { throw missing(key) }
        return text
    }

    /// A string that may be absent.
    /// - Throws: `CallError` when it is something else.
    package func optionalText(_ key: String) throws(CallError) -> String? {
        switch payload[key] {
        case nil: return nil
        case .text(let text)?: return text
        case .number?: return payload[key]?.json
        default: throw CallError(.typeConstraintViolation, "\(key) is a string")
        }
    }

    /// A number that must be there; digits in a string are taken as one.
    /// - Throws: `CallError` when it is missing or no number.
    package func number(_ key: String) throws(CallError) -> Double {
        guard let number = try optionalNumber(key) else { throw missing(key) }
        return number
    }

    /// A number that may be absent.
    /// - Throws: `CallError` when it is something else.
    package func optionalNumber(_ key: String) throws(CallError) -> Double? {
        switch payload[key] {
        case nil: return nil
        case .number(let number)?: return number
        case .text(let text)?:
            if let number = Double(text), number.isFinite { return number }
            throw CallError(.typeConstraintViolation, "\(key) is a number")
        default: throw CallError(.typeConstraintViolation, "\(key) is a number")
        }
    }

    /// A whole number that must be there, such as the number of a connector.
    /// - Throws: `CallError` when it is missing or not one.
    package func integer(_ key: String) throws(CallError) -> Int {
        guard let integer = try optionalInteger(key) else { throw missing(key) }
        return integer
    }

    /// A whole number that may be absent.
    /// - Throws: `CallError` when it is something else.
    package func optionalInteger(_ key: String) throws(CallError) -> Int? {
        guard let number = try optionalNumber(key) else { return nil }
        guard let integer = Int(exactly: number), abs(integer) <= Int(Int32.max) else {
            throw CallError(.propertyConstraintViolation, "\(key) is a whole number of 32 bits")
        }
        return integer
    }

    /// A time; nothing where it is absent or none, since no message is worthless without it.
    ///
    /// One without an offset is taken as UTC, as OCPP asks for.
    package func time(_ key: String) -> Date? {
        guard let text = payload[key]?.asText else { return nil }
        return EnergyKitJSON.date(from: text) ?? EnergyKitJSON.date(from: text + "Z")
    }

    /// The objects of an array that may be absent.
    /// - Throws: `CallError` when it is something else.
    package func list(_ key: String) throws(CallError) -> [Payload] {
        guard let value = payload[key] else { return [] }
        guard let list = value.asList else { throw CallError(.typeConstraintViolation, "\(key) is an array") }
        return list
    }

    private func missing(_ key: String) -> CallError {
        CallError(.occurenceConstraintViolation, "\(key) is missing")
    }
}
