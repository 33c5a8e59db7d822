public import Foundation
package import YAML

/// The profiles found in the folders given, by name.
public struct ProfileLibrary: Sendable {
    private var profiles: [String: DeviceProfile] = [:]
    /// What is wrong with files that could not be read.
    package private(set) var errors: [YAMLError] = []
    private var broken: Set<String> = []

    /// What is wrong with files that could not be read, one line each: `FILE:LINE:COLUMN: error: what; remedy`.
    public var faults: [String] { errors.map(\.description) }

    /// Whether a file of this name could not be read.
    public func isBroken(_ name: String) -> Bool { broken.contains(name) }

    /// An empty library.
    public init() {}

    /// Reads every `*.yaml` under the folders `ev`, `hvac` and `meter` of each root; later roots win.
    /// - Parameter roots: folders such as `/usr/share/offpeak/profiles`.
    public init(roots: [URL]) {
        for root in roots { add(folder: root) }
    }

    /// Reads every `*.yaml` under the folders `ev`, `hvac` and `meter` of a root; they win over those read before.
    package mutating func add(folder root: URL) {
        for kind in DeviceKind.allCases {
            let folder = root.appendingPathComponent(kind.rawValue)
            let files =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "yaml" {
                add(file, in: kind)
            }
        }
    }

    /// Reads one profile.
    /// - Parameters:
    ///   - text: the YAML.
    ///   - name: the profile's name.
    ///   - file: what error messages call the file.
    /// - Returns: the profile where it has no fault, and every fault.
    package static func read(_ text: String, name: String, file: String) -> (
        profile: DeviceProfile?, errors: [YAMLError]
    ) {
        do {
            let root = try YAMLNode.parse(text, file: file)
            let issues = YAMLIssues()
            let profile = ProfileReader(name: name, issues: issues).read(root)
            return (issues.errors.isEmpty ? profile : nil, issues.errors)
        } catch {
            return (nil, [error])
        }
    }

    /// The profile of this name.
    public subscript(name: String) -> DeviceProfile? { profiles[name] }

    /// All profiles, by name.
    public var all: [DeviceProfile] { profiles.values.sorted { $0.name < $1.name } }

    /// Adds a profile; one of the same name is replaced.
    public mutating func add(_ profile: DeviceProfile) { profiles[profile.name] = profile }

    private mutating func add(_ file: URL, in kind: DeviceKind) {
        let name = file.deletingPathExtension().lastPathComponent
        let issues = YAMLIssues()
        var profile: DeviceProfile?
        do {
            let root = try YAMLNode.load(path: file.path)
            profile = ProfileReader(name: name, issues: issues).read(root)
            if let profile, profile.kind != kind {
                issues.add(
                    "its kind is \(profile.kind.rawValue), but it lies in the folder \(kind.rawValue)",
                    hint: "move it to \(profile.kind.rawValue)", at: root["kind"] ?? root)
            }
        } catch {
            issues.add(error)
        }
        guard issues.errors.isEmpty, let profile else {
            errors += issues.errors
            broken.insert(name)
            return
        }
        add(profile)
    }
}
