import Foundation
import TestSupport

/// The public symbols of the module as it was built, from the compiler's own symbol graphs.
struct SymbolGraph {
    struct Symbol: Decodable {
        struct Fragment: Decodable {
            var spelling: String
        }
        struct Named: Decodable {
            var identifier: String
        }
        struct Precise: Decodable {
            var precise: String
        }
        struct Availability: Decodable {
            struct Version: Decodable {
                var major: Int
            }
            var domain: String?
            var deprecated: Version?
        }
        var kind: Named
        var identifier: Precise
        var pathComponents: [String]
        var declarationFragments: [Fragment]
        var availability: [Availability]?

        var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
        var path: String { pathComponents.joined(separator: ".") }
        var text: String { Declaration.tidy(declarationFragments.map(\.spelling).joined()) }
    }

    struct Relationship: Decodable {
        struct Constraint: Decodable {
            var kind: String
            var lhs: String
            var rhs: String
        }
        var kind: String
        var source: String
        var target: String
        var targetFallback: String?
        var swiftConstraints: [Constraint]?
    }

    private struct File: Decodable {
        var symbols: [Symbol]
        var relationships: [Relationship]
    }

    /// Read once for all tests.
    static let shared = Task { try await SymbolGraph() }

    private(set) var symbols: [Symbol] = []
    private(set) var relationships: [Relationship] = []

    /// Reads the graphs of the EnergyKit that was built together with these tests.
    /// - Throws: `ToolFailure` with what the tool said.
    init() async throws {
        let folder = try TemporaryFolder()
        let build = URL(fileURLWithPath: HubProcess.executable).deletingLastPathComponent().path
        #if arch(arm64)
            let target = "aarch64-unknown-linux-gnu"
        #else
            let target = "x86_64-unknown-linux-gnu"
        #endif
        let outcome = try await ChildProcess.run(
            "/usr/bin/env",
            [
                "swift", "symbolgraph-extract", "-module-name", "EnergyKit", "-target", target,
                "-minimum-access-level", "public", "-skip-synthesized-members", "-I", "\(build)/Modules",
                "-output-dir", folder.url.path,
            ] + (try Self.moduleMaps(build)).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] })
        guard outcome.status == 0 else { throw ToolFailure(description: outcome.standardError) }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            let file = try JSONDecoder().decode(
                File.self, from: try Data(contentsOf: folder.url.appendingPathComponent(name)))
            symbols += file.symbols.filter { !$0.isSynthesized }
            relationships += file.relationships
        }
    }

    /// The C libraries that the module may stand on.
    private static func moduleMaps(_ build: String) throws -> [String] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources").standardizedFileURL
        let libraries = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasPrefix("C") }
        let maps = libraries.map { sources.appendingPathComponent("\($0)/module.modulemap").path }
        return (maps + ["\(build)/CShims.build/module.modulemap"]).filter { FileManager.default.fileExists(atPath: $0) }
    }

    struct ToolFailure: Error, CustomStringConvertible {
        let description: String
    }
}

extension SymbolGraph {
    /// What conformances bring along, which no list names.
    private static let brought: Set<String> = [
        "encode(to:)", "init(from:)", "hash(into:)", "hashValue", "==(_:_:)", "!=(_:_:)",
    ]

    /// The surface of the module.
    var surface: Surface {
        var surface = Surface()
        for symbol in symbols {
            guard let name = symbol.pathComponents.last, !Self.brought.contains(name) else { continue }
            let scope = Array(symbol.pathComponents.dropLast())
            if Declaration.typeKeyword(of: symbol.text) == nil {
                guard !symbol.text.hasPrefix("init?(rawValue:") else { continue }
                surface.addMember(symbol.text, in: scope)
            } else {
                let (declaration, _, clause) = Declaration.splitType(symbol.text)
                surface.addType(clause.map { "\(declaration) where \($0)" } ?? declaration, in: scope, conformsTo: [])
            }
        }
        surface.conformances = conformances
        return surface
    }

    private static let everywhere: Set<String> = ["Copyable", "Escapable", "SendableMetatype", "Codable"]
    private static let elsewhere = ["s:10Foundation11MeasurementV": "Measurement", "s:s8DurationV": "Duration"]

    private var conformances: Set<String> {
        let paths = Dictionary(symbols.map { ($0.identifier.precise, $0.path) }) { first, _ in first }
        var found: Set<String> = []
        for relation in relationships where relation.kind == "conformsTo" {
            guard let other = paths[relation.target] ?? relation.targetFallback?.components(separatedBy: ".").last,
                !Self.everywhere.contains(other)
            else { continue }
            if let own = paths[relation.source] {
                found.insert("\(own): \(other)")
            } else if let stranger = Self.elsewhere[relation.source] {
                let clause = relation.swiftConstraints?.map { "\($0.lhs) == \($0.rhs)" }.joined(separator: ", ")
                found.insert("\(stranger): \(other)" + (clause.map { " where \($0)" } ?? ""))
            }
        }
        return found
    }
}
