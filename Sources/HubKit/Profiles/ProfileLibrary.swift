public import Foundation
package import YAML

/// The profiles found in the folders given, by name.
public struct ProfileLibrary: Sendable {
    private var profiles: [String: DeviceProfile] = [:]
    /// What is wrong with files that could not be read.
    package private(set) var errors: [YAMLError] = []
    private var broken: Set<String> = []

    /// The files of profiles with options, since an option changes what is read from the file.
    private var trees: [String: YAMLNode] = [:]
    private var sunspec = SunSpecModels()
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
        readSunSpec(root.appendingPathComponent("sunspec.yaml"))
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
    ///   - sunspec: the layout of SunSpec models, for profiles of such devices.
    /// - Returns: the profile where it has no fault, and every fault.
    package static func read(
        _ text: String, name: String, file: String, sunspec: SunSpecModels = SunSpecModels()
    ) -> (profile: DeviceProfile?, errors: [YAMLError]) {
        let issues = YAMLIssues()
        do {
            let profile = examine(try YAMLNode.parse(text, file: file), name: name, issues, sunspec)
            return (issues.errors.isEmpty ? profile : nil, issues.errors)
        } catch {
            return (nil, [error])
        }
    }

    private mutating func readSunSpec(_ file: URL) {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        do {
            sunspec = try SunSpecModels(file)
        } catch {
            errors.append(error)
        }
    }

    /// Reads a profile and each of its options.
    private static func examine(
        _ root: YAMLNode, name: String, _ issues: YAMLIssues, _ sunspec: SunSpecModels
    ) -> DeviceProfile? {
        let profile = ProfileReader(name: name, issues: issues, models: sunspec).read(root)
        let known = Set(issues.errors.map(\.description))
        // An option is read like a profile of its own, so that its faults are found before anybody chooses it.
        for option in profile?.options ?? [] {
            for error in read(root, name: name, options: [option.name], sunspec).errors
            where !known.contains(error.description) { issues.add(error) }
        }
        return profile
    }

    private static func read(_ root: YAMLNode, name: String, options: [String], _ sunspec: SunSpecModels) -> (
        profile: DeviceProfile?, errors: [YAMLError]
    ) {
        let changes = options.compactMap { root["options"]?[$0]?["change"] }
        let issues = YAMLIssues()
        let changed = changes.reduce(root) { $0.overlaid(with: $1) }
        return (ProfileReader(name: name, issues: issues, models: sunspec).read(changed), issues.errors)
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
        if let conflict = OptionConflict(among: options, of: tree) {
            let (one, other) = conflict.options
            throw HubError(
                .configuration,
                "the options '\(one)' and '\(other)' of the profile '\(name)' both change \(conflict.key); choose one")
        }
        let (changed, errors) = ProfileLibrary.read(tree, name: name, options: options, sunspec)
        guard let changed, errors.isEmpty else {
            throw HubError(
                .configuration,
                "the options \(options.joined(separator: ", ")) of the profile '\(name)' don't go together; choose one")
        }
        return changed
    }

    /// The profile of a device with the options that go with it; without them where they can't be had.
    package func profile(of device: DeviceConfiguration) -> DeviceProfile? {
        guard let name = device.profile else { return nil }
        return (try? profile(name, options: device.profileOptions)) ?? profiles[name]
    }

    /// All profiles, by name.
    public var all: [DeviceProfile] { profiles.values.sorted { $0.name < $1.name } }

    /// Adds a profile; one of the same name is replaced.
    public mutating func add(_ profile: DeviceProfile) {
        profiles[profile.name] = profile
        trees[profile.name] = nil
    }

    private mutating func add(_ file: URL, in kind: DeviceKind) {
        let name = file.deletingPathExtension().lastPathComponent
        let issues = YAMLIssues()
        var found: (root: YAMLNode, profile: DeviceProfile?)?
        do {
            let root = try YAMLNode.load(path: file.path)
            found = (root, ProfileLibrary.examine(root, name: name, issues, sunspec))
            if let other = profiles[name], other.kind != kind {
                issues.add(
                    "the name '\(name)' is taken by a profile of the kind \(other.kind.rawValue)",
                    hint: "give this file another name", at: root)
            } else if let profile = found?.profile, profile.kind != kind {
                issues.add(
                    "its kind is \(profile.kind.rawValue), but it lies in the folder \(kind.rawValue)",
                    hint: "move it to \(profile.kind.rawValue)", at: root["kind"] ?? root)
            }
        } catch {
            issues.add(error)
        }
        guard issues.errors.isEmpty, let found, let profile = found.profile else {
            errors += issues.errors
            if profiles[name] == nil { broken.insert(name) }
            return
        }
        add(profile)
        if !profile.options.isEmpty { trees[name] = found.root }
    }
}
