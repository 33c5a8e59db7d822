import CSodium

/// A secret that lets a program in: `opk_` and 32 random bytes in base64url.
///
/// The prefix lets people and scanners recognise a token that leaked. Only its hash is stored; the description never shows
/// it.
package struct AccessToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private static let prefix = "opk_"
    private static let byteCount = 32

    /// The whole token as its owner sends it.
    package let text: String

    /// Makes a new token.
    package init() {
        text = Self.prefix + Self.base64URL(SecureRandom.bytes(Self.byteCount))
    }

    /// Takes a token as sent; nil if it is not of a token's shape.
    package init?(text: String) {
        guard text.hasPrefix(Self.prefix), let bytes = Self.decode(text.dropFirst(Self.prefix.count)),
            bytes.count == Self.byteCount
        else { return nil }
        self.text = text
    }

    /// What is stored of it, and compared.
    package var hash: TokenHash { TokenHash(of: text) }

    /// Never the secret.
    package var description: String { "opk_…" }

    /// Never the secret.
    package var debugDescription: String { description }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
        sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func decode(_ text: Substring) -> [UInt8]? {
        Library.prepare()
        let variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING
        let characters = text.utf8.map(CChar.init(bitPattern:))
        var bytes = [UInt8](repeating: 0, count: characters.count)
        var length = 0
        let code = sodium_base642bin(&bytes, bytes.count, characters, characters.count, nil, &length, nil, variant)
        return code == 0 ? Array(bytes.prefix(length)) : nil
    }
}

/// The BLAKE2b hash of an access token: enough to recognise the token, of no use to whoever steals it.
///
/// A token has 256 random bits, so that a fast hash without key or salt is enough; a password has not, see
/// `PasswordHasher`.
package struct TokenHash: Sendable, Equatable {
    private static let byteCount = 32
    private let bytes: [UInt8]

    /// Hashes any text.
    package init(of text: String) {
        Library.prepare()
        var output = [UInt8](repeating: 0, count: Self.byteCount)
        let input = Array(text.utf8)
        crypto_generichash(&output, output.count, input, UInt64(input.count), nil, 0)
        bytes = output
    }

    /// Reads a stored hash; nil unless it is 64 hexadecimal digits.
    package init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard values.count == digits.count else { return nil }
        bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// 64 hexadecimal digits in lower case, to store.
    package var hex: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Compares in constant time.
    package static func == (left: TokenHash, right: TokenHash) -> Bool {
        isEqualInConstantTime(left.bytes, right.bytes)
    }
}
