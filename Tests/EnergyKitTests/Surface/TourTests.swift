import Foundation
import Testing

/// The tour, a program that is run against a real hub, uses whatever Apple's list names.
@Suite struct TourTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/EnergyKitTour").standardizedFileURL

    @Test func tourUsesEveryNameOfTheSurface() throws {
        var words: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.sources.path) {
            let text = try String(contentsOf: Self.sources.appendingPathComponent(name), encoding: .utf8)
            let imports = text.components(separatedBy: "\n").filter { $0.contains("import ") && !$0.contains("//") }
            #expect(imports == ["import EnergyKit"], "\(name)")
            words.formUnion(Self.words(text))
        }
        let names = try AppleSurface.entries().flatMap { Self.names(of: $0.text) }
        #expect(names.count > 250)
        #expect(Set(names).subtracting(words) == [], "the tour never uses them")
    }

    /// What a use of a declaration has to say: its name, or the labels of an initialiser.
    private static func names(of declaration: String) -> [String] {
        guard declaration.hasPrefix("init(") else {
            return Self.words(declaration).first { !keywords.contains($0) }.map { [$0] } ?? []
        }
        return declaration.components(separatedBy: ":").dropLast().compactMap { Self.words($0).last }
    }

    private static let keywords: Set<String> = [
        "final", "static", "let", "var", "func", "case", "typealias", "struct", "enum", "class", "actor", "protocol",
        "extension",
    ]

    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { String($0) }
    }
}
