import Foundation
import MQTT
import TestSupport
import Testing
import ThreadKit

/// What is said of files and of brokers that do not trust, or are not to be trusted.
@Suite(
    "Faults of encryption in plain words", .timeLimit(.minutes(3)),
    .enabled(if: MosquittoBroker.isInstalled && CertificateAuthority.isInstalled))
struct TLSFaultTests {
    private let folder: TemporaryFolder
    private let authority: CertificateAuthority

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await CertificateAuthority(in: folder)
    }

    // MARK: - Files

    /// A file that can't be used as what it is named for, and what is said of it.
    enum BrokenFile: CaseIterable, Sendable {
        case authorityIsNone, authorityIsDamaged, certificateIsNone, keyIsNone, keyHasPassphrase, pairIsNone, expired,
            early
    }

    @Test("a file that can't be used is named, with what is wrong and what mends it", arguments: BrokenFile.allCases)
    func file(broken: BrokenFile) async throws {
        let own = try await authority.issue("hub")
        var tls = MQTTConfiguration.TLS(
            authorityFile: authority.certificate, certificateFile: own.certificate, keyFile: own.key)
        #expect(tls.faults == [])
        let rubbish = try folder.write("this is no PEM\n", to: "rubbish").path
        let damaged = "-----BEGIN CERTIFICATE-----\nMIIB/////\n-----END CERTIFICATE-----\n"
        let words: String
        switch broken {
        case .authorityIsNone:
            tls.authorityFile = rubbish
            words = "rubbish has no certificate in PEM"
        case .authorityIsDamaged:
            tls.authorityFile = try folder.write(damaged, to: "damaged").path
            words = "damaged has no certificate in PEM"
        case .certificateIsNone:
            tls.certificateFile = own.key
            words = "hub.key has no certificate in PEM"
        case .keyIsNone:
            tls.keyFile = own.certificate
            words = "hub.pem has no key in PEM"
        case .keyHasPassphrase:
            tls.keyFile = try await lockedKey(own.key)
            words = "without a passphrase"
        case .pairIsNone:
            tls.keyFile = try await authority.issue("other").key
            words = "other.key does not belong to the certificate in \(own.certificate)"
        case .expired, .early:
            tls.certificateFile = try await authority.issue(
                "dated", key: own.key, fromDay: broken == .expired ? -10 : 5, untilDay: broken == .expired ? -5 : 10)
            words = broken == .expired ? "dated.pem expired on 20" : "dated.pem counts from 20"
        }
        let fault = try #require(tls.faults.first)
        #expect(tls.faults.count == 1 && fault.reason.contains(words), "\(tls.faults)")
        #expect(!fault.remedy.isEmpty)
        #expect(fault.isTime == (broken == .expired || broken == .early))
    }

    private func run(_ arguments: String...) async throws {
        let outcome = try await ChildProcess.run("openssl", arguments, workingDirectory: folder.url)
        try #require(outcome.status == 0, "\(outcome.standardError)")
    }

    private func lockedKey(_ key: String) async throws -> String {
        try await run("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", "locked.key")
        return folder.file("locked.key").path
    }

    // MARK: - Brokers

    /// How two sides can fail to trust each other, and what is said of it.
    enum Distrust: CaseIterable, Sendable {
        case otherAuthority, expired, otherName, noCertificate, strangersCertificate, plainPort, expiredOwn, otherKey

        var words: String {
            switch self {
            case .otherAuthority: "was not issued by the authority in "
            case .expired: "the broker's certificate has expired; renew it"
            case .otherName: "the broker's certificate is not for the name '127.0.0.1'"
            case .noCertificate: "asks for a certificate and was shown none; name certificate_file"
            case .strangersCertificate: "does not know the authority of the certificate in "
            case .plainPort: "look whether the broker runs and speaks TLS at this port"
            case .expiredOwn: "has expired"
            case .otherKey: "does not belong to the certificate in "
            }
        }
    }

    @Test(
        "without trust the log says what is wrong and what mends it, in one line however often it is tried",
        arguments: Distrust.allCases, ["tlsv1.2", "tlsv1.3"])
    func distrust(distrust: Distrust, version: String) async throws {
        let broker = try await broker(distrust, version)
        let own = try await authority.issue("hub")
        var settings = configuration(port: broker.port)
        settings.host = distrust == .otherName ? "127.0.0.1" : "localhost"
        settings.tls = .init(authorityFile: authority.certificate, certificateFile: own.certificate, keyFile: own.key)
        switch distrust {
        case .otherAuthority:
            settings.tls?.authorityFile = try await CertificateAuthority(in: folder, name: "someone").certificate
        case .noCertificate:
            settings.tls?.certificateFile = nil
            settings.tls?.keyFile = nil
        case .strangersCertificate:
            let stranger = try await CertificateAuthority(in: folder, name: "someone").issue("stranger")
            settings.tls?.certificateFile = stranger.certificate
            settings.tls?.keyFile = stranger.key
        case .expiredOwn: settings.tls?.certificateFile = try await old("old", own.key)
        case .otherKey: settings.tls?.keyFile = try await authority.issue("another").key
        case .expired, .otherName, .plainPort: break
        }
        let lines = Collected()
        let client = try MQTTClient(settings) { lines.add($0) }
        await client.start()
        let isSaid = await eventually { lines.all.contains { $0.contains(distrust.words) } }
        #expect(isSaid, "\(lines.all)")
        // Some more attempts: the same trouble is not said again.
        var failures = 0
        for await state in await client.states() {
            if state.failure != nil { failures += 1 }
            if failures == 6 { break }
        }
        await client.close()
        #expect(lines.all.count { $0.contains(distrust.words) } == 1, "\(lines.all)")
        // Whether the broker's word arrives before the connection breaks is a matter of chance.
        #expect(lines.all.count { $0.contains("not connected") } <= 2, "\(lines.all)")
        #expect(!lines.all.contains { $0.contains("rotocol error") || $0.contains("OpenSSL") }, "\(lines.all)")
    }

    @Test("a broker that does not run is away, whatever the library makes of it")
    func away() async throws {
        var settings = configuration(port: try LoopbackPort.free())
        settings.host = "localhost"
        settings.tls = .init(authorityFile: authority.certificate)
        let client = try MQTTClient(settings)
        await client.start()
        let failure = await client.wait { $0.failure != nil }.failure
        let words = try #require(failure?.description)
        #expect(words == "Connection refused" || words.contains("look whether the broker runs"), "\(words)")
        await client.close()
    }

    private func old(_ name: String, _ key: String) async throws -> String {
        try await authority.issue(name, key: key, fromDay: -10, untilDay: -5)
    }

    private func broker(_ distrust: Distrust, _ version: String) async throws -> MosquittoBroker {
        if distrust == .plainPort { return try await MosquittoBroker() }
        var server = try await authority.issue("server")
        if distrust == .expired { server.certificate = try await old("expired", server.key) }
        return try await MosquittoBroker(settings: [
            "cafile \(authority.certificate)", "certfile \(server.certificate)", "keyfile \(server.key)",
            "require_certificate true", "tls_version \(version)",
        ])
    }
}

/// Lines of a log.
private final class Collected: Sendable {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.current }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
