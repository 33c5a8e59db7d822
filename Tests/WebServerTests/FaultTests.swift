import Foundation
import Testing
import WebServer

/// Checks that an answer of the server itself is a fault as RFC 9457 has it, which says how to mend it.
func expectProblem(
    _ answer: RawClient.Response, _ status: Int, _ code: String, saying word: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(answer.status == status, "\(answer)", sourceLocation: sourceLocation)
    #expect(
        answer.headers["content-type"] == "application/problem+json", "\(answer.headers)",
        sourceLocation: sourceLocation)
    let json = try #require(
        try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any], "\(answer.text)",
        sourceLocation: sourceLocation)
    #expect(
        json["status"] as? Int == status && json["code"] as? String == code, "\(json)", sourceLocation: sourceLocation)
    #expect(json["type"] as? String == "about:blank", "\(json)", sourceLocation: sourceLocation)
    #expect((json["title"] as? String)?.isEmpty == false, "\(json)", sourceLocation: sourceLocation)
    let detail = json["detail"] as? String ?? ""
    #expect(detail.count > 15 && detail.contains(word), "\(json)", sourceLocation: sourceLocation)
}

@Suite(.timeLimit(.minutes(3))) struct FaultTests {
    @Test(
        arguments: [
            ("nonsense\r\n\r\n", 400, "badRequest", "METHOD /path"),
            ("\u{0}\u{1}\u{2}\r\n\r\n", 400, "badRequest", "METHOD /path"),
            ("GET / HTTP/1.1\r\n\r\n", 400, "badRequest", "Host"),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "badRequest", "Host"),
            ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, "badRequest", "Name: value"),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7}\r\n\r\n", 400, "badRequest", "control character"),
            ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "badRequest", "%25"),
            ("GET /?a=%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400, "badRequest", "query"),
            ("GET here HTTP/1.1\r\nHost: a\r\n\r\n", 400, "badRequest", "'/'"),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "version", "1.1"),
            ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501, "notImplemented", "CONNECT"),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400, "badRequest", "Content-Length"),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n", 413, "bodyTooLarge", "1000 bytes"),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413, "bodyTooLarge",
                "send less"
            ),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "badRequest",
                "chunk"
            ),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "notImplemented", "chunked"),
            ("GET / HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n", 417, "expectation", "Expect"),
            (
                "GET /" + String(repeating: "x", count: 3000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 431, "headTooLarge",
                "2000 bytes"
            ),
            ("GET /" + String(repeating: "x", count: 3000), 414, "addressTooLong", "2000 bytes"),
        ] as [(String, Int, String, String)])
    func everyFaultOfTheServersOwnIsAProblem(request: String, status: Int, code: String, word: String) async throws {
        try await withServer({
            $0.maximumBodyBytes = 1000
            $0.maximumHeaderBytes = 2000
        }) { _, port in
            try expectProblem(try await RawClient(port: port).exchange(request), status, code, saying: word)
        }
    }

    @Test func aRequestThatComesTooSlowlyIsOne() async throws {
        try await withServer({ $0.requestTimeout = .milliseconds(100) }) { _, port in
            try expectProblem(
                try await RawClient(port: port).exchange("GET / HT"), 408, "requestTimeout", saying: "100 ms")
        }
    }

    @Test func anAnswerThatComesTooLateIsOne() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            try? await Task.sleep(for: .seconds(60))
            return .text("late")
        }
        try await withServer({ $0.handlerTimeout = .milliseconds(100) }, handler: handler) { _, port in
            let answer = try await RawClient(port: port).get("/")
            try expectProblem(answer, 503, "serviceUnavailable", saying: "100 ms")
            #expect(answer.headers["retry-after"] != nil)
        }
    }

    @Test func aTextIsWrittenAsJSONWhateverItHolds() throws {
        let text = "a \"b\" \\ / \n\r\t\u{1}\u{1F}\u{7F} é 🙂"
        let answer = HTTPResponse.problem(400, code: "x", detail: text)
        guard case .bytes(let bytes) = answer.body else { throw RawClient.Failure(reason: "no bytes") }
        let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        #expect(json?["detail"] as? String == text)
    }
}
