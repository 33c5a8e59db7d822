/// The layers of the house, lowest first: an import may only point down.
enum Layer: Int, Comparable, CaseIterable {
    case system, threads, wrapper, domain, pluginAPI, profiles, service, edge, driver, simulator, hub, program
    case testSupport, example

    static func < (left: Layer, right: Layer) -> Bool { left.rawValue < right.rawValue }
}

/// Which target is in which layer, and which imports are right: the table of `docs/architecture.md` as code.
struct House {
    /// The rooms under `Sources`; those under `Plugins` are drivers, all of them.
    var rooms: [String: Layer] = [
        "CSQLite": .system, "CMosquitto": .system, "CModbus": .system, "CWebSockets": .system, "CYAML": .system,
        "CPostgreSQL": .system, "CSodium": .system, "CCbc": .system, "CSystemd": .system, "CCurl": .system,
        "CShims": .system,
        "ThreadKit": .threads,
        "SQLite": .wrapper, "MQTT": .wrapper, "Modbus": .wrapper, "WebServer": .wrapper, "WebClient": .wrapper,
        "PostgreSQL": .wrapper, "YAML": .wrapper, "Sodium": .wrapper, "MILP": .wrapper, "Systemd": .wrapper,
        "EnergyKit": .domain, "HubKit": .pluginAPI, "ProfileKit": .profiles, "OCPP": .profiles,
        "Storage": .service, "Planning": .service, "Guidance": .service, "LoadEvents": .service,
        "Insights": .service, "Control": .service,
        "Bridge": .edge, "WebAPI": .edge, "Sinks": .edge, "Feeds": .edge,
        "HomeSimulator": .simulator, "Hub": .hub, "YearSimulation": .hub, "OffpeakSimulation": .program,
        "offpeak": .program, "OffpeakBenchmarks": .program,
        "EnergyKitTour": .program,
        "TestSupport": .testSupport,
    ]

    /// The one C library of each wrapper; everyone on this list may use `CShims` as well.
    var libraries: [String: String] = [
        "ThreadKit": "CShims", "SQLite": "CSQLite", "MQTT": "CMosquitto", "Modbus": "CModbus",
        "WebServer": "CWebSockets", "YAML": "CYAML", "Sodium": "CSodium", "Systemd": "CSystemd", "MILP": "CCbc",
        "WebClient": "CCurl",
        "PostgreSQL": "CPostgreSQL",
    ]

    /// Services stand on each other in this order; those of one step do not know each other.
    var serviceSteps: [String: Int] = [
        "Storage": 0, "Planning": 0, "Guidance": 1, "LoadEvents": 1, "Insights": 1, "Control": 2,
    ]

    /// Which wrapper of a network protocol each edge has: one outside world each.
    var edgeProtocols: [String: Set<String>] = [
        "Bridge": ["MQTT"], "Sinks": ["MQTT", "PostgreSQL", "WebClient"], "WebAPI": ["WebServer"],
        "Feeds": ["WebClient"],
    ]

    /// What the toolchain brings; `Testing` is for tests and what only they use.
    var toolchain: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
        "FoundationXML",
        "Dispatch", "Glibc", "Synchronization", "Observation", "RegexBuilder",
    ]

    /// Why `importer` must not import `imported`; nil if it may.
    func refusal(_ importer: String, _ imported: String) -> String? {
        guard let from = rooms[importer] else { return "\(importer) is in no layer" }
        if from == .example { return imported == "EnergyKit" ? nil : "an example imports EnergyKit alone" }
        if toolchain.contains(imported) { return nil }
        if imported == "Testing" { return from == .testSupport ? nil : "only tests import Testing" }
        guard let target = rooms[imported] else { return "\(imported) is in no layer" }
        if target == .example { return "nobody imports an example" }
        if target == .testSupport { return "only tests import \(imported)" }
        if target == .system { return libraryRefusal(importer, imported) }
        if target > from { return "\(imported) lies above it" }
        if target == from { return neighbourRefusal(importer, imported, in: from) }
        return outlookRefusal(importer, from, imported, target)
    }

    /// Why a file must not import what its target may; nil if it may.
    func placeRefusal(_ path: String, _ imported: String) -> String? {
        guard imported == "WebClient", path.hasPrefix("Sources/EnergyKit/"),
            !path.hasPrefix("Sources/EnergyKit/Client/")
        else { return nil }
        return "of EnergyKit only the folder Client knows the network"
    }

    private func libraryRefusal(_ importer: String, _ imported: String) -> String? {
        guard let own = libraries[importer] else { return "only a wrapper imports a C library" }
        return imported == own || imported == "CShims" ? nil : "a wrapper knows one C library, here \(own)"
    }

    private func neighbourRefusal(_ importer: String, _ imported: String, in layer: Layer) -> String? {
        if layer == .service, let from = serviceSteps[importer], let target = serviceSteps[imported], target < from {
            return nil
        }
        return "neighbours in the layer \(layer) do not know each other"
    }

    /// What a layer must not see although it lies below.
    private func outlookRefusal(_ importer: String, _ from: Layer, _ imported: String, _ target: Layer) -> String? {
        let network: Set = ["MQTT", "WebServer", "WebClient"]
        switch from {
        case .domain where target != .threads && imported != "WebClient":
            return "EnergyKit knows nothing of storage or network"
        case .service where network.contains(imported): return "a service knows nothing of HTTP and MQTT"
        case .edge where network.contains(imported) && edgeProtocols[importer]?.contains(imported) != true:
            return "an edge knows one outside world"
        case .driver where target == .service || target == .edge: return "a driver knows nothing of services and edges"
        case .simulator where target == .driver || target == .service || target == .edge:
            return "a virtual device must not share what it is to test"
        default: return nil
        }
    }
}
