import Foundation

/// One declaration of an outline.
struct OutlineEntry {
    /// The types around it, outermost first.
    var scope: [String]
    /// Its text, in one line.
    var text: String
    /// What stands behind it as a comment.
    var comment: String
}

extension Surface {
    /// The surface that the entries of an outline describe.
    /// - Parameter types: the full names of all types, to tell which one a short name means.
    init(_ entries: [OutlineEntry], types: Set<String>) {
        for entry in entries {
            guard let keyword = Declaration.typeKeyword(of: entry.text) else {
                addMember(Declaration.resolve(entry.text, in: entry.scope, types: types), in: entry.scope)
                continue
            }
            let (declaration, protocols, clause) = Declaration.splitType(entry.text)
            if keyword == "extension" {
                addExtension(of: Declaration.name(of: declaration), conformsTo: protocols, where: clause)
            } else {
                let full = clause.map { "\(declaration) where \($0)" } ?? declaration
                addType(full, in: entry.scope, conformsTo: protocols)
            }
        }
    }
}

/// The list of Apple's declarations that lies beside this file: nested by two spaces, one declaration a line.
enum AppleSurface {
    /// Its entries, in order.
    static func entries() throws -> [OutlineEntry] {
        let text = try String(contentsOf: Self.file("apple-surface.txt"), encoding: .utf8)
        var scope: [String] = []
        return text.split(separator: "\n").compactMap { line in
            let parts = line.components(separatedBy: "//")
            let declaration = Declaration.tidy(parts[0])
            guard !declaration.isEmpty else { return nil }
            let depth = line.prefix { $0 == " " }.count / 2
            scope.removeLast(max(0, scope.count - depth))
            defer {
                if Declaration.typeKeyword(of: declaration) != nil { scope.append(Declaration.name(of: declaration)) }
            }
            let comment = parts.dropFirst().joined().trimmingCharacters(in: .whitespaces)
            return OutlineEntry(scope: scope, text: declaration, comment: comment)
        }
    }

    /// The full names of the types among some entries.
    static func types(of entries: [OutlineEntry]) -> Set<String> {
        Set(
            entries.filter { Declaration.typeKeyword(of: $0.text) != nil }.map {
                ($0.scope + [Declaration.name(of: $0.text)]).joined(separator: ".")
            })
    }

    /// A file beside this one.
    static func file(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
    }
}

/// What the module has beyond Apple's names, each with its reason.
struct SurfaceAdditions {
    /// Names that may be there although Apple's list lacks them.
    private(set) var names: Set<String> = []
    /// Names whose declaration differs, and ours.
    private(set) var changes: [String: String] = [:]
    /// Lines that give no reason.
    private(set) var unexplained: [String] = []

    init() throws {
        let text = try String(contentsOf: AppleSurface.file("additions.txt"), encoding: .utf8)
        for line in text.split(separator: "\n") where !line.hasPrefix("//") {
            let parts = line.components(separatedBy: " -- ")
            if parts.count != 2 || parts[1].count < 5 { unexplained.append(String(line)) }
            let change = parts[0].components(separatedBy: " = ")
            if change.count == 2 { changes[change[0]] = change[1] } else { names.insert(parts[0]) }
        }
    }
}
