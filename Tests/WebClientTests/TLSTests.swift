import Foundation
import TestSupport
import Testing
import WebClient

/// Against a real TLS server, `openssl s_server`, which sends files that hold whole answers.
@Suite(.timeLimit(.minutes(2))) struct TLSTests {
    private struct Server {
        let folder: TemporaryFolder
        let child: ChildProcess
        let port: Int

        var certificate: String { folder.file("certificate.pem").path }
    }

    private static func start(answer: String) async throws -> Server {
        let folder = try TemporaryFolder()
        let made = try await ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", folder.file("key.pem").path, "-out",
                folder.file("certificate.pem").path,
            ])
        try #require(made.status == 0, "\(made.standardError)")
        try folder.write(answer, to: "page")
        let child = try ChildProcess(
            "openssl",
            ["s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem"],
            workingDirectory: folder.url)
        let line = try await child.waitForLine(containing: "ACCEPT", timeout: .seconds(60))
        let port = try #require(Int(line.split(separator: ":").last ?? ""))
        return Server(folder: folder, child: child, port: port)
    }

    @Test func trustsWhomItIsToldTo() async throws {
        let server = try await Self.start(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let client = try WebClient(WebClientConfiguration(authorityFile: server.certificate))
        #expect(try await client.send(.patient("https://localhost:\(server.port)/page")).text == "ok")
    }

    /// A stranger's certificate, one that is for the name and not for the number, and one that nobody vouches for.
    @Test(arguments: [(nil, "localhost"), ("certificate.pem", "127.0.0.1"), ("none.pem", "localhost")])
    func trustsNobodyElse(authority: String?, host: String) async throws {
        let server = try await Self.start(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let file = authority.map { server.folder.file($0).path }
        let client = try WebClient(WebClientConfiguration(authorityFile: file))
        do {
            _ = try await client.send(.patient("https://\(host):\(server.port)/page"))
            Issue.record("trusted")
        } catch let error as WebClientError {
            guard case .tlsFailed = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!error.isTransient)
        }
    }

    /// A device's own certificate, which is for no name and which nobody vouches for.
    @Test func trustsAKeyThatItIsTold() async throws {
        // This server serves one connection at a time, so none is to be kept.
        let server = try await Self.start(
            answer: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
        let told = try await ChildProcess.run(
            "sh",
            [
                "-c",
                "openssl x509 -in \(server.certificate) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64",
            ])
        let hash = told.standardOutput.filter { !$0.isWhitespace }
        let client = try WebClient()
        var request = WebRequest.patient("https://127.0.0.1:\(server.port)/page")
        request.pinnedKey = "sha256//" + hash
        #expect(try await client.send(request).text == "ok")
        request.pinnedKey = "sha256//" + String(hash.reversed().drop { $0 == "=" }) + "="
        do {
            _ = try await client.send(request)
            Issue.record("trusted")
        } catch let error as WebClientError {
            guard case .tlsFailed = error else {
                Issue.record("\(error)")
                return
            }
        }
        for wrong in ["", "sha256//", server.certificate, "sha256//AAAA"] {
            request.pinnedKey = wrong
            await #expect(throws: WebClientError.self) { try await client.send(request) }
        }
    }

    @Test func aRedirectionDoesNotLeaveTLS() async throws {
        let server = try await Self.start(
            answer: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n")
        let client = try WebClient(WebClientConfiguration(authorityFile: server.certificate))
        var request = WebRequest.patient("https://localhost:\(server.port)/page")
        request.maximumRedirects = 2
        await #expect(throws: WebClientError.redirectRefused("it leads away from https")) {
            try await client.send(request)
        }
    }
}
