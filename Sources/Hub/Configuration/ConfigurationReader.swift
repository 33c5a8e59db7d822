package import Foundation
import Guidance
import HubKit
package import YAML

/// Reads `offpeak.yaml`: every fault that the file alone shows is kept with its place and what to do about it.
///
/// Reading goes on behind a fault, with a stand-in for the value, so that `ConfigurationCheck` can look at the rest.
package struct ConfigurationReader {
    let file: URL
    let environment: [String: String]
    let issues: YAMLIssues

    /// Prepares reading a file.
    /// - Parameters:
    ///   - file: the configuration.
    ///   - environment: where `${NAME}` comes from.
    ///   - issues: where faults go.
    package init(_ file: URL, environment: [String: String], issues: YAMLIssues) {
        self.file = file
        self.environment = environment
        self.issues = issues
    }

    /// Reads a file for a program that needs nothing of what the file names.
    /// - Throws: `ConfigurationFaults` with every fault.
    package static func read(
        _ file: URL, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFaults) -> HubConfiguration {
        let issues = YAMLIssues()
        let configuration = ConfigurationReader(file, environment: environment, issues: issues).read()
        guard issues.errors.isEmpty, let configuration else { throw ConfigurationFaults(issues) }
        return configuration.capped
    }

    /// Reads the file.
    /// - Returns: what could be read, with stand-ins for what could not; nil when nothing could.
    package func read() -> HubConfiguration? {
        do throws(YAMLError) {
            return read(bytes: try YAMLFile.bytes(path: file.path))
        } catch {
            issues.add(error)
            return nil
        }
    }

    /// As `read()`, from bytes at hand.
    package func read(bytes: [UInt8]) -> HubConfiguration? {
        let (root, errors) = YAMLNode.salvage(bytes: bytes, file: file.path)
        for error in errors { issues.add(error) }
        return root.flatMap { read($0) }
    }

    private func read(_ root: YAMLNode) -> HubConfiguration? {
        guard var reader = YAMLReader(root, issues: issues) else { return nil }
        var configuration = HubConfiguration(dataFolder: readData(&reader))
        configuration.rootPlace = root
        configuration.http = readHTTP(reader.optionalMapping("http"))
        configuration.mqtt = readMQTT(reader.optionalMapping("mqtt"))
        configuration.sources = readSources(reader.optionalSequence("sources"))
        configuration.venues = readVenues(
            reader.optionalSequence("venues"), at: root, sources: &configuration.sources)
        checkTopics(configuration, at: root)
        configuration.circuits = readCircuits(reader.optionalSequence("circuits"))
        configuration.devices = readDevices(
            reader.optionalSequence("devices"), in: configuration,
            isWhole: !root.isIncomplete && root["circuits"]?.isIncomplete != true)
        configuration.profileFolder = readProfileFolder(&reader)
        readSinks(reader.optionalMapping("sinks"), into: &configuration)
        reader.finish()
        return configuration
    }

    private func readData(_ reader: inout YAMLReader) -> URL {
        guard let folder = path(&reader, "data", isRequired: true) else {
            return URL(fileURLWithPath: "/nonexistent")
        }
        if let kind = FileManager.default.kind(of: folder), kind != .typeDirectory {
            reader.add("\(folder.path) is a file", hint: "name a folder; it is made if it is missing", at: "data")
        }
        return folder
    }

    private func readProfileFolder(_ reader: inout YAMLReader) -> URL? {
        guard let folder = path(&reader, "profiles") else { return nil }
        switch FileManager.default.kind(of: folder) {
        case nil:
            reader.add(
                "the folder \(folder.path) does not exist", hint: "create it, or remove 'profiles:'", at: "profiles")
        case .typeDirectory?:
            if !FileManager.default.isReadableFile(atPath: folder.path) {
                reader.add(
                    "the folder \(folder.path) can't be read", hint: "let the user that runs offpeak read it",
                    at: "profiles")
            }
        default:
            reader.add(
                "\(folder.path) is a file", hint: "name a folder with the folders ev, hvac and meter", at: "profiles")
        }
        return folder
    }

    private func readCircuits(_ nodes: [YAMLNode]?) -> [CircuitConfiguration] {
        var circuits: [CircuitConfiguration] = []
        for node in nodes ?? [] {
            guard var reader = YAMLReader(node, issues: issues) else { continue }
            let name = label(&reader, "name", isRequired: true)
            let amps = reader.double("amps", in: 1...1000)
            reader.finish()
            guard let name else { continue }
            if let first = circuits.first(where: { $0.name == name }) {
                reader.add(
                    "two circuits are called '\(YAMLNode.shown(name))'",
                    hint: "rename one; the first is on line \(first.place?.line ?? 0)", at: "name")
            }
            circuits.append(CircuitConfiguration(name: name, amps: amps, place: node))
        }
        return circuits
    }
}

/// Everything that is wrong with a configuration, a line each.
package struct ConfigurationFaults: Error, CustomStringConvertible {
    /// `FILE:LINE:COLUMN: error: what; remedy`.
    package let lines: [String]

    /// Makes a list of faults.
    package init(_ lines: [String]) { self.lines = lines }

    /// The errors of a check.
    package init(_ issues: YAMLIssues) {
        lines =
            issues.errors.map(\.description)
            + (issues.leftOut > 0 ? ["and \(issues.leftOut) more; mend these first"] : [])
    }

    package var description: String { lines.joined(separator: "\n") }
}

extension FileManager {
    /// What is at a path, links followed; nil when nothing is, or nobody may look.
    func kind(of url: URL) -> FileAttributeType? {
        (try? attributesOfItem(atPath: url.resolvingSymlinksInPath().path))?[.type] as? FileAttributeType
    }
}
