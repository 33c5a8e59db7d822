import Foundation
import MQTT
import TestSupport
import Testing

/// The name `localhost` with a certificate of our own.
@Suite(.timeLimit(.minutes(3)), .enabled(if: MosquittoBroker.isInstalled && ChildProcess.path(of: "openssl") != nil))
struct EncryptionTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        for name in ["server", "other"] {
            try await CertificateAuthority.makeSelfSigned(in: folder, name: name)
        }
    }

    private func settings(_ broker: MosquittoBroker, authority: String) -> MQTTConfiguration {
        var settings = configuration(port: broker.port)
        settings.host = "localhost"
        settings.tls = .init(authorityFile: folder.file(authority).path)
        return settings
    }

    private func broker() async throws -> MosquittoBroker {
        try await MosquittoBroker(
            settings: ["certfile \(folder.path)/server.pem", "keyfile \(folder.path)/server.key"])
    }

    @Test func carriesMessagesOverTLS() async throws {
        let broker = try await broker()
        var settings = settings(broker, authority: "server.pem")
        // Beyond the test's own limit: a refused attempt during the restart must not have to wait for it.
        settings.connectTimeout = .seconds(300)
        let client = try await MQTTClient.connected(to: settings)
        let stream = try await client.messages(matching: "a")
        let payload = [UInt8](repeating: 9, count: 300_000)
        try await client.publish(MQTTMessage(topic: "a", payload: payload))
        #expect(await take(1, from: stream).map(\.payload) == [payload])
        await broker.restart(afterwards: client)
    }

    @Test(arguments: ["other.pem", "missing.pem"])
    func refusesABrokerItCannotTrust(authority: String) async throws {
        let broker = try await broker()
        let client = try MQTTClient(settings(broker, authority: authority))
        await client.start()
        let failure = await client.wait { $0.failure != nil }.failure
        #expect(failure != nil)
        #expect(await client.wait { $0 == .connected || $0.failure != nil } != .connected)
    }

    /// A client as a broker sees it that asks for certificates.
    enum Bearer: CaseIterable, Sendable { case trusted, stranger, nobody }

    @Test("a broker that asks for a certificate takes only who has one of its authority", arguments: Bearer.allCases)
    func clientCertificate(bearer: Bearer) async throws {
        let authority = try await CertificateAuthority(in: folder)
        let server = try await authority.issue("server-of-authority")
        let broker = try await MosquittoBroker(settings: [
            "cafile \(authority.certificate)", "certfile \(server.certificate)", "keyfile \(server.key)",
            "require_certificate true", "use_identity_as_username true",
        ])
        var settings = settings(broker, authority: "authority.pem")
        if bearer != .nobody {
            let issuer =
                bearer == .trusted ? authority : try await CertificateAuthority(in: folder, name: "someone")
            let own = try await issuer.issue("hub")
            settings.tls?.certificateFile = own.certificate
            settings.tls?.keyFile = own.key
        }
        let client = try MQTTClient(settings)
        await client.start()
        let state = await client.wait { $0 == .connected || $0.failure != nil }
        if bearer == .trusted {
            #expect(state == .connected)
            #expect(try await client.publish("x", to: "a") == .acknowledged)
            // The broker knows it by the name in its certificate.
            try await broker.waitForLog(containing: "u'hub'")
        } else {
            #expect(state.failure != nil)
        }
        await client.close()
    }
}

extension MosquittoBroker {
    /// Restarts and waits until the client is back.
    fileprivate func restart(afterwards client: MQTTClient) async {
        await stop()
        await client.wait { $0.failure != nil }
        try? await start()
        await client.wait { $0 == .connected }
    }
}
