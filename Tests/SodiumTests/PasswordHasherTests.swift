import Sodium
import Testing

@Suite(.timeLimit(.minutes(3)))
struct PasswordHasherTests {
    private let hasher = PasswordHasher()

    @Test func recognisesThePasswordAndNoOther() async throws {
        let stored = try await hasher.hash("correct horse")
        #expect(stored.hasPrefix("$argon2id$"))
        #expect(await hasher.verify("correct horse", against: stored))
        #expect(await !hasher.verify("correct horse ", against: stored))
        #expect(await !hasher.verify("", against: stored))
        #expect(!hasher.isOutdated(stored))
    }

    @Test func saltsEachHash() async throws {
        #expect(try await hasher.hash("same") != hasher.hash("same"))
    }

    @Test func takesComposedAndDecomposedLettersAsTheSame() async throws {
        let stored = try await hasher.hash("caf\u{e9}")
        #expect(await hasher.verify("cafe\u{301}", against: stored))
    }

    @Test(arguments: [
        "", "plain", "$argon2id$", "$argon2id$v=19$m=65536,t=2,p=1$AAAA", String(repeating: "x", count: 4096),
    ])
    func refusesAStoredTextThatIsNoHash(stored: String) async {
        #expect(await !hasher.verify("x", against: stored))
        #expect(hasher.isOutdated(stored))
    }

    @Test(arguments: ["", String(repeating: "x", count: 1025)])
    func refusesAnUnusablePassword(password: String) async {
        await #expect(throws: PasswordHasher.Failure.unusablePassword) { try await hasher.hash(password) }
    }

    @Test func checksManyAtOnceOneAfterTheOther() async throws {
        let stored = try await hasher.hash("x")
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<4 { group.addTask { await hasher.verify(number == 2 ? "x" : "y", against: stored) } }
            #expect(await group.reduce(into: 0) { $0 += $1 ? 1 : 0 } == 1)
        }
    }
}
