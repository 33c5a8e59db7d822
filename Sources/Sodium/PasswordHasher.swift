import CSodium
import Foundation
import ThreadKit

/// Hashes and checks passwords with Argon2id and libsodium's limits for interactive use.
///
/// One check takes tens of milliseconds and 64 MiB on purpose. The actor works on a thread of its own and does one at a
/// time, so that guesses from outside can occupy neither the pool nor more memory than that.
package actor PasswordHasher {
    /// Why a password could not be hashed.
    package enum Failure: Error, Equatable {
        /// The password is empty or longer than 1024 bytes.
        case unusablePassword
        /// The system has no 64 MiB left.
        case outOfMemory
    }

    private static let maximumBytes = 1024
    private let executor = ThreadExecutor(name: "password")

    /// The thread of its own.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a hasher; its thread starts with the first call.
    package init() {
        Library.prepare()
    }

    deinit {
        executor.stop()
    }

    /// Hashes a password with a new salt.
    /// - Returns: one line of ASCII with the algorithm, its limits, salt and hash, to store as it is.
    /// - Throws: `Failure`.
    package func hash(_ password: String) throws(Failure) -> String {
        guard let bytes = Self.bytes(of: password) else { throw .unusablePassword }
        var output = [CChar](repeating: 0, count: crypto_pwhash_strbytes())
        let code = crypto_pwhash_str(
            &output, bytes, UInt64(bytes.count), UInt64(crypto_pwhash_opslimit_interactive()),
            crypto_pwhash_memlimit_interactive())
        guard code == 0 else { throw .outOfMemory }
        return String(decoding: output.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a password is the one that was hashed; false too if the stored text is no hash.
    package func verify(_ password: String, against stored: String) -> Bool {
        guard let bytes = Self.bytes(of: password), stored.utf8.count < crypto_pwhash_strbytes() else { return false }
        return crypto_pwhash_str_verify(stored, bytes, UInt64(bytes.count)) == 0
    }

    /// Whether a stored hash was made with other limits than today's, and is to be made anew at the next good log-in.
    package nonisolated func isOutdated(_ stored: String) -> Bool {
        guard stored.utf8.count < crypto_pwhash_strbytes() else { return true }
        return crypto_pwhash_str_needs_rehash(
            stored, UInt64(crypto_pwhash_opslimit_interactive()), crypto_pwhash_memlimit_interactive()) != 0
    }

    /// The bytes to hash, in Unicode's composed form: keyboards differ in how they send `é`.
    private static func bytes(of password: String) -> [CChar]? {
        let bytes = password.precomposedStringWithCanonicalMapping.utf8.map(CChar.init(bitPattern:))
        return (1...maximumBytes).contains(bytes.count) ? bytes : nil
    }
}
