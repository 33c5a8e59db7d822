import Foundation

/// A Swift file of the project.
struct SourceFile {
    /// From the project's folder on, such as `Sources/MQTT/Client.swift`.
    let path: String
    let text: String

    /// The room it is in.
    var room: String { folders.count > 2 ? folders[1] : "" }
    var name: String { folders.last ?? "" }
    private var folders: [String] { path.split(separator: "/").map(String.init) }
}

/// What the checks look at, namely the manifest, the folders and the files.
///
/// Tests make their own.
struct Tree {
    var manifest: String
    /// The folders of rooms, such as `Sources/MQTT`.
    var folders: [String]
    var files: [SourceFile]

    init(manifest: String, files: [String: String]) {
        self.manifest = manifest
        self.files = files.map { SourceFile(path: $0.key, text: $0.value) }
        folders = Set(files.keys.map { $0.split(separator: "/").prefix(2).joined(separator: "/") }).sorted()
    }

    /// Reads the project that this file is part of.
    static func ofThisProject(file: String = #filePath) throws -> Tree {
        let root = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("../..").standardized
        let manager = FileManager.default
        var tree = Tree(
            manifest: try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8), files: [:])
        for top in ["Sources", "Plugins", "Examples", "Tests"] {
            for name in try manager.contentsOfDirectory(atPath: root.appendingPathComponent(top).path).sorted()
            where !name.hasPrefix(".") {
                tree.folders.append("\(top)/\(name)")
            }
            guard top != "Tests" else { continue }
            let paths = try manager.subpathsOfDirectory(atPath: root.appendingPathComponent(top).path)
            for path in paths.sorted() where path.hasSuffix(".swift") {
                let text = try String(contentsOf: root.appendingPathComponent("\(top)/\(path)"), encoding: .utf8)
                tree.files.append(SourceFile(path: "\(top)/\(path)", text: text))
            }
        }
        return tree
    }
}
