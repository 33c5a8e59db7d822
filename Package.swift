// swift-tools-version: 6.2
import PackageDescription

/// Language rules that hold for every target; each upcoming feature is one accepted Swift Evolution proposal.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
]

/// A C library from Debian: a module map and a shim header under `Sources/`.
func system(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// A Swift library under `Sources/`.
func room(_ name: String, _ dependencies: String...) -> Target {
    .target(name: name, dependencies: dependencies.map { .byName(name: $0) }, swiftSettings: rules)
}

/// A device driver under `Plugins/`.
func driver(_ name: String, _ dependencies: String...) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Plugins/\(name)", swiftSettings: rules)
}

/// A program under `Examples/`, built as a program of anyone's is: without the package's own rules.
func example(_ name: String, _ dependencies: String...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, path: "Examples/\(name)",
        swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
}

/// The tests of one room; `exclude` names folders with files that they read from the checkout.
func tests(_ name: String, _ dependencies: String..., exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .byName(name: $0) }, exclude: exclude, swiftSettings: rules)
}

let package = Package(
    name: "offpeak",
    products: [
        .executable(name: "offpeak", targets: ["offpeak"]),
        .library(name: "EnergyKit", targets: ["EnergyKit"]),
        .library(name: "HubKit", targets: ["HubKit"]),
    ],
    targets: [
        // System libraries: a module map each.
        system("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
        system("CMosquitto", pkgConfig: "libmosquitto", debian: "libmosquitto-dev"),
        system("CModbus", pkgConfig: "libmodbus", debian: "libmodbus-dev"),
        system("CWebSockets", pkgConfig: "libwebsockets", debian: "libwebsockets-dev"),
        system("CYAML", pkgConfig: "yaml-0.1", debian: "libyaml-dev"),
        system("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
        system("CSystemd", pkgConfig: "libsystemd", debian: "libsystemd-dev"),
        system("CPostgreSQL", pkgConfig: "libpq", debian: "libpq-dev"),
        system("CCbc", pkgConfig: "cbc", debian: "coinor-libcbc-dev"),
        system("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
        .target(name: "CShims"),

        // Library wrappers: one C library each, as a safe Swift API.
        room("ThreadKit", "CShims"),
        room("SQLite", "CSQLite", "ThreadKit"),
        room("MQTT", "CMosquitto", "ThreadKit"),
        room("Modbus", "CModbus", "ThreadKit"),
        room("WebServer", "CWebSockets", "CShims", "ThreadKit"),
        room("WebClient", "CCurl", "ThreadKit"),
        room("YAML", "CYAML"),
        room("Sodium", "CSodium", "ThreadKit"),
        room("Systemd", "CSystemd"),
        room("PostgreSQL", "CPostgreSQL", "ThreadKit"),
        room("MILP", "CCbc", "CShims", "ThreadKit"),

        // Domain, then the API that driver authors import.
        room("EnergyKit", "ThreadKit", "WebClient"),
        room("HubKit", "EnergyKit", "ThreadKit", "YAML"),
        room("ProfileKit", "HubKit", "Modbus", "MQTT", "ThreadKit", "WebClient", "YAML"),
        room("OCPP", "EnergyKit", "HubKit", "ThreadKit", "WebServer"),

        // Services: one job each.
        room("Storage", "EnergyKit", "HubKit", "SQLite", "ThreadKit"),
        room("Guidance", "EnergyKit", "HubKit", "Storage", "ThreadKit", "YAML"),
        room("LoadEvents", "EnergyKit", "HubKit", "Storage", "ThreadKit"),
        room("Planning", "MILP", "YAML"),
        room("Control", "EnergyKit", "HubKit", "LoadEvents", "Planning", "Storage", "ThreadKit"),
        room("Insights", "EnergyKit", "HubKit", "Storage"),

        // Edges: one outside world each.
        room("Bridge", "Control", "EnergyKit", "Guidance", "HubKit", "MQTT", "ThreadKit"),
        room(
            "WebAPI", "Control", "EnergyKit", "Guidance", "HubKit", "Insights", "LoadEvents", "Sodium", "Storage",
            "ThreadKit", "WebServer", "YAML"),
        room("Feeds", "Guidance", "HubKit", "WebClient"),
        room("Sinks", "EnergyKit", "HubKit", "LoadEvents", "MQTT", "PostgreSQL", "Sodium", "Storage", "WebClient"),

        // Drivers.
        driver("EVDriver", "EnergyKit", "HubKit", "ProfileKit"),
        driver("HVACDriver", "EnergyKit", "HubKit", "ProfileKit"),
        driver("MeterDriver", "EnergyKit", "HubKit", "ProfileKit"),
        driver("OCPPDriver", "HubKit", "OCPP", "YAML"),
        // scripts/new-driver adds drivers above this line

        // Programs: wiring only.
        room("HomeSimulator", "HubKit", "Modbus", "ThreadKit"),
        room(
            "Hub", "Bridge", "Control", "EnergyKit", "EVDriver", "Feeds", "Guidance", "HomeSimulator", "HubKit",
            "HVACDriver", "Insights", "LoadEvents", "MeterDriver", "MQTT", "OCPP", "OCPPDriver", "Planning",
            "PostgreSQL", "ProfileKit", "Sinks", "Sodium", "Storage", "Systemd", "ThreadKit", "WebAPI", "WebClient",
            "WebServer", "YAML"),
        .executableTarget(name: "offpeak", dependencies: ["Hub"], swiftSettings: rules),
        room("YearSimulation", "Control", "EnergyKit", "Guidance", "HubKit", "Planning"),
        .executableTarget(name: "OffpeakSimulation", dependencies: ["YearSimulation"], swiftSettings: rules),
        .executableTarget(name: "EnergyKitTour", dependencies: ["EnergyKit"], swiftSettings: rules),
        .executableTarget(
            name: "OffpeakBenchmarks",
            dependencies: [
                "Bridge", "Control", "EnergyKit", "Guidance", "HomeSimulator", "Hub", "HubKit", "LoadEvents", "Modbus",
                "MQTT", "Planning", "Storage",
            ],
            path: "Sources/OffpeakBenchmarks", swiftSettings: rules),

        // Examples of programs that use EnergyKit.
        example("ChargerApp", "EnergyKit"),
        example("ThermostatApp", "EnergyKit"),
        example("InsightChart", "EnergyKit"),

        // What only tests use, and the tests.
        room("TestSupport", "EnergyKit", "HubKit", "Modbus", "ThreadKit"),
        tests("ArchitectureTests"),
        tests("TestSupportTests", "HubKit", "TestSupport"),
        tests("SQLiteTests", "SQLite", "TestSupport"),
        tests("MQTTTests", "MQTT", "TestSupport", "ThreadKit"),
        tests("ModbusTests", "CModbus", "Modbus", "TestSupport", "ThreadKit"),
        tests("WebServerTests", "TestSupport", "ThreadKit", "WebClient", "WebServer"),
        tests("WebClientTests", "TestSupport", "ThreadKit", "WebClient", "WebServer"),
        tests("PostgreSQLTests", "PostgreSQL", "TestSupport"),
        tests("YAMLTests", "YAML", "TestSupport"),
        tests("SodiumTests", "Sodium"),
        tests("SystemdTests", "Systemd"),
        tests("ThreadKitTests", "ThreadKit"),
        .testTarget(
            name: "EnergyKitTests", dependencies: ["EnergyKit", "TestSupport", "ThreadKit"],
            exclude: ["Surface/apple-surface.txt", "Surface/additions.txt"], swiftSettings: rules),
        .testTarget(
            name: "ExamplesTests",
            dependencies: ["EnergyKit", "TestSupport", "ChargerApp", "ThermostatApp", "InsightChart"],
            swiftSettings: rules),
        tests("EnergyKitClientTests", "EnergyKit", "Hub", "HubKit", "TestSupport", "ThreadKit", "WebServer"),
        tests("HubKitTests", "EnergyKit", "HubKit", "TestSupport", "ThreadKit", "YAML"),
        tests(
            "ProfileKitTests", "HubKit", "Modbus", "MQTT", "ProfileKit", "TestSupport", "ThreadKit", "WebServer", "YAML"
        ),
        tests("OCPPTests", "HubKit", "OCPP", "TestSupport", "ThreadKit", "WebServer"),
        tests("StorageTests", "EnergyKit", "HubKit", "SQLite", "Storage", "TestSupport"),
        tests("GuidanceTests", "EnergyKit", "Guidance", "HubKit", "Storage", "TestSupport"),
        tests(
            "FeedsTests", "EnergyKit", "Feeds", "Guidance", "HubKit", "MQTT", "Storage", "TestSupport", "ThreadKit",
            "WebServer"),
        tests("LoadEventsTests", "EnergyKit", "HubKit", "LoadEvents", "SQLite", "Storage", "TestSupport", "ThreadKit"),
        tests("MILPTests", "CShims", "MILP", "TestSupport"),
        tests("PlanningTests", "Planning"),
        tests("ControlTests", "Control", "EnergyKit", "HubKit", "Planning", "Storage", "TestSupport", "ThreadKit"),
        tests("YearSimulationTests", "HubKit", "YearSimulation"),
        tests("InsightsTests", "Insights", "TestSupport"),
        tests(
            "BridgeTests", "Bridge", "Control", "EnergyKit", "HubKit", "MQTT", "Storage", "TestSupport", "ThreadKit"),
        tests("WebAPITests", "EnergyKit", "HubKit", "Storage", "TestSupport", "WebAPI", "WebServer"),
        tests(
            "SinksTests", "EnergyKit", "HubKit", "LoadEvents", "MQTT", "PostgreSQL", "Sinks", "Storage", "TestSupport",
            "ThreadKit", "WebClient", "WebServer"),
        tests("EVDriverTests", "EVDriver", "HomeSimulator", "HubKit", "Modbus", "ProfileKit", "TestSupport"),
        tests(
            "HVACDriverTests", "Control", "EnergyKit", "HomeSimulator", "HubKit", "HVACDriver", "Modbus", "ProfileKit",
            "Storage", "TestSupport", "ThreadKit"),
        tests("MeterDriverTests", "HomeSimulator", "HubKit", "MeterDriver", "Modbus", "ProfileKit", "TestSupport"),
        tests(
            "OCPPDriverTests", "HubKit", "OCPP", "OCPPDriver", "TestSupport", "ThreadKit", "WebServer",
            exclude: ["Peer"]),
        // scripts/new-driver adds driver tests above this line
        tests(
            "ProfileTwinTests", "EVDriver", "HubKit", "HVACDriver", "MeterDriver", "Modbus", "MQTT", "ProfileKit",
            "TestSupport", "ThreadKit", "WebServer", "YAML"),
        tests("HomeSimulatorTests", "HomeSimulator", "HubKit", "Modbus", "TestSupport"),
        tests(
            "HubTests", "Control", "EVDriver", "Hub", "HubKit", "HVACDriver", "MeterDriver", "Modbus", "MQTT",
            "ProfileKit",
            "TestSupport", "ThreadKit", "WebClient", "WebServer", "YAML", exclude: ["BrokenConfigurations"]),
    ]
)
