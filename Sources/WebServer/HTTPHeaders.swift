/// Header fields of a request in the order they came; names compare without regard to case.
package struct HTTPHeaders: Sendable, Equatable {
    /// One header field.
    package struct Field: Sendable, Equatable {
        /// The name in lower case.
        package let name: String
        /// The value without surrounding white space.
        package let value: String
    }

    /// Every field, repeated ones included.
    package private(set) var fields: [Field]

    /// Wraps fields; names are put in lower case.
    package init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { Field(name: $0.name.lowercased(), value: $0.value) }
    }

    /// The value of the first field with this name.
    package subscript(name: String) -> String? {
        let name = name.lowercased()
        return fields.first { $0.name == name }?.value
    }

    /// The values of every field with this name.
    package func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name == name }.map(\.value)
    }

    /// The comma-separated elements of every field with this name, without empty ones.
    package func elements(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map(trimmed).filter { !$0.isEmpty }
    }

    private func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let head = text.drop(while: isBlank)
        guard let last = head.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(head[...last])
    }
}
