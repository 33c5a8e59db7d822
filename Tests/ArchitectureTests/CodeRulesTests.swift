import Testing

@Suite struct CodeRulesTests {
    @Test(arguments: [
        ("Sources/Control/A.swift", "let now = Date()"), ("Sources/Control/A.swift", "let text = \"at \\(Date())\""),
        ("Sources/Control/A.swift", "init(at: Date = .now) {}"), ("Plugins/EVDriver/A.swift", "let t = Date.now"),
        ("Sources/Control/A.swift", "clock_gettime(CLOCK_REALTIME, &time)"),
        ("Sources/HubKit/Reading.swift", "let now = Date()"), ("Sources/Guidance/Clock.swift", "let now = Date()"),
        ("Sources/Control/A.swift", "print(1)"), ("Sources/Hub/Start.swift", "print(1)"),
        ("Sources/MQTT/A.swift", "dump(x)"),
        ("Sources/Control/A.swift", "final class A: @unchecked Sendable {} // reason"),
        ("Sources/HubKit/A.swift", "// reason\nlet a = try! b()"), ("Sources/MQTT/A.swift", "let a = try! b()"),
        ("Sources/MQTT/A.swift", "// far\n\nnonisolated(unsafe) let a = 1"),
        ("Sources/Control/A.swift", "log.warning(\"it failed: \\(error)\")"),
        ("Plugins/EVDriver/A.swift", "return String(describing: error)"),
        ("Sources/SQLite/A.swift", "let a = unsafeBitCast(-1, to: T.self)"),
    ])
    func refuses(path: String, source: String) {
        #expect(breaches(path, source).count == 1)
    }

    @Test(arguments: [
        ("Sources/HubKit/Clock/SystemClock.swift", "let now = Date()"),
        ("Sources/Control/A.swift", "let began = ContinuousClock.now"),
        ("Sources/Modbus/A.swift", "clock_gettime(CLOCK_MONOTONIC, &time)"),
        ("Sources/TestSupport/A.swift", "let now = Date()"),
        ("Sources/OffpeakBenchmarks/A.swift", "let t = ContinuousClock().now; print(t)"),
        ("Sources/Control/A.swift", "let now = clock.now; let mode = Mode.now; let d = Date(timeIntervalSince1970: 0)"),
        ("Sources/Control/A.swift", "// Date() is not allowed, nor print(1) or try! here"),
        ("Sources/Control/A.swift", "let text = \"Date() print( try! \""),
        ("Sources/Control/A.swift", "let d = isoDate()"),
        ("Sources/Control/A.swift", "log.warning(\"it failed: \\(plainWords(of: error))\"); lose(error)"),
        ("Sources/Hub/CommandLine/A.swift", "Console.error(\"\\(error)\")"),
        ("Sources/Control/A.swift", "blueprint(1); page.print(2)"),
        ("Sources/Control/A.swift", "func print(_ a: Int) {}"),
        ("Sources/offpeak/main.swift", "print(1)"), ("Sources/Hub/Console.swift", "print(1)"),
        ("Sources/MQTT/A.swift", "// The library locks.\nnonisolated(unsafe) let a = 1"),
        ("Sources/MQTT/A.swift", "let a = try! b()  // The pattern is a constant."),
    ])
    func accepts(path: String, source: String) {
        #expect(breaches(path, source) == [])
    }

    @Test(arguments: [(400, true), (401, false)])
    func limitsTheLengthOfAFile(lines: Int, isShortEnough: Bool) {
        #expect(breaches("Plugins/EVDriver/A.swift", String(repeating: "a\n", count: lines)).isEmpty == isShortEnough)
    }

    private func breaches(_ path: String, _ source: String) -> [String] {
        CodeRules(house: House()).breaches(in: Tree(manifest: "", files: [path: source]))
    }
}
