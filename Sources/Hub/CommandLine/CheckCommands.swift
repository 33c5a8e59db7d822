import Foundation
import HubKit

/// Subcommands about what the hub knows and is configured with.
enum CheckCommands {
    static func drivers(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "drivers")
        try given.none()
        let all = try DriverRegistry.standard().all
        if given.has("json") {
            try Console.json(
                all.map { ["name": $0.name, "kind": $0.kind.rawValue, "summary": $0.summary] }, with: JSONEncoder())
        } else {
            Console.table(["driver", "kind", "what it is for"], all.map { [$0.name, $0.kind.rawValue, $0.summary] })
        }
        return .success
    }

    private struct ProfileJSON: Encodable {
        var profile: String
        var kind: String
        var vendor: String
        var models: [String]
        var transport: String
        var roles: [String]?
        var options: [String: String]
        var commands: [String]
    }

    static func profiles(_ arguments: [String]) throws -> ExitStatus {
        let given = try Arguments(arguments, for: "profiles")
        try given.none()
        if given.has("schema") || given.has("reference") {
            Console.out(given.has("schema") ? ProfileFormat.schema : ProfileFormat.reference)
            return .success
        }
        let folder = try given["folder"].map { path in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
                throw Arguments.Misuse(description: "--folder: there is no folder \(path)")
            }
            return [URL(fileURLWithPath: path)]
        }
        let share = try Share.find(given["share"]).with(.profiles)
        let library = ProfileLibrary(roots: [share.profiles] + (folder ?? []))
        let kind = try given["driver"].map { name in
            guard let kind = DeviceKind(rawValue: name) else {
                throw Arguments.Misuse(description: "--driver is ev, hvac or meter, not '\(name)'")
            }
            return kind
        }
        let chosen = library.all.filter { kind == nil || $0.kind == kind }
        if given.has("json") {
            try Console.json(
                chosen.map {
                    ProfileJSON(
                        profile: $0.name, kind: $0.kind.rawValue, vendor: $0.vendor, models: $0.models,
                        transport: $0.way,
                        roles: $0.kind == .meter ? $0.roles.map(\.rawValue) : nil,
                        options: Dictionary($0.options.map { ($0.name, $0.about) }) { first, _ in first },
                        commands: $0.commands.keys.map(\.rawValue).sorted())
                }, with: JSONEncoder())
        } else {
            Console.table(
                ["profile", "kind", "transport", "vendor", "models"],
                chosen.map {
                    [$0.name, $0.kind.rawValue, $0.way, $0.vendor, $0.models.joined(separator: ", ")]
                })
        }
        for fault in library.faults { Console.error(fault) }
        return library.faults.isEmpty ? .success : .usage
    }
}
