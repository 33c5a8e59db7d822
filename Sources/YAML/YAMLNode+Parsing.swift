internal import Glibc

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

    /// Reads and parses the file at `path`.
    /// - Throws: also if the file cannot be read; that error has line 0.
    package static func load(path: String, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLNode {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limits.bytes {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return try parse(bytes: bytes, file: path, limits: limits)
    }

    private static func checkUTF8(_ source: YAMLSource) throws(YAMLError) {
        let bytes = source.bytes
        let span = bytes.span
        do {
            _ = try UTF8Span(validating: span)
        } catch {
            let mark = source.mark(atByte: error.byteOffsets.lowerBound)
            throw source.error(at: mark, "the text is not UTF-8 here", hint: "save the file as UTF-8")
        }
    }

    private static func tooLarge(_ file: String, _ limits: YAMLLimits) -> YAMLError {
        YAMLError(
            file: file, line: 0, column: 0, path: "", message: "the file is larger than \(limits.bytes) bytes",
            hint: "split it")
    }

    private static func unreadable(_ path: String, _ code: Int32) -> YAMLError {
        let reason = String(cString: strerror(code))
        return YAMLError(
            file: path, line: 0, column: 0, path: "", message: "the file cannot be read: \(reason)",
            hint: code == ENOENT ? "check the path" : "check who may read it")
    }
}
