import Foundation
import HubKit
import Modbus
import ProfileKit

/// `offpeak probe`: what answers at a Modbus address.
enum ProbeCommand {
    static func run(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "probe")
        let (host, port) = try address(given.only("tcp://HOST:PORT"))
        let unit = try given.whole("unit", in: 0...255).map { UInt8($0) }
        let share = try Share.find(given["share"]).with(.profiles)
        let library = ProfileLibrary(roots: [share.profiles])
        let probe = ModbusProbe(.tcp(host: host, port: port), library: library, clock: SystemClock())
        Console.error("asking \(host) at port \(port); this takes up to a minute")
        let units = try await probe.run(only: unit) { Console.error("unit \($0) answers") }
        guard !units.isEmpty else {
            let asked =
                unit.map { "unit \($0)" }
                ?? "any of the units \(probe.usualUnits.sorted().map { "\($0)" }.joined(separator: ", "))"
            throw HubError(
                .device, "nothing answers as \(asked); give the number that the device's settings show with --unit",
                retry: .transient)
        }
        if given.has("json") {
            try Console.json(units.map { UnitJSON($0, host, port) }, with: JSONEncoder())
        } else {
            for unit in units { show(unit, host, port) }
        }
        return .success
    }

    /// Reads `tcp://HOST:PORT`, where the scheme and the port may be left out.
    static func address(_ text: String) throws(Arguments.Misuse) -> (host: String, port: UInt16) {
        let example = "write it such as tcp://192.0.2.7:502"
        var rest = text[...]
        if let scheme = text.range(of: "://") {
            guard text[..<scheme.lowerBound].lowercased() == "tcp" else {
                throw Arguments.Misuse(description: "'\(text)' is no Modbus TCP address; \(example)")
            }
            rest = text[scheme.upperBound...]
        }
        var host = String(rest)
        var port: UInt16? = 502
        let isBareIPv6 = !host.hasPrefix("[") && host.count(where: { $0 == ":" }) > 1
        if let colon = host.lastIndex(of: ":"), !isBareIPv6, !host.hasSuffix("]") {
            port = UInt16(host[host.index(after: colon)...])
            host = String(host[..<colon])
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard let port, port > 0 else {
            throw Arguments.Misuse(description: "the port of '\(text)' is no number from 1 to 65535; \(example)")
        }
        if host.isEmpty { throw Arguments.Misuse(description: "'\(text)' has no host; \(example)") }
        if let (what, remedy) = HostName.fault(host) {
            throw Arguments.Misuse(description: "'\(host)' \(what); \(remedy)")
        }
        return (host, port)
    }

    // MARK: - Showing

    private static func show(_ unit: ModbusProbe.Unit, _ host: String, _ port: UInt16) {
        Console.out("unit \(unit.unit)" + (unit.identity.map { ": " + text($0) } ?? ""))
        guard let best = unit.findings.first else {
            Console.out("  no profile fits; docs/profiles.md shows how to write one")
            return
        }
        let few = unit.findings.prefix(8)
        Console.table(
            ["  profile", "fits", "reads"],
            few.map { ["  " + name($0), "\(Int(($0.score / best.score * 100).rounded())) %", excerpt($0)] })
        Console.out("")
        Console.out("devices:")
        for line in lines(for: unit, host, port) { Console.out("  " + line) }
        Console.out("")
    }

    private static func text(_ identity: SunSpecIdentity) -> String {
        let names = [identity.maker, identity.model, identity.version].compactMap(\.self)
        let models = identity.models.map { "\($0)" }.joined(separator: ", ")
        return names.joined(separator: " ") + " (SunSpec models \(models))"
    }

    private static func name(_ finding: ModbusProbe.Finding) -> String {
        ([finding.profile.name] + finding.options).joined(separator: "+")
    }

    /// The values that a person can compare with the device's display.
    private static func excerpt(_ finding: ModbusProbe.Finding) -> String {
        let told = finding.points.filter { point in
            finding.profile.point(point.name)?.quantity != nil
                || finding.profile.sunspecPoints.contains { $0.template.name == point.name }
        }
        return told.compactMap { point in point.value.map { "\(point.name) \($0)" } }.prefix(5).joined(separator: ", ")
    }

    /// The lines to use the unit: the best profile for each thing that it measures.
    static func lines(for unit: ModbusProbe.Unit, _ host: String, _ port: UInt16) -> [String] {
        guard let best = unit.findings.first else { return [] }
        var told: Set<String> = []
        var lines: [String] = []
        for finding in unit.findings where finding.score >= best.score * 0.8 {
            let profile = finding.profile
            // One device may be several things to a house, such as the meter, the roof and the battery of an inverter.
            let part = profile.kind == .meter ? profile.roles.map(\.rawValue).joined() : profile.kind.rawValue
            guard finding.profile.name == best.profile.name || profile.vendor == best.profile.vendor,
                told.insert(part).inserted
            else { continue }
            lines +=
                DeviceLines(
                    id: profile.name, profile: profile, options: finding.options,
                    connection: [("host", shown(host)), ("port", "\(port)"), ("unit", "\(unit.unit)")]
                ).lines
        }
        return lines
    }

    private static func shown(_ host: String) -> String { host.contains(":") ? DeviceLines.quoted(host) : host }

    private struct UnitJSON: Encodable {
        struct Match: Encodable {
            var profile: String
            var kind: String
            var options: [String]
            var fitPercent: Int
            var points: [InspectedPoint]
        }

        var unit: Int
        var maker: String?
        var model: String?
        var version: String?
        var sunspecModels: [Int]?
        var profiles: [Match]
        var configuration: String

        init(_ unit: ModbusProbe.Unit, _ host: String, _ port: UInt16) {
            self.unit = Int(unit.unit)
            maker = unit.identity?.maker
            model = unit.identity?.model
            version = unit.identity?.version
            sunspecModels = unit.identity?.models
            let best = unit.findings.first?.score ?? 1
            profiles = unit.findings.map {
                Match(
                    profile: $0.profile.name, kind: $0.profile.kind.rawValue, options: $0.options,
                    fitPercent: Int(($0.score / best * 100).rounded()), points: $0.points)
            }
            configuration =
                (["devices:"] + ProbeCommand.lines(for: unit, host, port).map { "  " + $0 })
                .joined(separator: "\n") + "\n"
        }
    }
}
