/// Reads what can be read of a text that is not YAML as a whole, so that one slip does not hide the faults elsewhere.
///
/// The lines are taken apart by their indentation, entry by entry and element by element, until each part can be read
/// alone or is lost; a lost one leaves an unreadable value where it stood.
struct Salvage {
    private let source: YAMLSource
    private let limits: YAMLLimits
    private let lines: [Range<Int>]
    private(set) var errors: [YAMLError] = []
    // Each attempt reads its part once more; a file full of slips must not take long.
    private var attempts = 400
    private var budget = 4 << 20

    init(_ source: YAMLSource, limits: YAMLLimits) {
        self.source = source
        self.limits = limits
        lines = source.lines
    }

    /// The tree of the whole text, as far as it can be read.
    mutating func document() -> YAMLTree? { block(Part(lines: 0..<lines.count)) }

    /// A stretch of lines; of the first one, the first `blank` bytes are taken for spaces.
    private struct Part {
        var lines: Range<Int>
        var blank = 0
    }

    private mutating func block(_ part: Part, depth: Int = 0) -> YAMLTree? {
        guard depth < 40, let first = part.lines.first(where: { indentation($0, part) != nil }),
            let indent = indentation(first, part)
        else { return nil }
        let isSequence = hasDash(first, at: indent)
        let starts = part.lines.filter { line in
            guard let own = indentation(line, part), line >= first else { return false }
            return isSequence ? own == indent && hasDash(line, at: own) : own <= indent && beginsEntry(line, at: own)
        }
        let parts = zip(starts, starts.dropFirst() + [part.lines.upperBound]).map { start, end in
            Part(lines: start..<end, blank: start == part.lines.lowerBound ? part.blank : 0)
        }
        return isSequence ? sequence(parts, indent, depth) : mapping(parts, indent, depth)
    }
}

// MARK: - Elements and entries

extension Salvage {
    private mutating func sequence(_ parts: [Part], _ indent: Int, _ depth: Int) -> YAMLTree? {
        var elements: [YAMLTree] = []
        for part in parts {
            switch read(part) {
            case .success(let tree):
                if case .sequence(let found) = tree.content { elements += found }
            case .failure(let error):
                let before = errors.count
                let inner = block(Part(lines: part.lines, blank: indent + 1), depth: depth + 1)
                if errors.count == before { note(error) }
                elements.append(inner ?? lost(at: part, indent))
            }
        }
        guard let first = parts.first else { return nil }
        return tree(.sequence(elements), of: elements, at: mark(first, indent), isBroken: false)
    }

    private mutating func mapping(_ parts: [Part], _ indent: Int, _ depth: Int) -> YAMLTree? {
        var entries: [YAMLTree.Entry] = []
        var isBroken = false
        for part in parts {
            switch read(part) {
            case .success(let tree):
                if case .mapping(let found, _) = tree.content {
                    entries += found
                } else if !tree.content.isNothing {
                    errors.append(
                        source.error(
                            at: tree.mark, "could not find expected ':'",
                            hint: SyntaxAdvice.hint(for: "could not find expected ':'", at: tree.mark, in: source)))
                    isBroken = true
                }
            case .failure(let error):
                if let lost = self.entry(part, indent, depth, error) { entries.append(lost) } else { isBroken = true }
            }
        }
        guard let first = parts.first else { return nil }
        let kept = unique(entries)
        let index = Dictionary(kept.enumerated().map { ($1.name, $0) }) { first, _ in first }
        return tree(.mapping(kept, index: index), of: kept.map(\.value), at: mark(first, indent), isBroken: isBroken)
    }

    /// An entry whose lines can't be read as they are; nil when not even its key can.
    private mutating func entry(
        _ part: Part, _ indent: Int, _ depth: Int, _ error: YAMLError
    ) -> YAMLTree.Entry? {
        guard let key = key(part, indent), let scalar = YAMLScalar(text: key.name, style: .plain, tag: nil) else {
            note(error)
            return nil
        }
        let before = errors.count
        var value: YAMLTree?
        if key.isAlone {
            let body = part.lines.lowerBound + 1..<part.lines.upperBound
            value = block(Part(lines: body), depth: depth + 1)
        }
        if errors.count == before { note(error) }
        let place = mark(part, indent)
        return YAMLTree.Entry(
            key: YAMLTree(.scalar(scalar), mark: place, height: 0, expandedCount: 1), name: key.name,
            value: value ?? lost(at: part, indent))
    }

    /// Keeps an error, unless it only comes from reading a part alone.
    private mutating func note(_ error: YAMLError) {
        if error.message.hasPrefix("alias '"), source.bytes.contains(UInt8(ascii: "&")) { return }
        errors.append(error)
    }

    private mutating func unique(_ entries: [YAMLTree.Entry]) -> [YAMLTree.Entry] {
        var first: [String: Int] = [:]
        return entries.filter { entry in
            guard let line = first[entry.name] else {
                first[entry.name] = entry.key.mark.line
                return true
            }
            errors.append(TreeBuilder.repeated(entry.name, at: entry.key.mark, first: line, in: source))
            return false
        }
    }

    private func lost(at part: Part, _ indent: Int) -> YAMLTree {
        let nothing = YAMLScalar.nothing
        return YAMLTree(.scalar(nothing), mark: mark(part, indent), height: 0, expandedCount: 1, isBroken: true)
    }

