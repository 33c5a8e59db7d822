import Foundation
import TestSupport
import Testing
import ThreadKit
import WebClient

@testable import WebServer

/// The server's TLS, with curl and OpenSSL as clients.
@Suite(
    .enabled(if: CertificateAuthority.isInstalled, "openssl is not installed"), .timeLimit(.minutes(3)))
struct TLSTests {
    /// A server that speaks TLS beside plain HTTP, and the folder of its certificate.
    private struct House {
        let folder: TemporaryFolder
        let server: WebServer
        let lines: Locked<[String]>
        let port: Int
        let plainPort: Int

        init(hasCertificate: Bool = true, limit: Int = 512) async throws {
            folder = try TemporaryFolder()
            if hasCertificate { try await CertificateAuthority.makeSelfSigned(in: folder, name: "hub") }
            var configuration = WebServerConfiguration()
            var tls = TLSConfiguration(
                host: "127.0.0.1", port: 0, certificatePath: folder.file("hub.pem").path,
                keyPath: folder.file("hub.key").path)
            tls.renewalCheck = .milliseconds(1)
            configuration.tls = tls
            configuration.maximumBodyBytes = 8 << 20
            configuration.maximumConnections = limit
            let lines = Locked<[String]>([])
            configuration.log = { line in lines.withLock { $0.append(line) } }
            self.lines = lines
            server = WebServer(configuration: configuration, handler: TLSTests.answer)
            try await server.start()
            port = try #require(await server.boundTLSPort)
            plainPort = try #require(await server.boundPort)
        }

        func client(trusting name: String = "hub.pem") throws -> WebClient {
            try WebClient(WebClientConfiguration(authorityFile: folder.file(name).path))
        }

        func address(_ path: String) -> String { "https://localhost:\(port)\(path)" }
    }

    @Sendable private static func answer(_ request: HTTPRequest) async -> HTTPResponse {
        switch request.path {
        case "/back": .bytes(request.body, contentType: "application/octet-stream")
        case "/large": .bytes(large, contentType: "application/octet-stream")
        default:
            .text("\(request.isEncrypted) \(request.remoteAddress ?? "-") \(request.isUnixSocket)")
        }
    }

    private static let large = (0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }

    @Test func aRequestComesThroughAndSaysHowItCame() async throws {
        let house = try await House()
        let client = try house.client()
        for _ in 0..<3 {
            #expect(try await client.send(WebRequest("GET", house.address("/"))).text == "true 127.0.0.1 false")
        }
        let plain = try await client.send(WebRequest("GET", "http://127.0.0.1:\(house.plainPort)/"))
        #expect(plain.text == "false 127.0.0.1 false")
        await house.server.stop(within: .seconds(2))
    }

    @Test func bytesComeBackAsTheyWereSentAndLargeAnswersAreWhole() async throws {
        let house = try await House()
        let client = try house.client()
        for count in [0, 1, 16_383, 16_384, 16_385, 300_000, 5_000_000] {
            let body = Array(Self.large.prefix(count))
            let answer = try await client.send(WebRequest("POST", house.address("/back"), body: body))
            #expect(answer.body == body, "\(count)")
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { try await client.send(WebRequest("GET", house.address("/large"))).body == Self.large }
            }
            for try await isWhole in group { #expect(isWhole) }
        }
        await house.server.stop(within: .seconds(2))
    }

    /// The library's own clock, which no test can set, gives a connection five seconds from its handshake on.
    @Test func aConnectionIsKeptAsLongAsOneWithoutTLS() async throws {
        let house = try await House()
        let request = "GET / HTTP/1.1\\r\\nHost: x\\r\\n"
        let outcome = try await ChildProcess.run(
            "/bin/sh",
            [
                "-c",
                "(printf '\(request)\\r\\n'; sleep 7; printf '\(request)Connection: close\\r\\n\\r\\n') | "
                    + "openssl s_client -quiet -ign_eof -connect 127.0.0.1:\(house.port) 2>/dev/null",
            ])
        let answers = outcome.standardOutput.ranges(of: "200 OK").count
        #expect(answers == 2, "\(outcome.standardOutput)")
        await house.server.stop(within: .seconds(2))
    }

    @Test(arguments: [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
    func onlyNewVersionsAreSpoken(version: String, isSpoken: Bool) async throws {
        let house = try await House()
        let outcome = try await ChildProcess.run(
            "/bin/sh",
            [
                "-c",
                "printf 'GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' | "
                    + "openssl s_client -quiet -ign_eof -connect 127.0.0.1:\(house.port) \(version)"
                    + " -cipher 'DEFAULT:@SECLEVEL=0' 2>/dev/null",
            ])
        #expect(outcome.standardOutput.contains("true 127.0.0.1 false") == isSpoken, "\(outcome.standardOutput)")
        await house.server.stop(within: .seconds(2))
    }

    @Test func whatIsNoTLSIsClosedAndDisturbsNobody() async throws {
        let house = try await House()
        for text in ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{7f}\u{7f}nonsense", "\n"] {
            let stranger = try RawClient(port: house.port)
            try await stranger.send(text)
            await stranger.finishSending()
            #expect(await !stranger.readToEnd().contains("200"))
        }
        let client = try house.client()
        #expect(try await client.send(WebRequest("GET", house.address("/"))).text == "true 127.0.0.1 false")
        await house.server.stop(within: .seconds(2))
    }

    @Test func aMissingCertificateIsSaidAndTakenOnceItIsThere() async throws {
        let house = try await House(hasCertificate: false)
        let plain = try WebClient(WebClientConfiguration())
        let address = "http://127.0.0.1:\(house.plainPort)/"
        #expect(try await plain.send(WebRequest("GET", address)).text == "false 127.0.0.1 false")
        #expect(house.lines.withLock { $0.first?.contains("hub.pem can't be used: there is no such file") == true })
        try await CertificateAuthority.makeSelfSigned(in: house.folder, name: "hub")
        let client = try house.client()
        #expect(await eventually { try await client.send(WebRequest("GET", house.address("/"))).status == 200 })
        #expect(house.lines.withLock { $0.count { $0.contains("nobody is served") } } == 1)
        await house.server.stop(within: .seconds(2))
    }

    @Test func aRenewedCertificateIsShownToNewConnections() async throws {
        let house = try await House()
        let old = try house.client()
        #expect(try await old.send(WebRequest("GET", house.address("/"))).status == 200)
        // The age of a file has whole seconds.
        _ = try await ChildProcess.run("touch", ["-d", "2001-01-01", house.folder.file("hub.pem").path])
        _ = try? await house.client().send(WebRequest("GET", house.address("/")))
        try await CertificateAuthority.makeSelfSigned(in: house.folder, name: "hub")
        #expect(await eventually { try await house.client().send(WebRequest("GET", house.address("/"))).status == 200 })
        await house.server.stop(within: .seconds(2))
    }

    @Test func connectionsAreBoundedAndTheirPlacesComeBack() async throws {
        let house = try await House(limit: 8)
        var silent: [RawClient] = []
        for _ in 0..<12 { silent.append(try RawClient(port: house.port)) }
        for client in silent.suffix(4) { #expect(await client.readToEnd().isEmpty) }
        for client in silent { await client.close() }
        #expect(
            await eventually { try await house.client().send(WebRequest("GET", house.address("/"))).status == 200 })
        await house.server.stop(within: .seconds(2))
    }
}
