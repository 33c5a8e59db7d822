import Foundation
import Testing

/// The list of Apple's declarations says what the design says.
@Suite struct DesignDocumentTests {
    @Test func listOfApplesDeclarationsIsThatOfTheDesign() throws {
        guard let document = try DesignDocument() else { return }
        let own = try AppleSurface.entries()
        let types = AppleSurface.types(of: own)
        let listed = Surface(own, types: types)
        let designed = Surface(document.entries, types: types)
        #expect(designed.declarations.count > 200)
        #expect(designed.declarations.subtracting(listed.declarations) == [], "in the design only")
        #expect(listed.declarations.subtracting(designed.declarations) == [], "in the list only")
        #expect(designed.conformances.subtracting(listed.conformances) == [], "in the design only")
        // Some conformances stand in the design's comments.
        for extra in listed.conformances.subtracting(designed.conformances) {
            let parts = extra.components(separatedBy: ": ")
            let comments = document.entries.filter {
                ($0.scope + [Declaration.name(of: $0.text)]).joined(separator: ".") == parts[0]
            }.map(\.comment).joined()
            let isSaid = comments.contains(parts[1]) || comments.contains("Codable") && parts[1].hasSuffix("codable")
            #expect(isSaid, "\(extra)")
        }
    }

    @Test(arguments: [
        ("let id: UUID", "| let id: UUID"),
        ("init(state: State)", "Event.Session | init(state: Event.Session.State)"),
        ("let all: [State?]", "Event.Session | let all: [Event.Session.State?]"),
        ("let at: Event.State", "Event.Session | let at: Event.State"),
        ("typealias ID = State", "Event.Session | typealias ID = State"),
    ])
    func shortNamesAreWrittenOut(_ text: String, _ fact: String) {
        let scope = ["Event", "Session"]
        let surface = Surface(
            [OutlineEntry(scope: scope, text: text, comment: "")],
            types: ["Event", "Event.Session", "Event.Session.State", "State"])
        #expect(surface.declarations.first?.hasSuffix(fact) == true, "\(surface.declarations)")
    }
}
