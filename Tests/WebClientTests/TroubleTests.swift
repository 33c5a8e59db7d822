import Foundation
import TestSupport
import Testing
import WebClient

/// Broken servers, broken requests, and what errors say.
@Suite(.timeLimit(.minutes(2))) struct TroubleTests {
    @Test func nobodyThereIsNoConnection() async throws {
        let client = try WebClient()
        let folder = try TemporaryFolder()
        let port = try LoopbackPort.free()
        var missing = WebRequest("GET", "http://hub/")
        missing.unixSocket = folder.file("none.sock").path
        let requests = [
            WebRequest("GET", "http://127.0.0.1:\(port)/"), WebRequest("GET", "http://no-such-host.invalid/"), missing,
        ]
        for request in requests {
            do {
                _ = try await client.send(request)
                Issue.record("\(request) was answered")
            } catch let error as WebClientError {
                guard case .cannotConnect = error else {
                    Issue.record("\(request): \(error)")
                    continue
                }
                #expect(error.isTransient)
            }
        }
    }

    @Test(arguments: [
        "hello, this is no HTTP\r\n\r\n", "HTTP/1.1 twohundred OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n",
    ])
    func whatIsNotHTTPIsAnError(answer: String) async throws {
        let server = try RawServer(answering: answer)
        let client = try WebClient()
        await #expect(throws: WebClientError.self) { try await client.send(.patient(server.url)) }
        #expect(await eventually { await client.exchanges == 0 })
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func anEarlyEndIsALostConnection(answer: String) async throws {
        let server = try RawServer(answering: answer)
        let client = try WebClient()
        do {
            let whole = try await client.send(.patient(server.url))
            Issue.record("taken as whole: \(whole)")
        } catch let error as WebClientError {
            guard case .connectionLost = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func piecesBeforeTheBreakAreStillGiven() async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        let client = try WebClient()
        var received: [UInt8] = []
        var failure: WebClientError?
        do {
            for try await piece in try await client.stream(.patient(server.url)) { received += piece }
        } catch let error as WebClientError {
            failure = error
        }
        #expect(received == Array("hello".utf8))
        #expect(failure != nil)
    }

    @Test func interimAnswersAndTrailersAreNoPartOfTheHead() async throws {
        let server = try RawServer(
            answering: """
                HTTP/1.1 103 Early Hints\r
                X-Early: 1\r
                \r
                HTTP/1.1 200 OK\r
                Transfer-Encoding: chunked\r
                X-Real:   2  \r
                \r
                2\r
                ok\r
                0\r
                X-Late: 3\r
                \r

                """)
        let answer = try await WebClient().send(.patient(server.url))
        #expect(answer.status == 200)
        #expect(answer.text == "ok")
        #expect(answer.headers["X-Real"] == "2")
        #expect(answer.headers["X-Early"] == nil)
        #expect(answer.headers["X-Late"] == nil)
    }

    @Test(arguments: [
        WebRequest("get", "http://h/"), WebRequest("", "http://h/"), WebRequest("GET /x HTTP/1.1\r\nA:", "http://h/"),
        WebRequest("GET", ""), WebRequest("GET", "h"), WebRequest("GET", "/path"), WebRequest("GET", "http://"),
        WebRequest("GET", "ftp://h/"), WebRequest("GET", "file:///etc/passwd"), WebRequest("GET", "http://h /"),
        WebRequest("GET", "http://h/\r\nX: 1"), WebRequest("GET", "http://me:SECRET@h/"),
        WebRequest("GET", "http://me@h/"), WebRequest("GET", "http://h:99999/"),
        WebRequest("GET", "http://h/", headers: ["X": "SECRET\r\nY: 1"]),
        WebRequest("GET", "http://h/", headers: ["X": "SECRET\u{0}"]),
        WebRequest("GET", "http://h/", headers: ["X:Y": "1"]), WebRequest("GET", "http://h/", headers: ["": "1"]),
        WebRequest("POST", "http://h/", headers: ["Content-Length": "3"]),
        WebRequest("POST", "http://h/", headers: ["transfer-encoding": "chunked"]),
        WebRequest("GET", "http://h/", unixSocket: "relative.sock"),
        WebRequest("GET", "http://h/", unixSocket: "/" + String(repeating: "x", count: 107)),
        WebRequest("GET", "http://h/", unixSocket: "/a\u{0}b"),
    ])
    func aRequestThatIsNoneIsNotSent(request: WebRequest) async throws {
        let client = try WebClient()
        do {
            _ = try await client.send(request)
            Issue.record("sent: \(request)")
        } catch let error as WebClientError {
            guard case .invalidRequest = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!"\(error)".contains("SECRET"))
            #expect(!error.isTransient)
        }
    }

    @Test func neitherErrorsNorDescriptionsTellSecrets() async throws {
        let port = try LoopbackPort.free()
        let broken = try RawServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
        let client = try WebClient()
        for port in [port, broken.port] {
            let request = WebRequest(
                "POST", "http://127.0.0.1:\(port)/prices?key=SECRET", headers: ["Authorization": "Bearer SECRET"],
                body: Array("SECRET".utf8))
            #expect("\(request)" == "POST http://127.0.0.1:\(port)/prices")
            #expect(!String(reflecting: request).contains("SECRET"))
            var dumped = ""
            dump(request, to: &dumped)
            #expect(!dumped.contains("SECRET"))
            do {
                _ = try await client.send(request)
                Issue.record("answered")
            } catch {
                #expect(!"\(error)".contains("SECRET"))
                #expect("\(error)".contains("127.0.0.1:\(port)"))
            }
        }
    }
}
