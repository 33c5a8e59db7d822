import Testing

/// The checks on the project itself.
@Suite struct ArchitectureTests {
    @Test func everyImportAndDependencyPointsDown() throws {
        let tree = try Tree.ofThisProject()
        // Were nothing read, nothing would be wrong.
        #expect(tree.files.contains { $0.room == "ThreadKit" && !SourceText($0.text).imports.isEmpty })
        #expect(Manifest(tree.manifest).targets.contains { $0.name == "ThreadKit" && $0.dependencies == ["CShims"] })
        for edge in House().wrongEdges(in: tree) { Issue.record("\(edge)") }
    }

    @Test func everyFolderIsATargetWithALayer() throws {
        for stranger in House().strangers(in: try Tree.ofThisProject()) { Issue.record("\(stranger)") }
    }

    @Test func everyFileKeepsTheRules() throws {
        for breach in CodeRules(house: House()).breaches(in: try Tree.ofThisProject()) { Issue.record("\(breach)") }
    }
}
