import Foundation
import Sodium
import Testing

@Suite("Hashes and message authentication")
struct MessageAuthenticationTests {
    /// Test cases 1, 2, 3 and 6 of RFC 4231; the last has a key longer than a block.
    static let cases: [(key: [UInt8], message: [UInt8], code: String)] = [
        (
            Array(repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Array(repeating: 0xAA, count: 20), Array(repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]

    @Test("HMAC-SHA256 gives the codes of RFC 4231", arguments: cases.indices)
    func codes(index: Int) {
        let (key, message, code) = Self.cases[index]
        #expect(Hexadecimal.text(HMACSHA256.code(for: message, key: key)) == code)
    }

    @Test("SHA-256 gives the hashes of FIPS 180-4")
    func hashes() {
        #expect(
            Hexadecimal.text(SHA256.hash(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Hexadecimal.text(SHA256.hash([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Hexadecimal.text([0, 9, 10, 255]) == "00090aff")
    }
}
