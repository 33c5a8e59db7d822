import EnergyKit
import HubKit

extension DecodingError {
    /// Where in the document decoding failed.
    package var path: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        case .keyNotFound(let key, let context): context.codingPath + [key]
        @unknown default: []
        }
    }

    /// What decoding failed on, in one clause.
    fileprivate var reason: String {
        switch self {
        case .keyNotFound: "is missing"
        case .valueNotFound: "is null"
        case .typeMismatch(let type, _): "is not \(Self.noun(type))"
        case .dataCorrupted: plainReason
        @unknown default: "cannot be read"
        }
    }

    private static func noun(_ type: Any.Type) -> String {
        switch type {
        case is Double.Type, is Int.Type: "a number"
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is [Any].Type: "a list"
        default: String(describing: type).hasPrefix("Array") ? "a list" : "an object"
        }
    }
}

/// A JSON path such as `$.price[3].value`.
package func jsonPath(_ path: [any CodingKey]) -> String {
    path.reduce(into: "$") { text, key in
        text += key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
    }
}

/// Why a document could not be read, with the JSON path: `$.price[3].value is not a number`.
package func jsonReason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return plainWords(of: error) }
    if case .dataCorrupted(let context) = error, context.codingPath.isEmpty { return "it is not JSON" }
    return "\(jsonPath(error.path)) \(error.reason)"
}
