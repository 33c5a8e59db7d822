import EnergyKit
import Foundation
import Testing

/// Every public name of the module is Apple's, or stands with its reason in the list of additions; and none is missing.
@Suite(.timeLimit(.minutes(5))) struct PublicSurfaceTests {
    @Test func modulesPublicSurfaceIsApplesAndTheListedAdditions() async throws {
        let entries = try AppleSurface.entries()
        let apple = Surface(entries, types: AppleSurface.types(of: entries))
        let graph = try await SymbolGraph.shared.value
        let ours = graph.surface
        let additions = try SurfaceAdditions()
        #expect(additions.unexplained == [])
        #expect(apple.declarations.count > 200 && ours.declarations.count > apple.declarations.count)

        let changed = Set(additions.changes.keys)
        let missing = apple.declarations.subtracting(ours.declarations)
        #expect(missing.filter { !changed.contains(Self.path($0)) } == [])
        for (path, declaration) in additions.changes {
            #expect(ours.declarations.contains { Self.path($0) == path && $0.hasSuffix("| \(declaration)") })
        }
        #expect(apple.conformances.subtracting(ours.conformances) == [])

        var unused = additions.names
        let paths = Dictionary(grouping: graph.symbols, by: \.text)
        for extra in ours.declarations.subtracting(apple.declarations) {
            let names = Self.names(of: extra, paths)
            let known = names.filter { additions.names.contains($0) }
            unused.subtract(known)
            if known.isEmpty, !names.contains(where: { changed.contains($0) }) {
                Issue.record("beyond Apple's names and not in additions.txt: \(extra)")
            }
        }
        for extra in ours.conformances.subtracting(apple.conformances) {
            let type = extra.components(separatedBy: ": ")[0]
            let known = ([extra] + Self.prefixes(type)).filter { additions.names.contains($0) }
            unused.subtract(known)
            if known.isEmpty { Issue.record("beyond Apple's conformances and not in additions.txt: \(extra)") }
        }
        #expect(unused == [], "listed as additions, but Apple's or not there")
    }

    @Test func oldSpellingsAreMarkedForApplesSystemsOnly() async throws {
        let old = try AppleSurface.entries().filter { $0.comment.contains("deprecated") }
        #expect(old.count == 3)
        let marked = try await SymbolGraph.shared.value.symbols.filter {
            $0.availability?.contains { $0.deprecated != nil } == true
        }
        #expect(marked.count == old.count)
        for symbol in marked {
            #expect(symbol.availability?.map(\.domain) == ["iOS"])
            #expect(symbol.availability?.map { $0.deprecated?.major } == [27])
            let isOld = old.contains { entry in
                entry.scope == symbol.pathComponents.dropLast() && symbol.pathComponents.last == Self.base(entry.text)
            }
            #expect(isOld, "\(symbol.path)")
        }
    }

    /// The type's own name for a type's declaration; for a member its container with its first word that is a name.
    private static func path(_ fact: String) -> String {
        let parts = fact.components(separatedBy: " | ")
        let name = Declaration.name(of: parts[1])
        return parts[0].isEmpty ? name : "\(parts[0]).\(name)"
    }

    /// Every name under which an addition may be listed: its own, and those of the types around it.
    private static func names(of fact: String, _ symbols: [String: [SymbolGraph.Symbol]]) -> [String] {
        let parts = fact.components(separatedBy: " | ")
        let (text, _, _) = Declaration.splitType(parts[1])
        let own = (symbols[parts[1]] ?? symbols.filter { $0.key.hasPrefix(text) }.flatMap(\.value))
            .filter { $0.pathComponents.dropLast().joined(separator: ".") == parts[0] }.map(\.path)
        return own + prefixes(parts[0])
    }

    private static func prefixes(_ path: String) -> [String] {
        let components = path.components(separatedBy: ".")
        return components.indices.map { components[...$0].joined(separator: ".") }
    }

    /// The base name with labels of an initialiser's declaration.
    private static func base(_ declaration: String) -> String {
        let labels = declaration.dropFirst("init(".count).components(separatedBy: ", ").map {
            $0.prefix { $0 != ":" } + ":"
        }
        return "init(\(labels.joined()))"
    }
}
