extension YAMLNode {
    /// This node with the entries of another laid over it, mapping by mapping; a scalar or list is replaced.
    ///
    /// Each value keeps the place where it is written, so that an error still points there.
    package func overlaid(with change: YAMLNode) -> YAMLNode {
        YAMLNode(tree: Self.overlay(change.tree, on: tree), source: source, location: location)
    }

    private static func overlay(_ change: YAMLTree, on base: YAMLTree) -> YAMLTree {
        guard case .mapping(let changes, _) = change.content, case .mapping(var entries, var index) = base.content
        else { return change }
        for entry in changes {
            if let place = index[entry.name] {
                let merged = overlay(entry.value, on: entries[place].value)
                entries[place] = YAMLTree.Entry(key: entries[place].key, name: entry.name, value: merged)
            } else {
                index[entry.name] = entries.count
                entries.append(entry)
            }
        }
        let height = 1 + (entries.map(\.value.height).max() ?? 0)
        let count = entries.reduce(1) { $0 + $1.value.expandedCount }
        return YAMLTree(.mapping(entries, index: index), mark: base.mark, height: height, expandedCount: count)
    }
}
