import CSodium

/// The library as a whole.
enum Library {
    private static let isReady = sodium_init() >= 0

    /// Makes the library ready; cheap when it is.
    ///
    /// It fails only where the system offers no randomness at all, and then nothing secret may be made.
    static func prepare() {
        precondition(isReady, "libsodium found no source of randomness")
    }
}

/// Bytes that nobody can guess.
package enum SecureRandom {
    /// Bytes from the system's cryptographic generator.
    package static func bytes(_ count: Int) -> [UInt8] {
        Library.prepare()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            initialized = count
        }
    }
}

/// Whether two byte strings are equal, in a time that does not tell where they differ.
///
/// Their lengths are not secret: different lengths answer at once.
package func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    Library.prepare()
    return left.count == right.count && sodium_memcmp(left, right, left.count) == 0
}
