import EnergyKit
import Foundation
import HubKit
import MQTT
import PostgreSQL
import Sinks
import TestSupport
import Testing

/// The collector at a broker that speaks TLS alone and asks for certificates.
@Suite(
    "Load events over TLS into PostgreSQL",
    .enabled(
        if: MosquittoBroker.isInstalled && PostgreSQLServer.isInstalled && CertificateAuthority.isInstalled,
        "the mosquitto broker, the PostgreSQL server or openssl is not installed"), .timeLimit(.minutes(3)))
struct EncryptedCollectorTests {
    private let folder: TemporaryFolder
    private let authority: CertificateAuthority
    private let broker: MosquittoBroker
    private let server: PostgreSQLServer

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await CertificateAuthority(in: folder)
        let own = try await authority.issue("server")
        broker = try await MosquittoBroker(settings: [
            "cafile \(authority.certificate)", "certfile \(own.certificate)", "keyfile \(own.key)",
            "require_certificate true", "use_identity_as_username true", "max_queued_messages 0",
        ])
        server = try await PostgreSQLServer()
    }

    private func files(_ name: String, of issuer: CertificateAuthority) async throws -> MQTTConfiguration.TLS {
        let own = try await issuer.issue(name)
        return .init(
            authorityFile: authority.certificate, certificateFile: own.certificate, keyFile: own.key)
    }

    private func collector(_ tls: MQTTConfiguration.TLS?, at host: String = "localhost", _ log: CollectingLog)
        -> EventCollector
    {
        EventCollector(
            at: [MQTTPlace(host: host, port: broker.port)], .init(clientID: "collector", filter: "+/events"), tls: tls,
            into: PostgreSQLConfiguration(
                host: "127.0.0.1", port: server.port, database: "postgres", user: "offpeak",
                password: PostgreSQLServer.password), log: log.log)
    }

    private func count() async throws -> Int {
        let database = PostgreSQLDatabase(
            PostgreSQLConfiguration(
                host: "127.0.0.1", port: server.port, database: "postgres", user: "offpeak",
                password: PostgreSQLServer.password))
        defer { Task { await database.close() } }
        let rows = try await database.transaction { try $0.run("SELECT count(*) FROM offpeak_fleet_events") }
        return rows.first?.first?.flatMap { Int($0) } ?? 0
    }

    @Test("every event arrives, whole batches and those after the broker came back too")
    func arrives() async throws {
        let log = CollectingLog()
        let tls = try await files("collector", of: authority)
        let collector = collector(tls, log)
        let running = Task { await collector.run() }
        defer { running.cancel() }
        try await broker.waitForLog(containing: "Sending SUBACK to collector")
        var settings = quick(port: broker.port)
        settings.host = "localhost"
        settings.tls = try await files("home", of: authority)
        let client = try MQTTClient(settings)
        await client.start()
        try await client.become { $0 == .connected }
        let house = try await SinkHouse(port: broker.port)
        let sink = MQTTEventSink(client: client, base: "home-1")
        // Many records of TLS at once, and a message longer than one.
        try await client.publish(String(repeating: "x", count: 100_000), to: "home-1/events")
        try await sink.deliver(house.stored(house.session(of: 700)))
        let isThere = await eventually { try await count() == 700 }
        #expect(isThere)
        try await broker.restart()
        try await broker.waitForLog(containing: "Sending SUBACK to collector")
        try await client.become { $0 == .connected }
        try await sink.deliver(house.stored(house.session(of: 3)))
        let isAgain = await eventually { try await count() == 703 }
        #expect(isAgain)
        running.cancel()
        await running.value
        await client.close()
    }

    /// How a connection can lack trust.
    enum Fault: CaseIterable, Sendable { case plain, noCertificate, stranger, otherAuthority, otherName, noFile }

    @Test("without trust on both sides nothing is read, and the reason is said", arguments: Fault.allCases)
    func noTrust(fault: Fault) async throws {
        let other = try await CertificateAuthority(in: folder, name: "someone")
        var tls: MQTTConfiguration.TLS? = try await files("collector", of: fault == .stranger ? other : authority)
        switch fault {
        case .plain: tls = nil
        case .noCertificate:
            tls?.certificateFile = nil
            tls?.keyFile = nil
        case .otherAuthority: tls?.authorityFile = other.certificate
        case .noFile: tls?.authorityFile = folder.file("missing.pem").path
        case .stranger, .otherName: break
        }
        let log = CollectingLog()
        // The certificate is for `localhost` alone.
        let collector = collector(tls, at: fault == .otherName ? "127.0.0.1" : "localhost", log)
        let running = Task { await collector.run() }
        let isSaid = await eventually { log.texts().contains { $0.contains("does not collect: ") } }
        #expect(isSaid)
        if fault != .noFile, fault != .plain {
            // However often it is tried, and in whatever words the fault comes.
            let isTried = await eventually { await broker.log.count { $0.contains("New connection") } >= 5 }
            #expect(isTried)
        }
        running.cancel()
        await running.value
        #expect(log.texts().count { $0.contains("does not collect: ") } == 1, "\(log.texts())")
        #expect(!log.texts().contains { $0.contains("collects at") })
        if fault == .otherAuthority || fault == .otherName || fault == .noFile {
            #expect(log.texts().contains { $0.contains("no trusted connection") }, "\(log.texts())")
        }
    }
}
