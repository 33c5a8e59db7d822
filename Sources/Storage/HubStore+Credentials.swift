package import Foundation
import HubKit
import SQLite

/// A credential as a list shows it; the secret itself is not kept.
package struct StoredCredential: Sendable, Equatable {
    /// Its number, to revoke it by.
    package let id: Int64
    /// What it may do: viewer, operator or admin.
    package let role: String
    /// What it is for.
    package let label: String
    /// When it was made.
    package let created: Date
}

extension HubStore {
    /// Keeps a credential's hash.
    package func keepCredential(hash: [UInt8], role: String, label: String) async throws {
        let now = clock.now.timeIntervalSince1970
        try await write { connection in
            try connection.execute(
                "INSERT OR REPLACE INTO credentials (hash, role, label, created) VALUES (?, ?, ?, ?)",
                [.blob(hash), .text(role), .text(label), .real(now)])
        }
    }

    /// The role of the credential with this hash.
    package func role(ofHash hash: [UInt8]) async throws -> String? {
        try await read { connection in
            try connection.scalarText("SELECT role FROM credentials WHERE hash = ?", [.blob(hash)])
        }
    }

    /// Every credential.
    package func credentials() async throws -> [StoredCredential] {
        try await read { connection in
            try connection.query("SELECT id, role, label, created FROM credentials ORDER BY id", []) { row in
                StoredCredential(
                    id: try row.int64(0), role: try row.text(1), label: try row.text(2),
                    created: Date(timeIntervalSince1970: try row.double(3)))
            }
        }
    }

    /// Makes a credential worthless.
    /// - Returns: whether there was one.
    package func revokeCredential(_ id: Int64) async throws -> Bool {
        try await write { connection in
            try connection.execute("DELETE FROM credentials WHERE id = ?", [.integer(id)])
            return connection.changes > 0
        }
    }

    /// Makes the credential with this hash worthless, where there is one.
    package func revokeCredential(hash: [UInt8]) async throws {
        try await write { connection in
            try connection.execute("DELETE FROM credentials WHERE hash = ?", [.blob(hash)])
        }
    }
}
