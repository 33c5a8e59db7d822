extension YAMLNode {
    /// Parses the only document of `text`; an empty one is null.
    /// - Parameter file: the name that errors carry.
    /// - Throws: the first thing that is wrong, with its place.
    package static func parse(
        _ text: String, file: String, limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLError) -> YAMLNode {
        try parse(bytes: Array(text.utf8), file: file, limits: limits)
    }

    /// Parses the only document of UTF-8 `bytes`; an empty one is null.
    /// - Parameter file: the name that errors carry.
    /// - Throws: the first thing that is wrong, with its place; bytes that are not UTF-8 too.
    package static func parse(
        bytes: [UInt8], file: String, limits: YAMLLimits = YAMLLimits()
    ) throws(YAMLError) -> YAMLNode {
        guard bytes.count <= limits.bytes else { throw tooLarge(file, limits) }
        let source = YAMLSource(file: file, bytes: bytes)
        try checkUTF8(source)
        let tree = try source.bytes.withUnsafeBufferPointer { input throws(YAMLError) -> YAMLTree in
            var builder = TreeBuilder(try EventStream(input, source: source), source: source, limits: limits)
            return try builder.document()
        }
        return YAMLNode(tree: tree, source: source, location: nil)
    }

    static func checkUTF8(_ source: YAMLSource) throws(YAMLError) {
        let bytes = source.bytes
        let span = bytes.span
        do {
            _ = try UTF8Span(validating: span)
        } catch {
            let mark = source.mark(atByte: error.byteOffsets.lowerBound)
            throw source.error(at: mark, "the text is not UTF-8 here", hint: "save the file as UTF-8")
        }
        // A null byte is in no text, and libyaml would speak of control characters.
        if let place = bytes.firstIndex(of: 0) {
            throw source.error(
                at: source.mark(atByte: place),
                "the file is binary, not text: here is a null byte, one of the control characters",
                hint: "remove this character, or name the right file")
        }
    }

    static func tooLarge(_ file: String, _ limits: YAMLLimits) -> YAMLError {
        YAMLError(
            file: file, message: "the file is larger than \(limits.bytes) bytes",
            hint: "name a file that a person wrote, or split it")
    }
}