    private func tree(
        _ content: YAMLTree.Content, of below: [YAMLTree], at mark: YAMLMark, isBroken: Bool
    ) -> YAMLTree {
        YAMLTree(
            content, mark: mark, height: (below.map(\.height).max() ?? 0) + 1,
            expandedCount: below.reduce(1) { $0 + $1.expandedCount }, isBroken: isBroken)
    }
}

// MARK: - Lines

extension Salvage {
    private func mark(_ part: Part, _ indent: Int) -> YAMLMark {
        YAMLMark(line: part.lines.lowerBound + 1, column: indent + 1)
    }

    private func bytes(_ line: Int) -> ArraySlice<UInt8> { source.bytes[lines[line]] }

    /// The spaces before the first character; nil for a line with nothing but a comment.
    private func indentation(_ line: Int, _ part: Part) -> Int? {
        let blank = line == part.lines.lowerBound ? part.blank : 0
        for (column, byte) in bytes(line).enumerated() where column >= blank && byte != UInt8(ascii: " ") {
            return [UInt8(ascii: "#"), 0x0A, 0x0D].contains(byte) ? nil : column
        }
        return nil
    }

    private func hasDash(_ line: Int, at column: Int) -> Bool {
        let rest = bytes(line).dropFirst(column)
        guard rest.first == UInt8(ascii: "-") else { return false }
        return rest.dropFirst().first.map { [0x20, 0x0A, 0x0D].contains($0) } ?? true
    }

    /// Whether a line that begins at a column can begin an entry: an element of a list above it does not, nor does the
    /// end of a bracket.
    private func beginsEntry(_ line: Int, at column: Int) -> Bool {
        let first = bytes(line).dropFirst(column).first
        return !hasDash(line, at: column) && first != UInt8(ascii: "]") && first != UInt8(ascii: "}")
    }

    /// The plain key that a part begins with, and whether nothing but a comment follows on its line.
    private func key(_ part: Part, _ indent: Int) -> (name: String, isAlone: Bool)? {
        let text = bytes(part.lines.lowerBound).dropFirst(indent)
        let name = text.prefix { byte in
            (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        let rest = text.dropFirst(name.count)
        guard !name.isEmpty, rest.first == UInt8(ascii: ":") else { return nil }
        let value = rest.dropFirst().drop { $0 == 0x20 }
        let isAlone = value.first.map { [UInt8(ascii: "#"), 0x0A, 0x0D].contains($0) } ?? true
        return (String(decoding: name, as: UTF8.self), isAlone)
    }

    /// Reads a part as a document of its own, at its own place.
    private mutating func read(_ part: Part) -> Result<YAMLTree, YAMLError> {
        let start = lines[part.lines.lowerBound].lowerBound
        let end = lines[part.lines.upperBound - 1].upperBound
        attempts -= 1
        budget -= end - start + part.lines.lowerBound
        guard attempts > 0, budget > 0 else {
            let mark = YAMLMark(line: part.lines.lowerBound + 1, column: 1)
            return .failure(
                source.error(at: mark, "from here on the file was not read", hint: "mend what stands above first"))
        }
        // An empty line for each line above keeps the line numbers.
        var input = [UInt8](repeating: 0x0A, count: part.lines.lowerBound) + source.bytes[start..<end]
        let shift = start - part.lines.lowerBound
        for offset in 0..<min(part.blank, end - start) { input[part.lines.lowerBound + offset] = 0x20 }
        do throws(YAMLError) {
            return .success(
                try input.withUnsafeBufferPointer { input throws(YAMLError) -> YAMLTree in
                    let events = try EventStream(input, source: source, shift: shift)
                    var builder = TreeBuilder(events, source: source, limits: limits)
                    return try builder.document()
                })
        } catch {
            return .failure(error)
        }
    }
}

extension YAMLTree.Content {
    /// Whether it is an empty document.
    fileprivate var isNothing: Bool {
        guard case .scalar(let scalar) = self else { return false }
        return scalar.kind == .null
    }
}

extension YAMLScalar {
    /// What stands for a value that can't be read.
    fileprivate static var nothing: YAMLScalar { YAMLScalar(text: "", plain: .null) }
}

extension YAMLNode {
    /// Parses the only document of `bytes`; where that can't be done, parses what can be read of it.
    ///
    /// Values that are lost are unreadable nodes: a `YAMLReader` passes over them in silence.
    /// - Returns: the root, nil when nothing can be read, and everything that is wrong; no error when all could be read.
    package static func salvage(
        bytes: [UInt8], file: String, limits: YAMLLimits = YAMLLimits()
    ) -> (root: YAMLNode?, errors: [YAMLError]) {
        do throws(YAMLError) {
            return (try parse(bytes: bytes, file: file, limits: limits), [])
        } catch {
            guard bytes.count <= limits.bytes, !bytes.contains(0) else { return (nil, [error]) }
            // A letter in another encoding becomes a replacement character, which is one column too.
            let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
            let source = YAMLSource(file: file, bytes: text)
            var salvage = Salvage(source, limits: limits)
            let tree = salvage.document()
            var errors = salvage.errors
            if errors.isEmpty || text != bytes { errors.insert(error, at: 0) }
            guard let tree, case .mapping = tree.content else { return (nil, errors) }
            return (YAMLNode(tree: tree, source: source, location: nil), errors)
        }
    }
}
