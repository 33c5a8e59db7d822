import Testing

@Suite struct SourceTextTests {
    @Test(
        arguments: [
            ("import A", ["A"]),
            (
                "public import A\npackage import B\n@testable import C\n@preconcurrency internal import D",
                ["A", "B", "C", "D"]
            ),
            ("import struct A.B\nimport func C.d\nimport E.F", ["A", "C", "E"]),
            ("import A; import B", ["A", "B"]),
            ("  \timport\tA // import B", ["A"]),
            ("#if canImport(X)\nimport X\n#endif", ["X"]),
            ("/* import A */ import B", ["B"]),
            ("/*\nimport A\n/* import B */\nimport C\n*/\nimport D", ["D"]),
            ("let a = \"import A\"\nlet b = \"\"\"\n    import B\n    \"\"\"\nimport C", ["C"]),
            ("let a = #\"\"\"\n import A \"\"\"\n import B\n\"\"\"#\nimport C", ["C"]),
            ("let a = \"\\(\"//\")\"; import A", ["A"]),
            ("let a = \"\\\"\"; import A", ["A"]),
            ("let a = \"/*\"\nimport A", ["A"]),
            ("let important = 1\nlet x = direction(.import)\nfunc `import`() {}", []),
        ] as [(String, [String])])
    func findsImports(source: String, modules: [String]) {
        #expect(SourceText(source).imports.map(\.module) == modules)
    }

    @Test(arguments: [
        ("let a = \"text\" // why", "let a = \"\" ", true),
        ("let a = \"now \\(Date()) \\(b(\"x\")) end\"", "let a = \"(Date())(b(\"\"))\"", false),
        ("let a = #\"raw \\(not) \\#(yes) \"quoted\" end\"#", "let a = \"(yes)\"", false),
        ("a /* b */ c", "a  c", true),
        ("let a = \"http://x\"", "let a = \"\"", false),
    ])
    func keepsOnlyCode(source: String, code: String, hasComment: Bool) throws {
        let line = try #require(SourceText(source).lines.first)
        #expect(line.code == code)
        #expect(line.hasComment == hasComment)
    }

    @Test func marksEveryLineOfABlockComment() {
        #expect(SourceText("a\n/* b\nc\nd */ e\nf").lines.map(\.hasComment) == [false, true, true, true, false])
    }
}

@Suite struct ManifestTests {
    @Test func readsEveryKindOfTarget() {
        let manifest = Manifest(
            """
            func room(_ name: String, _ dependencies: String...) -> Target {
                .target(name: name, dependencies: dependencies.map { .byName(name: $0) })
            }
            let package = Package(
                products: [.executable(name: "p", targets: ["p"]), .library(name: "A", targets: ["A"])],
                targets: [
                    system("CX", pkgConfig: "x", debian: "libx-dev"),  // room("Comment")
                    .target(name: "CShims"),
                    room("A", "CX",
                        "B"),
                    room(
                        "B"),
                    driver("DDriver", "A"),
                    .executableTarget(name: "p", dependencies: ["A", "B"], path: "Sources/p"),
                    tests("ATests", "A"),
                ])
            """)
        #expect(
            manifest.targets == [
                .init(function: "system", name: "CX", dependencies: []),
                .init(function: ".target", name: "CShims", dependencies: []),
                .init(function: "room", name: "A", dependencies: ["CX", "B"]),
                .init(function: "room", name: "B", dependencies: []),
                .init(function: "driver", name: "DDriver", dependencies: ["A"]),
                .init(function: ".executableTarget", name: "p", dependencies: ["A", "B"]),
                .init(function: "tests", name: "ATests", dependencies: ["A"]),
            ])
        #expect(!manifest.hasForeignPackages)
    }
}
