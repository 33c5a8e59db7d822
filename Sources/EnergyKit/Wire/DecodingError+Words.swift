extension DecodingError {
    /// What is wrong at the place that could not be decoded, in one clause.
    ///
    /// The texts of Swift and Foundation speak of Swift's types, which a person who wrote JSON does not know.
    package var plainReason: String {
        switch self {
        case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
        case .valueNotFound: "is null where a value is needed"
        case .typeMismatch(let type, _): "\(Self.noun(type)) is needed here"
        case .dataCorrupted(let context): Self.plain(context.debugDescription)
        @unknown default: "it is of another form"
        }
    }

    private static func noun(_ type: Any.Type) -> String {
        if type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type { return "a number" }
        if type is String.Type { return "a text" }
        if type is Bool.Type { return "true or false" }
        return String(describing: type).hasPrefix("Array") ? "a list" : "an object"
    }

    /// Our own words pass; those of Swift and Foundation are known by how they begin.
    private static func plain(_ text: String) -> String {
        if text.hasPrefix("Attempted to decode UUID") { return "this is no UUID, which has 32 hexadecimal digits" }
        if text.hasPrefix("Parsed JSON number") { return "the number does not fit here" }
        if text.hasPrefix("The given data was not valid JSON") { return "it is not JSON" }
        if text.hasPrefix("Cannot initialize"), let range = text.firstRange(of: " value ") {
            return "'\(text[range.upperBound...].prefix(40))' is not known here"
        }
        return text
    }
}
