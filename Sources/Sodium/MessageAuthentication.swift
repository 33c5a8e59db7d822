import CSodium

/// The hash function SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// The 32 bytes of a message's hash.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        Library.prepare()
        var output = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_bytes()))
        _ = crypto_hash_sha256(&output, message, UInt64(message.count))
        return output
    }
}

/// HMAC with SHA-256 (RFC 2104): proves to those who share a key that a message is whole and from one of them.
package enum HMACSHA256 {
    /// The 32 bytes of a message's code.
    /// - Parameters:
    ///   - message: what is to be proved.
    ///   - key: of any length.
    package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        Library.prepare()
        var state = crypto_auth_hmacsha256_state()
        var output = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_bytes()))
        _ = crypto_auth_hmacsha256_init(&state, key, key.count)
        _ = crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        _ = crypto_auth_hmacsha256_final(&state, &output)
        return output
    }
}

/// Bytes as text.
package enum Hexadecimal {
    /// Two lower-case digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
