import Foundation
import TestSupport
import Testing

/// What `scripts/new-driver` writes compiles, whatever commands the hub learned since the templates were written.
@Suite(.timeLimit(.minutes(5))) struct DriverTemplateTests {
    @Test(arguments: ["ev", "hvac", "meter"]) func compiles(kind: String) async throws {
        let outcome = try await Self.typecheck(kind) { $0 }
        #expect(outcome.status == 0, "\(outcome.standardError)")
    }

    @Test func aMistakeWouldBeSeen() async throws {
        let outcome = try await Self.typecheck("hvac") { text in
            text.replacingOccurrences(of: "command == .release", with: "command == .nonsense")
        }
        #expect(outcome.status != 0)
    }

    /// Fills the templates of a kind as the script does, and lets the compiler look at the driver.
    private static func typecheck(_ kind: String, _ change: (String) -> String) async throws -> ChildProcess.Outcome {
        let templates = Example.root.appendingPathComponent("scripts/templates/driver")
        let folder = try TemporaryFolder()
        let files = try ["Driver.swift", "\(kind)/Device.swift"].map { name in
            var text = try String(contentsOf: templates.appendingPathComponent("\(name).template"), encoding: .utf8)
            for (mark, value) in [("NAME", "Acme"), ("ID", "acme"), ("KIND", kind), ("MONTH", "2026-12")] {
                text = text.replacingOccurrences(of: "@\(mark)@", with: value)
            }
            let file = URL(fileURLWithPath: name).lastPathComponent
            try folder.write(change(text), to: file)
            return folder.url.appendingPathComponent(file).path
        }
        // The rules of Package.swift. A package is called by its folder.
        let features = [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "InferIsolatedConformances",
            "NonisolatedNonsendingByDefault",
        ]
        let package = Example.root.lastPathComponent.lowercased()
        return try await Example.typecheck(
            files, as: "AcmeDriver",
            ["-swift-version", "6", "-package-name", package]
                + features.flatMap { ["-enable-upcoming-feature", $0] })
    }
}
