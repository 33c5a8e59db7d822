import Testing

@Suite struct LayeringTests {
    @Test(arguments: [
        ("ThreadKit", "CShims"), ("MQTT", "CMosquitto"), ("MQTT", "ThreadKit"), ("WebServer", "CShims"),
        ("EnergyKit", "Foundation"), ("EnergyKit", "ThreadKit"), ("WebClient", "CCurl"), ("Sinks", "WebClient"),
        ("Feeds", "WebClient"),
        ("HubKit", "EnergyKit"), ("HubKit", "YAML"),
        ("ProfileKit", "Modbus"), ("Guidance", "Storage"), ("Control", "Planning"), ("Bridge", "MQTT"),
        ("WebAPI", "WebServer"), ("WebAPI", "Control"), ("EVDriver", "ProfileKit"), ("EVDriver", "WebServer"),
        ("HomeSimulator", "Modbus"), ("Hub", "WebAPI"), ("Hub", "EVDriver"), ("Hub", "HomeSimulator"),
        ("offpeak", "Hub"), ("TestSupport", "Testing"), ("TestSupport", "HomeSimulator"),
    ])
    func acceptsWhatPointsDown(importer: String, imported: String) {
        #expect(wrongEdges(importer, imported) == [])
    }

    @Test(arguments: [
        ("CShims", "ThreadKit", "above"), ("ThreadKit", "SQLite", "above"), ("ThreadKit", "CSQLite", "one C library"),
        ("SQLite", "CModbus", "one C library"), ("SQLite", "MQTT", "neighbours"), ("YAML", "EnergyKit", "above"),
        ("EnergyKit", "SQLite", "nothing of storage"), ("EnergyKit", "MQTT", "nothing of storage"),
        ("Control", "WebClient", "HTTP and MQTT"), ("WebAPI", "WebClient", "one outside world"),
        ("EnergyKit", "HubKit", "above"),
        ("HubKit", "ProfileKit", "above"), ("HubKit", "EVDriver", "above"), ("HubKit", "CYAML", "only a wrapper"),
        ("Planning", "Storage", "neighbours"), ("Planning", "Control", "neighbours"),
        ("Storage", "Guidance", "neighbours"),
        ("Guidance", "LoadEvents", "neighbours"), ("Guidance", "Control", "neighbours"),
        ("Storage", "CSQLite", "only a wrapper"),
        ("Control", "MQTT", "HTTP and MQTT"), ("Insights", "WebServer", "HTTP and MQTT"),
        ("Control", "Bridge", "above"),
        ("Control", "EVDriver", "above"), ("Bridge", "WebAPI", "neighbours"), ("WebAPI", "MQTT", "one outside world"),
        ("Sinks", "WebServer", "one outside world"), ("WebAPI", "EVDriver", "above"),
        ("EVDriver", "Control", "nothing of services"), ("EVDriver", "Sinks", "nothing of services"),
        ("EVDriver", "HVACDriver", "neighbours"), ("EVDriver", "HomeSimulator", "above"),
        ("HomeSimulator", "EVDriver", "share"), ("HomeSimulator", "Control", "share"), ("Hub", "offpeak", "above"),
        ("Hub", "TestSupport", "only tests"), ("OffpeakBenchmarks", "TestSupport", "only tests"),
        ("Hub", "Testing", "only tests"), ("Hub", "Alamofire", "no layer"), ("Attic", "EnergyKit", "no layer"),
    ])
    func refusesWhatDoesNot(importer: String, imported: String, reason: String) {
        let found = wrongEdges(importer, imported)
        // Once for the import, once for the dependency.
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.contains(reason) })
    }

    @Test func namesThePlace() {
        let tree = Tree(
            manifest: "", files: ["Sources/Planning/Deep/Plan.swift": "import Foundation\n\nimport Storage\n"])
        let expected = "Sources/Planning/Deep/Plan.swift:3: Planning must not import Storage: "
        #expect(House().wrongEdges(in: tree).map { $0.prefix(expected.count) } == [expected[...]])
    }

    @Test(arguments: [("Client/A.swift", 0), ("Surface/A.swift", 1), ("A.swift", 1), ("Clients/A.swift", 1)])
    func keepsTheNetworkInOneFolderOfEnergyKit(file: String, count: Int) {
        let tree = Tree(manifest: "", files: ["Sources/EnergyKit/\(file)": "import WebClient"])
        let found = House().wrongEdges(in: tree)
        #expect(found.count == count)
        #expect(found.allSatisfy { $0.contains("only the folder Client") })
    }

    @Test func refusesTestableOutsideTests() {
        let tree = Tree(manifest: "", files: ["Sources/Hub/A.swift": "@testable import Control"])
        #expect(House().wrongEdges(in: tree) == ["Sources/Hub/A.swift:1: only tests use @testable"])
    }

    @Test func findsStrangers() {
        let manifest = """
            room("Attic"), room("YAML", "CYAML"), driver("NewDriver"), tests("AtticTests"),
            .package(url: "https://example.org/x", from: "1.0.0")
            """
        let files = [
            "Sources/Attic/A.swift", "Sources/Cellar/C.swift", "Plugins/NewDriver/N.swift", "Tests/AtticTests/T.swift",
        ]
        let tree = Tree(manifest: manifest, files: Dictionary(uniqueKeysWithValues: files.map { ($0, "") }))
        #expect(
            House().strangers(in: tree) == [
                "Sources/Cellar is a folder but no target of Package.swift",
                "Sources/YAML is a target of Package.swift but no folder",
                "Attic is in no layer; add it to the table in House.swift",
                "Package.swift names a package from elsewhere",
            ])
    }

    /// One file with one import in a made-up house, and the same edge as a dependency.
    private func wrongEdges(_ importer: String, _ imported: String) -> [String] {
        let isDriver = importer.hasSuffix("Driver")
        let manifest = isDriver ? "driver(\"\(importer)\", \"\(imported)\")" : "room(\"\(importer)\", \"\(imported)\")"
        var tree = Tree(
            manifest: manifest,
            files: [
                "\(isDriver ? "Plugins" : "Sources")/\(importer)/A.swift": "package import struct \(imported).Thing"
            ])
        tree.folders += ["Plugins/EVDriver", "Plugins/HVACDriver"]
        return House().wrongEdges(in: tree)
    }
}
