public import Foundation
package import YAML

/// The profiles found in the folders given, by name.
public struct ProfileLibrary: Sendable {
    private var profiles: [String: DeviceProfile] = [:]
    /// The files of profiles with options, since an option changes what is read from the file.
    private var trees: [String: YAMLNode] = [:]
    /// What is wrong with files that could not be read, one line each: `FILE:LINE:COLUMN: error: what; remedy`.
    public private(set) var faults: [String] = []

    /// An empty library.
    public init() {}

    /// Reads every `*.yaml` under the folders `ev`, `hvac` and `meter` of each root; later roots win.
    /// - Parameter roots: folders such as `/usr/share/offpeak/profiles`.
    public init(roots: [URL]) {
        for root in roots {
            for kind in DeviceKind.allCases {
                let folder = root.appendingPathComponent(kind.rawValue)
                let files =
                    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
                for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "yaml" {
                    add(file, in: kind)
                }
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
        let (_, profile, errors) = readTree(text, name: name, file: file)
        return (profile, errors)
    }

    private static func readTree(_ text: String, name: String, file: String) -> (
        root: YAMLNode?, profile: DeviceProfile?, errors: [YAMLError]
    ) {
        do {
            let root = try YAMLNode.parse(text, file: file)
            let issues = YAMLIssues()
            let profile = ProfileReader(name: name, issues: issues).read(root)
            let known = Set(issues.errors.map(\.description))
            // An option is read like a profile of its own, so that its faults are found before anybody chooses it.
            for option in profile?.options ?? [] {
                for error in read(root, name: name, options: [option.name]).errors
                where !known.contains(error.description) { issues.add(error) }
            }
            return (root, issues.errors.isEmpty ? profile : nil, issues.errors)
        } catch {
            return (nil, nil, [error])
        }
    }

    private static func read(_ root: YAMLNode, name: String, options: [String]) -> (
        profile: DeviceProfile?, errors: [YAMLError]
    ) {
        let changes = options.compactMap { root["options"]?[$0]?["change"] }
        let issues = YAMLIssues()
        let changed = changes.reduce(root) { $0.overlaid(with: $1) }
        return (ProfileReader(name: name, issues: issues).read(changed), issues.errors)
    }

    /// The profile of this name.
    public subscript(name: String) -> DeviceProfile? { profiles[name] }

    /// The profile of this name with options that a person chose.
    /// - Throws: `HubError` when there is no such profile or option, or the options don't go together.
    public func profile(_ name: String, options: [String]) throws(HubError) -> DeviceProfile? {
        guard let profile = profiles[name], !options.isEmpty else { return profiles[name] }
        for option in options where !profile.options.contains(where: { $0.name == option }) {
            let known = profile.options.map(\.name).joined(separator: ", ")
            throw HubError(
                .configuration,
                "the profile '\(name)' has no option '\(option)'; "
                    + (known.isEmpty ? "it has none: remove 'options:'" : "choose from \(known)"))
        }
        guard let tree = trees[name] else { return profile }
        let (changed, errors) = ProfileLibrary.read(tree, name: name, options: options)
        guard let changed, errors.isEmpty else {
            throw HubError(
                .configuration,
                "the options \(options.joined(separator: ", ")) of the profile '\(name)' don't go together; choose one")
        }
        return changed
    }

    /// All profiles, by name.
    public var all: [DeviceProfile] { profiles.values.sorted { $0.name < $1.name } }

    /// Adds a profile; one of the same name is replaced.
    public mutating func add(_ profile: DeviceProfile) {
        profiles[profile.name] = profile
        trees[profile.name] = nil
    }

    private mutating func add(_ file: URL, in kind: DeviceKind) {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            faults.append("\(file.path):1:1: error: can't be read as UTF-8 text; check its permissions and encoding")
            return
        }
        let name = file.deletingPathExtension().lastPathComponent
        let (root, profile, errors) = ProfileLibrary.readTree(text, name: name, file: file.path)
        faults += errors.map(\.description)
        guard let profile else { return }
        guard profile.kind == kind else {
            faults.append(
                "\(file.path):1:1: error: its kind is \(profile.kind.rawValue), but it lies in the folder \(kind.rawValue); "
                    + "move it to \(profile.kind.rawValue)")
            return
        }
        add(profile)
        if !profile.options.isEmpty { trees[name] = root }
    }
}
