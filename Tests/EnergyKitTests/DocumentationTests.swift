import Foundation
import TestSupport
import Testing

/// The documentation builds without a warning, and its code is that of the example programs.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL
    private static let catalog = root.appendingPathComponent("Sources/EnergyKit/EnergyKit.docc")
    private static let build = URL(fileURLWithPath: HubProcess.executable).deletingLastPathComponent().path
    private static let script = root.appendingPathComponent("scripts/docs").path

    @Test func documentationBuildsWithoutWarnings() async throws {
        let outcome = try await ChildProcess.run(Self.script, ["--check", "--build", Self.build])
        #expect(outcome.status == 0, "\(outcome.standardError)")
        #expect(outcome.standardOutput.contains("no warnings"))
    }

    @Test func siteIsWrittenTwiceAndNothingElseIsReplaced() async throws {
        let folder = try TemporaryFolder()
        let site = folder.file("site")
        for _ in 0..<2 {
            let outcome = try await ChildProcess.run(Self.script, ["--build", Self.build, "--output", site.path])
            #expect(outcome.status == 0 && outcome.standardOutput.contains(site.path))
            let page = site.appendingPathComponent("documentation/energykit/index.html")
            #expect(FileManager.default.fileExists(atPath: page.path))
        }
        let kept = try folder.write("precious", to: "other/file.txt")
        let outcome = try await ChildProcess.run(
            Self.script, ["--build", Self.build, "--output", kept.deletingLastPathComponent().path])
        #expect(outcome.status == 2 && outcome.standardError.contains("choose another folder"))
        #expect(try String(contentsOf: kept, encoding: .utf8) == "precious")
    }

    @Test(arguments: [["--help"], ["-h"]]) func helpIsShown(_ arguments: [String]) async throws {
        let outcome = try await ChildProcess.run(Self.script, arguments)
        #expect(outcome.status == 0 && outcome.standardOutput.contains("usage: scripts/docs"))
    }

    @Test(arguments: [["--bad"], ["--output"], ["stray"]]) func wrongUseIsRefused(_ arguments: [String]) async throws {
        let outcome = try await ChildProcess.run(Self.script, arguments)
        #expect(outcome.status == 2 && outcome.standardError.hasPrefix("error: "))
    }

    @Test func codeOfTheArticlesStandsInTheExamples() throws {
        var blocks = 0
        let examples = Self.root.appendingPathComponent("Examples")
        let programs = try FileManager.default.subpathsOfDirectory(atPath: examples.path)
            .filter { $0.hasSuffix(".swift") }
            .map { Self.lines(try String(contentsOf: examples.appendingPathComponent($0), encoding: .utf8)) }
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.catalog.path) where name.hasSuffix(".md") {
            let text = try String(contentsOf: Self.catalog.appendingPathComponent(name), encoding: .utf8)
            for block in text.components(separatedBy: "```swift\n").dropFirst() {
                blocks += 1
                let code = Self.lines(block.components(separatedBy: "\n```")[0])
                let isThere = programs.contains { program in
                    program.indices.contains { program[$0...].starts(with: code) }
                }
                #expect(isThere, "\(name) shows code that no example has:\n\(code.joined(separator: "\n"))")
            }
        }
        #expect(blocks >= 8)
    }

    /// Lines without their indentation, and without the empty ones.
    private static func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
