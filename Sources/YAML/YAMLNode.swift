/// A node as the parser built it; an anchor and its aliases share one.
final class YAMLTree: Sendable {
    struct Entry: Sendable {
        let key: YAMLTree
        let name: String
        let value: YAMLTree
    }

    enum Content: Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLTree])
        /// The entries in the order of the file, and where each key stands among them.
        case mapping([Entry], index: [String: Int])
    }

    let content: Content
    let mark: YAMLMark
    /// Levels of sequences and mappings below and including this node; 0 for a scalar.
    let height: Int
    /// Nodes in this tree with aliases followed.
    let expandedCount: Int
    /// Whether a part of it could not be read: a scalar that stands for an unreadable value, or a mapping or sequence
    /// with lines left out.
    let isBroken: Bool

    init(_ content: Content, mark: YAMLMark, height: Int, expandedCount: Int, isBroken: Bool = false) {
        self.isBroken = isBroken
        self.content = content
        self.mark = mark
        self.height = height
        self.expandedCount = expandedCount
    }
}

/// The way from the root to a node; built as a node is reached, so that a long key is not copied to each node below.
final class YAMLPath: Sendable {
    enum Step: Sendable {
        case key(String)
        case index(Int)
    }

    private let parent: YAMLPath?
    private let step: Step

    init(_ step: Step, below parent: YAMLPath?) {
        self.parent = parent
        self.step = step
    }

    var text: String {
        let before = parent?.text ?? ""
        switch step {
        case .index(let index): return "\(before)[\(index)]"
        case .key(let key) where Self.isPlain(key): return before.isEmpty ? key : "\(before).\(key)"
        case .key(let key): return "\(before)[\"\(YAMLNode.shown(key))\"]"
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 40
            && key.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || "0123456789_-".contains(Character($0)) }
    }
}

/// A value in a parsed YAML document: a scalar, a sequence or a mapping, with its place and its key path.
///
/// A value behind an alias has the place where it is written and the path where it is used.
package struct YAMLNode: Sendable {
    /// The shape of a node.
    package enum Shape: Sendable {
        case scalar, sequence, mapping
    }

    let tree: YAMLTree
    let source: YAMLSource
    let location: YAMLPath?

    /// The file's name as the caller gave it.
    package var file: String { source.file }
    /// Where the node begins.
    package var mark: YAMLMark { tree.mark }
    /// The line where the node begins, from 1.
    package var line: Int { tree.mark.line }
    /// The column where the node begins, from 1.
    package var column: Int { tree.mark.column }
    /// The way from the root, such as `devices[2].connection.host`; empty at the root.
    package var path: String { location?.text ?? "" }

    /// Whether this is a scalar, a sequence or a mapping.
    package var shape: Shape {
        switch tree.content {
        case .scalar: .scalar
        case .sequence: .sequence
        case .mapping: .mapping
        }
    }

    /// The scalar, or nil if this is a sequence or a mapping.
    package var scalar: YAMLScalar? {
        guard case .scalar(let scalar) = tree.content else { return nil }
        return scalar
    }

    /// Whether the node stands for a value that could not be read, which was said already.
    package var isUnreadable: Bool { tree.isBroken && shape == .scalar }

    /// Whether lines of the mapping or sequence could not be read, which was said already.
    package var isIncomplete: Bool { tree.isBroken && shape != .scalar }

    /// Whether the node is `null`, `~` or nothing at all.
    package var isNull: Bool { scalar?.kind == .null }

    /// The elements of a sequence, or nil if this is none.
    package var elements: [YAMLNode]? {
        guard case .sequence(let trees) = tree.content else { return nil }
        return trees.enumerated().map { child($1, .index($0)) }
    }

    /// The entries of a mapping in the order of the file, or nil if this is none.
    package var entries: [(key: String, value: YAMLNode)]? {
        guard case .mapping(let entries, _) = tree.content else { return nil }
        return entries.map { ($0.name, child($0.value, .key($0.name))) }
    }

    /// The keys of a mapping in the order of the file; none if this is no mapping.
    package var keys: [String] {
        guard case .mapping(let entries, _) = tree.content else { return [] }
        return entries.map(\.name)
    }

    /// The value of `key`, or nil if this is no mapping or has no such key.
    package subscript(key: String) -> YAMLNode? {
        entry(key).map { child($0.value, .key(key)) }
    }

    /// The element at `index`, or nil if this is no sequence or has no such element.
    package subscript(index: Int) -> YAMLNode? {
        guard case .sequence(let trees) = tree.content, trees.indices.contains(index) else { return nil }
        return child(trees[index], .index(index))
    }

    /// The key itself as a node, for an error about the key and not its value.
    package func keyNode(_ key: String) -> YAMLNode? {
        entry(key).map { child($0.key, .key(key)) }
    }

    /// The node that `keys` leads to from here, such as `limits.max_amps` or `periods[0].hours`, or the last one on the
    /// way that exists: the place for an error about a value that may be absent.
    package func nearest(_ keys: String) -> YAMLNode {
        var node = self
        for step in keys.split(whereSeparator: { ".[]".contains($0) }) {
            guard let next = Int(step).flatMap({ node[$0] }) ?? node[String(step)] else { break }
            node = next
        }
        return node
    }

    /// Makes an error at this node.
    package func error(_ message: String, hint: String?) -> YAMLError {
        source.error(at: mark, path: path, message, hint: hint)
    }

    private func entry(_ key: String) -> YAMLTree.Entry? {
        guard case .mapping(let entries, let index) = tree.content else { return nil }
        return index[key].map { entries[$0] }
    }

    private func child(_ tree: YAMLTree, _ step: YAMLPath.Step) -> YAMLNode {
        YAMLNode(tree: tree, source: source, location: YAMLPath(step, below: location))
    }
}
