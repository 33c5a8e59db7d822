import EnergyKit
import Foundation

/// The hub's time, which a demo lets run faster.
struct ClockJSON: Encodable {
    var now: Date
    var speed: Double
}

/// The coders of the API, and what went wrong with a body in plain words.
enum APIJSON {
    static func encoder() -> JSONEncoder { EnergyKitJSON.encoder() }

    static func decoder() -> JSONDecoder { EnergyKitJSON.decoder() }

    static func plainText(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context): "\(path(context.codingPath)) lacks '\(key.stringValue)'"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "the body is not JSON"
        case .valueNotFound(_, let context): "\(path(context.codingPath)) is null where a value is needed"
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            "\(path(context.codingPath)): \(error.plainReason)"
        @unknown default: "the body can't be read"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        guard !keys.isEmpty else { return "the body" }
        return keys.reduce("") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
        }
    }
}
