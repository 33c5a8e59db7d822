import Foundation
import TestSupport
import Testing

/// The examples compile without a warning however a program of anyone's is set up.
@Suite(.timeLimit(.minutes(5))) struct LanguageModeTests {
    @Test(
        arguments: Example.allCases,
        [
            ["-swift-version", "5"],
            ["-swift-version", "6", "-default-isolation", "MainActor"],
        ])
    func compilesWithoutWarnings(_ example: Example, _ mode: [String]) async throws {
        let outcome = try await example.typecheck(mode)
        #expect(outcome.status == 0, "\(outcome.standardError)")
    }

    /// The tour of the whole surface is as much a program of anyone's.
    @Test(arguments: [["-swift-version", "5"], ["-swift-version", "6", "-default-isolation", "MainActor"]])
    func theTourCompilesWithoutWarnings(_ mode: [String]) async throws {
        let outcome = try await Example.typecheck("Sources/EnergyKitTour", as: "EnergyKitTour", mode)
        #expect(outcome.status == 0, "\(outcome.standardError)")
    }

    @Test func aMistakeWouldBeSeen() async throws {
        let outcome = try await Example.chargerApp.typecheck(["-swift-version", "6", "-D", "BAD", "/nowhere.swift"])
        #expect(outcome.status != 0)
    }
}

/// The example programs.
enum Example: String, CaseIterable {
    case chargerApp = "ChargerApp"
    case thermostatApp = "ThermostatApp"
    case insightChart = "InsightChart"

    private static let build = URL(fileURLWithPath: HubProcess.executable).deletingLastPathComponent().path
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL

    /// The program that was built together with these tests.
    var program: String { "\(Self.build)/\(rawValue)" }

    /// Lets the compiler look at its file, as part of a module of its own.
    func typecheck(_ options: [String]) async throws -> ChildProcess.Outcome {
        try await Self.typecheck("Examples/\(rawValue)", as: rawValue, options)
    }

    /// Lets the compiler look at the files of a folder of the checkout, as a module of their own.
    static func typecheck(_ folder: String, as module: String, _ options: [String]) async throws -> ChildProcess.Outcome
    {
        let place = root.appendingPathComponent(folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".swift") }
            .map { place.appendingPathComponent($0).path }
        return try await typecheck(files, as: module, options)
    }

    /// Lets the compiler look at files, as a module of their own.
    static func typecheck(_ files: [String], as module: String, _ options: [String]) async throws
        -> ChildProcess.Outcome
    {
        let sources = root.appendingPathComponent("Sources")
        let maps = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasPrefix("C") }
            .map { sources.appendingPathComponent("\($0)/module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
        return try await ChildProcess.run(
            "/usr/bin/env",
            ["swiftc", "-typecheck", "-parse-as-library", "-warnings-as-errors", "-module-name", module]
                + ["-module-cache-path", "\(build)/ModuleCache", "-I", "\(build)/Modules"]
                + (maps + ["\(build)/CShims.build/module.modulemap"]).flatMap {
                    ["-Xcc", "-fmodule-map-file=\($0)"]
                }
                + options + files)
    }
}
