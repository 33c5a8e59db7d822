import Sodium
import Testing

@Suite struct AccessTokenTests {
    @Test func hasItsPrefixAndThirtyTwoBytes() {
        let token = AccessToken()
        #expect(token.text.hasPrefix("opk_"))
        #expect(token.text.utf8.count == 4 + 43)
        #expect(token.text.dropFirst(4).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }

    @Test func isNeverTheSame() {
        #expect(Set((0..<1_000).map { _ in AccessToken().text }).count == 1_000)
    }

    @Test func neverDescribesItsSecret() {
        let token = AccessToken()
        #expect("\(token)" == "opk_…")
        #expect(String(reflecting: token) == "opk_…")
    }

    @Test func readsWhatItWrote() throws {
        let token = AccessToken()
        let read = try #require(AccessToken(text: token.text))
        #expect(read.hash == token.hash)
        #expect(AccessToken().hash != token.hash)
    }

    @Test(arguments: [
        "", "opk_", "opk_AAAA", "abc_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "opk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+", "opk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "opk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", " opk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func refusesWhatIsNoToken(text: String) {
        #expect(AccessToken(text: text) == nil)
    }
}

@Suite struct TokenHashTests {
    /// Computed with Python's `hashlib.blake2b(text, digest_size=32)`.
    @Test(arguments: [
        ("", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
        ("opk_test", "840ea13d107908993fdbcd4aabb03d642cdaded76049cd48be7a01b893bc61ac"),
    ])
    func isBLAKE2b(text: String, expected: String) {
        #expect(TokenHash(of: text).hex == expected)
    }

    @Test func returnsFromItsHexadecimalForm() throws {
        let hash = AccessToken().hash
        #expect(try #require(TokenHash(hex: hash.hex)) == hash)
        #expect(TokenHash(hex: hash.hex.uppercased()) == hash)
        #expect(TokenHash(hex: String(hash.hex.dropLast())) == nil)
        #expect(TokenHash(hex: "g" + hash.hex.dropFirst()) == nil)
    }
}

@Suite struct ByteTests {
    @Test(
        arguments: [
            ([], [], true), ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false), ([0, 2], [1, 2], false),
            ([1], [1, 0], false), ([1], [], false),
        ] as [([UInt8], [UInt8], Bool)])
    func comparesBytes(left: [UInt8], right: [UInt8], isEqual: Bool) {
        #expect(isEqualInConstantTime(left, right) == isEqual)
    }

    @Test func drawsAsManyAsAsked() {
        #expect(SecureRandom.bytes(0).isEmpty)
        let many = SecureRandom.bytes(10_000)
        #expect(many.count == 10_000)
        // All 256 values are there except with a probability below 10⁻¹⁴.
        #expect(Set(many).count == 256)
    }
}
