import Foundation
import HubKit
import Sodium
import Storage
import WebAPI

/// Credentials of a hub, from outside it.
///
/// A running hub holds its folder's lock; tokens can be made all the same, since SQLite itself keeps two writers apart.
struct CredentialStore {
    private let store: HubStore

    /// Whether a hub or a command has made one yet.
    static func isThere(_ configuration: HubConfiguration) -> Bool {
        FileManager.default.fileExists(atPath: configuration.dataFolder.appendingPathComponent("offpeak.sqlite").path)
    }

    /// Opens the store of a hub, to read it or to change credentials too.
    init(configuration: HubConfiguration, use: StoreUse) async throws {
        store = try await HubStore(folder: configuration.dataFolder, clock: SystemClock(), log: .silent, use: use)
    }

    func keep(_ hash: TokenHash, role: Role, label: String) async throws {
        try await store.keepCredential(hash: Array(hash.hex.utf8), role: role.rawValue, label: label)
    }

    func close() async { await store.close() }

    func all() async throws -> [StoredCredential] { try await store.credentials() }

    func revoke(_ id: Int64) async throws -> Bool { try await store.revokeCredential(id) }

    func revoke(_ hash: TokenHash) async throws { try await store.revokeCredential(hash: Array(hash.hex.utf8)) }

    func backUp(to path: String) async throws { try await store.backUp(to: path) }
}
