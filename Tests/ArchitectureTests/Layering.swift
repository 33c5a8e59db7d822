extension House {
    /// The house with the tree's drivers and examples in it: every folder under `Plugins` and `Examples` is one.
    func with(driversOf tree: Tree) -> House {
        var house = self
        for folder in tree.folders where folder.hasPrefix("Plugins/") {
            house.rooms[String(folder.dropFirst("Plugins/".count))] = .driver
        }
        for folder in tree.folders where folder.hasPrefix("Examples/") {
            house.rooms[String(folder.dropFirst("Examples/".count))] = .example
        }
        return house
    }

    /// Every import and every dependency that points the wrong way, one sentence each.
    func wrongEdges(in tree: Tree) -> [String] {
        let house = with(driversOf: tree)
        let imports = tree.files.flatMap { file in
            SourceText(file.text).imports.compactMap { line -> String? in
                if line.isTestable { return "\(file.path):\(line.line): only tests use @testable" }
                if let reason = house.placeRefusal(file.path, line.module) {
                    return "\(file.path):\(line.line): \(reason)"
                }
                return house.refusal(file.room, line.module).map {
                    "\(file.path):\(line.line): \(file.room) must not import \(line.module): \($0)"
                }
            }
        }
        let dependencies = Manifest(tree.manifest).targets.filter { !$0.isTest }.flatMap { target in
            target.dependencies.compactMap { dependency in
                house.refusal(target.name, dependency).map {
                    "Package.swift: \(target.name) must not depend on \(dependency): \($0)"
                }
            }
        }
        return imports + dependencies
    }

    /// Every folder that is no target, target that is no folder, and target that no layer has.
    func strangers(in tree: Tree) -> [String] {
        let house = with(driversOf: tree)
        let manifest = Manifest(tree.manifest)
        let targets = manifest.targets.map(\.folder)
        let folders = Set(tree.folders)
        var found = folders.subtracting(targets).sorted().map { "\($0) is a folder but no target of Package.swift" }
        found += Set(targets).subtracting(folders).sorted().map { "\($0) is a target of Package.swift but no folder" }
        found += manifest.targets.filter { !$0.isTest && house.rooms[$0.name] == nil }
            .map { "\($0.name) is in no layer; add it to the table in House.swift" }
        if manifest.hasForeignPackages { found.append("Package.swift names a package from elsewhere") }
        return found
    }
}

extension Manifest.Target {
    var isTest: Bool { function == "tests" || function == ".testTarget" }

    /// Where its files are.
    var folder: String {
        switch function {
        case "driver": "Plugins/\(name)"
        case "example": "Examples/\(name)"
        case "tests", ".testTarget": "Tests/\(name)"
        default: "Sources/\(name)"
        }
    }
}
