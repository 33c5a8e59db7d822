import EnergyKit
import Foundation
import HubKit
import Sodium
import Storage
import WebAPI

/// Subcommands on the store of a hub.
enum CredentialCommands {
    static func token(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "token")
        let verbs = ["create", "list", "revoke"]
        guard let verb = given.rest.first, verbs.contains(verb) else {
            throw Arguments.Misuse(
                description: given.rest.first.map { "there is no '\($0)'; say create, list or revoke" }
                    ?? "say create, list or revoke")
        }
        if verb != "revoke", let extra = given.rest.dropFirst().first {
            throw Arguments.Misuse(description: "'\(extra)' is not expected here")
        }
        // What was asked for is judged first: a store is made where there is none, and nothing is written for a mistake.
        let action = try action(verb, given)
        let configuration = try configuration(given)
        if verb == "list", !CredentialStore.isThere(configuration) {
            try show([], asJSON: given.has("json"))
        } else {
            try await action(
                try await CredentialStore(configuration: configuration, use: verb == "list" ? .reader : .guest))
        }
        return .success
    }

    private static func action(
        _ verb: String, _ given: Arguments
    ) throws(Arguments.Misuse) -> (CredentialStore) async throws -> Void {
        switch verb {
        case "create":
            let role = try role(given)
            let label = try label(given)
            return { try await create(role, label, $0) }
        case "list":
            return { try show(try await $0.all(), asJSON: given.has("json")) }
        default:
            guard given.rest.count == 2, let id = Int64(given.rest[1]) else {
                throw Arguments.Misuse(description: "revoke takes the ID that 'offpeak token list' shows")
            }
            return { try await revoke(id, $0) }
        }
    }

    private static func configuration(_ given: Arguments) throws -> HubConfiguration {
        try ConfigurationReader.read(URL(fileURLWithPath: given["config"] ?? "/etc/offpeak/offpeak.yaml"))
    }

    private static func role(_ given: Arguments) throws(Arguments.Misuse) -> Role {
        let name = given["role"] ?? "operator"
        guard let role = Role(rawValue: name) else {
            throw Arguments.Misuse(description: "--role is viewer, operator or admin, not '\(name)'")
        }
        return role
    }

    private static func create(_ role: Role, _ label: String, _ store: CredentialStore) async throws {
        let token = AccessToken()
        try await store.keep(token.hash, role: role, label: label)
        Console.error("a token with the role \(role.rawValue); it is shown this once only:")
        Console.out(token.text)
        // A token that nobody saw must not stay valid.
        if Console.isIncomplete {
            try await store.revoke(token.hash)
            Console.error("nobody could read the token, so it was revoked; run the command again")
        }
        await store.close()
    }

    /// A label as it was given, where a list can show it as it is.
    private static func label(_ given: Arguments) throws(Arguments.Misuse) -> String {
        let label = given["label"] ?? "made on the command line"
        guard label.count <= 80, label == TextTable.printable(label) else {
            throw Arguments.Misuse(
                description: "--label is a text of up to 80 characters without control characters, in one line")
        }
        return label
    }

    private struct TokenJSON: Encodable {
        var id: Int64
        var role: String
        var label: String
        var created: Date
    }

    private static func show(_ rows: [StoredCredential], asJSON: Bool) throws {
        guard !asJSON else {
            let tokens = rows.map { TokenJSON(id: $0.id, role: $0.role, label: $0.label, created: $0.created) }
            return try Console.json(tokens, with: EnergyKitJSON.encoder())
        }
        Console.table(
            ["id", "role", "label", "created"],
            rows.map { [String($0.id), $0.role, $0.label, $0.created.formatted(.iso8601)] })
    }

    private static func revoke(_ id: Int64, _ store: CredentialStore) async throws {
        guard try await store.revoke(id) else {
            throw HubError(.notFound, "there is no token \(id); 'offpeak token list' shows them")
        }
        Console.out("token \(id) is revoked")
    }

    static func backup(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "backup")
        let file = try given.only("FILE")
        let configuration = try configuration(given)
        guard !FileManager.default.fileExists(atPath: file) else {
            throw Arguments.Misuse(description: "\(file) exists already; name a file that does not")
        }
        let store = try await CredentialStore(configuration: configuration, use: .reader)
        try await store.backUp(to: file)
        Console.out("the store was copied to \(file)")
        return .success
    }
}
