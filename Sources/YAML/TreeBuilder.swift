/// Builds the tree of one document from the parser's events.
///
/// YAML 1.2 with the core schema. Stricter than the standard, because a person's slip should be an error and not a
/// surprise: keys are scalars and unique, one document a file, no tags but the core schema's, no merge keys.
struct TreeBuilder: ~Copyable {
    private var events: EventStream
    private let source: YAMLSource
    private let limits: YAMLLimits
    private var anchors: [String: YAMLTree] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0

    init(_ events: consuming EventStream, source: YAMLSource, limits: YAMLLimits) {
        self.events = events
        self.source = source
        self.limits = limits
    }

    /// The tree of the only document; null if there is none.
    mutating func document() throws(YAMLError) -> YAMLTree {
        var root: YAMLTree?
        while true {
            let event = try events.next()
            switch event.kind {
            case .end:
                if let root { return root }
                return try empty()
            case .documentStart where root != nil:
                throw source.error(at: event.mark, "a second document begins here", hint: "keep one document a file")
            case .documentStart: root = try tree(try events.next(), depth: 0)
            default: break
            }
        }
    }

    private func empty() throws(YAMLError) -> YAMLTree {
        let mark = YAMLMark(line: 1, column: 1)
        return YAMLTree(.scalar(try scalar("", .plain, tag: nil, mark)), mark: mark, height: 0, expandedCount: 1)
    }

    private mutating func tree(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> YAMLTree {
        try count(1, at: event.mark)
        switch event.kind {
        case .alias(let name): return try alias(name, at: event.mark, depth: depth)
        case .scalar(let text, let style):
            let scalar = try scalar(text, style, tag: event.tag, event.mark)
            let tree = YAMLTree(.scalar(scalar), mark: event.mark, height: 0, expandedCount: 1)
            if let anchor = event.anchor { anchors[anchor] = tree }
            return tree
        default: return try collection(event, depth: depth + 1)
        }
    }

    private mutating func collection(_ event: YAMLEvent, depth: Int) throws(YAMLError) -> YAMLTree {
        try check(depth: depth, at: event.mark)
        if let anchor = event.anchor { openAnchors.insert(anchor) }
        let before = nodeCount - 1
        let content: YAMLTree.Content
        let height: Int
        if case .sequenceStart = event.kind {
            try check(tag: event.tag, is: "seq", at: event.mark)
            (content, height) = try sequence(depth: depth)
        } else {
            try check(tag: event.tag, is: "map", at: event.mark)
            (content, height) = try mapping(depth: depth)
        }
        let tree = YAMLTree(content, mark: event.mark, height: height + 1, expandedCount: nodeCount - before)
        if let anchor = event.anchor {
            openAnchors.remove(anchor)
            anchors[anchor] = tree
        }
        return tree
    }

    private mutating func sequence(depth: Int) throws(YAMLError) -> (YAMLTree.Content, height: Int) {
        var elements: [YAMLTree] = []
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { break }
            elements.append(try tree(event, depth: depth))
        }
        return (.sequence(elements), elements.lazy.map(\.height).max() ?? 0)
    }

    private mutating func mapping(depth: Int) throws(YAMLError) -> (YAMLTree.Content, height: Int) {
        var entries: [YAMLTree.Entry] = []
        var index: [String: Int] = [:]
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { break }
            let key = try tree(event, depth: depth)
            let name = try keyName(key, at: event.mark)
            if let first = index.updateValue(entries.count, forKey: name) {
                throw Self.repeated(name, at: event.mark, first: entries[first].key.mark.line, in: source)
            }
            let value = try tree(try events.next(), depth: depth)
            entries.append(YAMLTree.Entry(key: key, name: name, value: value))
        }
        return (.mapping(entries, index: index), entries.lazy.map(\.value.height).max() ?? 0)
    }

    /// An error about a key that stands in a mapping twice.
    static func repeated(_ name: String, at mark: YAMLMark, first line: Int, in source: YAMLSource) -> YAMLError {
        source.error(
            at: mark, "key '\(YAMLNode.shown(name))' stands here again",
            hint: "keep one of the two; the first is on line \(line)")
    }

    private func keyName(_ key: YAMLTree, at mark: YAMLMark) throws(YAMLError) -> String {
        guard case .scalar(let scalar) = key.content else {
            throw source.error(at: mark, "a key is a list or a mapping", hint: "use a plain word as the key")
        }
        guard scalar.text != "<<" || scalar.style != .plain else {
            throw source.error(
                at: mark, "merge keys ('<<') are not part of YAML 1.2",
                hint: "write the keys out, or use an alias for the whole mapping")
        }
        return scalar.text
    }

    private func scalar(
        _ text: String, _ style: YAMLScalar.Style, tag: String?, _ mark: YAMLMark
    ) throws(YAMLError) -> YAMLScalar {
        if let scalar = YAMLScalar(text: text, style: style, tag: tag) { return scalar }
        throw source.error(
            at: mark, "the tag \(Self.shown(tag: tag)) is unknown or does not fit the value", hint: "remove the tag")
    }

    private mutating func alias(_ name: String, at mark: YAMLMark, depth: Int) throws(YAMLError) -> YAMLTree {
        guard !openAnchors.contains(name) else {
            throw source.error(at: mark, "alias '*\(name)' stands inside its own anchor", hint: "write the value out")
        }
        guard let tree = anchors[name] else {
            throw source.error(
                at: mark, "alias '*\(name)' has no anchor above it",
                hint: "write '&\(name)' before the value it stands for, or put text that begins with '*' in quotes")
        }
        try check(depth: depth + tree.height, at: mark)
        try count(tree.expandedCount - 1, at: mark)
        return tree
    }

    private mutating func count(_ nodes: Int, at mark: YAMLMark) throws(YAMLError) {
        nodeCount += nodes
        guard nodeCount <= limits.nodes else {
            throw source.error(
                at: mark, "the document has more than \(limits.nodes) values, aliases included",
                hint: "use fewer aliases of aliases, or split the file")
        }
    }

    private func check(depth: Int, at mark: YAMLMark) throws(YAMLError) {
        guard depth <= limits.depth else {
            throw source.error(
                at: mark, "lists and mappings are nested more than \(limits.depth) deep", hint: "nest less")
        }
    }

    private func check(tag: String?, is name: String, at mark: YAMLMark) throws(YAMLError) {
        guard let tag, tag != "!", tag != "tag:yaml.org,2002:\(name)" else { return }
        throw source.error(
            at: mark, "the tag \(Self.shown(tag: tag)) is unknown or does not fit the value", hint: "remove the tag")
    }

    private static func shown(tag: String?) -> String {
        let tag = tag ?? ""
        let core = "tag:yaml.org,2002:"
        return "'\(YAMLNode.shown(tag.hasPrefix(core) ? "!!\(tag.dropFirst(core.count))" : tag))'"
    }
}
