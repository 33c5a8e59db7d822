import Foundation
import Testing

/// The table of field cases in `docs/testing.md` names tests that exist.
@Suite struct FieldCaseTests {
    private static let numbers: [String] =
        (1...17).map { "G-\($0)" } + (1...7).map { "C-\($0)" } + (1...10).map { "D-\($0)" }
        + ["S", "M", "R"].flatMap { letter in (1...4).map { "\(letter)-\($0)" } }

    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")

    /// The cells of the table's rows, by the case's number.
    private func rows() throws -> [String: [String]] {
        let text = try String(contentsOf: root.appendingPathComponent("docs/testing.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap { line -> (String, [String])? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, Self.numbers.contains(cells[0]) else { return nil }
            return (cells[0], Array(cells.dropFirst()))
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// Every test file's text.
    private func tests() throws -> [String] {
        let folder = root.appendingPathComponent("Tests")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }
    }

    @Test func everyCaseHasTestsThatExistOrAReasonWhyNot() throws {
        let rows = try rows()
        let tests = try tests()
        #expect(Set(rows.keys) == Set(Self.numbers))
        for (number, cells) in rows {
            let named = cells[1].split(separator: "`").filter { $0.contains(".") && !$0.contains(" ") }
            #expect(!named.isEmpty || cells[1].hasPrefix("not yet: "), "\(number) has neither a test nor a reason")
            for name in named {
                let parts = name.split(separator: ".").map(String.init)
                let exists = tests.contains { text in
                    parts.count == 2 && text.contains("struct \(parts[0]) ") && text.contains("func \(parts[1])(")
                }
                #expect(exists, "\(number): there is no test \(name)")
            }
        }
    }
}
