/// Header fields in their order; names compare without regard to case.
package struct WebHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One header field.
    package struct Field: Sendable, Equatable {
        /// The name as written.
        package let name: String
        /// The value without surrounding white space.
        package let value: String
    }

    /// Every field, repeated ones included.
    package private(set) var fields: [Field] = []

    /// Makes an empty set.
    package init() {}

    /// Makes fields of names and values.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The values of all fields of that name, joined with a comma; nil if there is none.
    ///
    /// Setting takes the place of all of them; nil takes them away.
    package subscript(name: String) -> String? {
        get {
            let values = values(name)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        set {
            fields.removeAll { Self.same($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// The value of each field of that name.
    package func values(_ name: String) -> [String] {
        fields.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// Adds a field after the others.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    private static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
}
