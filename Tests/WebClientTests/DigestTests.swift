import Foundation
import TestSupport
import Testing
import ThreadKit
import WebClient
import WebServer

/// A login by digest: the password never goes over the wire, and a wrong one is an answer of 401.
@Suite(.timeLimit(.minutes(2))) struct DigestTests {
    /// Asks for a digest by MD5, and takes the right answer.
    private static func server(_ seen: Locked<[String]>) -> @Sendable (HTTPRequest) async -> HTTPResponse {
        { request in
            let field = request.headers["Authorization"] ?? ""
            seen.withLock { $0.append("\(request.method) \(field) \(String(decoding: request.body, as: UTF8.self))") }
            let challenge = "Digest realm=\"box\", nonce=\"abc\", qop=\"auth\", algorithm=MD5"
            guard field.hasPrefix("Digest "), await isRight(field, request.method) else {
                return HTTPResponse(status: 401, headers: [("WWW-Authenticate", challenge)], body: .bytes([33]))
            }
            return .text("in")
        }
    }

    /// By RFC 7616, with `md5sum` of the system.
    @Sendable private static func isRight(_ field: String, _ method: String) async -> Bool {
        func part(_ name: String) -> String {
            guard let range = field.range(of: " \(name)=") else { return "" }
            return String(field[range.upperBound...].prefix { $0 != "," }.filter { $0 != "\"" })
        }
        func md5(_ text: String) async -> String {
            let outcome = try? await ChildProcess.run("sh", ["-c", "printf %s '\(text)' | md5sum"])
            return String(outcome?.standardOutput.prefix(32) ?? "")
        }
        let first = await md5("hub:box:s3cret")
        let second = await md5("\(method):\(part("uri"))")
        let whole = "\(first):abc:\(part("nc")):\(part("cnonce")):auth:\(second)"
        return await md5(whole) == part("response")
    }

    @Test(arguments: [("GET", nil), ("POST", "{\"a\":1}")] as [(String, String?)])
    func answersTheChallenge(method: String, body: String?) async throws {
        let seen = Locked<[String]>([])
        try await withServer(handler: Self.server(seen)) { base in
            var request = WebRequest.patient(base + "/rpc?id=0")
            request.method = method
            request.body = body.map { Array($0.utf8) }
            request.digest = WebDigest(user: "hub", password: "s3cret")
            let client = try WebClient()
            let answer = try await client.send(request)
            #expect(answer.status == 200 && answer.text == "in")
        }
        let all = seen.withLock { $0 }
        #expect(all.count == 2)
        #expect(all.last?.hasSuffix(body ?? " ") == true)
        #expect(all.allSatisfy { !$0.contains("s3cret") })
    }

    @Test func aWrongPasswordIsAnAnswer() async throws {
        let seen = Locked<[String]>([])
        try await withServer(handler: Self.server(seen)) { base in
            var request = WebRequest.patient(base + "/rpc")
            request.digest = WebDigest(user: "hub", password: "wrong")
            let client = try WebClient()
            #expect(try await client.send(request).status == 401)
            #expect(!"\(request)".contains("wrong") && !"\(String(describing: request.digest))".contains("wrong"))
        }
    }
}
