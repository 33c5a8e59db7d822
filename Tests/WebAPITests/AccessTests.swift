import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// Who may read and who may change.
    @Suite struct AccessTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        static let wrong = "Bearer 0000000000000000000000000000000000000000000"

        private func setMode(_ client: HTTPClient, _ headers: [(String, String)] = []) async throws -> HTTPClient.Answer
        {
            try await client.send(
                "PUT", "/api/v1/devices/heating/mode", headers: headers, body: "{\"mode\":\"guided\"}")
        }

        @Test func readingIsOpenOnThisMachineAndChangingIsNot() async throws {
            for client in [demo.anyone, demo.viewer, demo.operator] {
                #expect(try await client.get("/api/v1/devices").status == 200)
            }
            let refused = try await setMode(demo.anyone)
            expectProblem(refused, 401, "permissionDenied", saying: "offpeak token create")
            #expect(refused.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
            expectProblem(try await setMode(demo.viewer), 403, "permissionDenied", saying: "only read")
            #expect(try await setMode(demo.operator).status == 200)
        }

        @Test func aWrongTokenIsRefusedAlsoForReading() async throws {
            let header = [("Authorization", Self.wrong)]
            expectProblem(try await demo.anyone.get("/api/v1/devices", headers: header), 401, "permissionDenied")
            expectProblem(try await setMode(demo.anyone, header), 401, "permissionDenied")
        }

        @Test(arguments: ["POST", "PUT", "DELETE"]) func everyChangeNeedsACredential(method: String) async throws {
            for path in ["/devices/car/mode", "/devices/car/goal", "/venues/\(demo.venue)/events", "/nosuch"] {
                let answer = try await demo.anyone.send(method, "/api/v1" + path, body: "{}")
                expectProblem(answer, 401, "permissionDenied")
            }
        }

        @Test func aChangeMustComeFromTheHubsOwnPage() async throws {
            let own = "http://127.0.0.1:\(demo.anyone.port)"
            #expect(try await setMode(demo.operator, [("Origin", own)]).status == 200)
            for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1"] {
                expectProblem(
                    try await setMode(demo.operator, [("Origin", origin)]), 403, "permissionDenied", saying: origin)
            }
        }

        @Test(arguments: ["evil.example", "evil.example:8484", "192.0.2.1", "127.0.0.1.evil.example", "[::2]"])
        func aForeignHostIsRefused(host: String) async throws {
            for path in ["/", "/api/v1/devices", "/metrics", "/healthz"] {
                let answer = try await demo.operator.get(path, headers: [("Host", host)])
                expectProblem(answer, 403, "permissionDenied")
            }
        }

        @Test(arguments: ["localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:8484"])
        func thisMachinesNamesAreServed(host: String) async throws {
            #expect(try await demo.anyone.get("/api/v1/devices", headers: [("Host", host)]).status == 200)
        }

        @Test func theSessionCookieIsTheTokensEqualUntilSignedOut() async throws {
            let token = try #require(demo.operator.token)
            let signedIn = try await demo.anyone.send("POST", "/api/v1/session", body: "{\"token\":\"\(token)\"}")
            #expect(signedIn.status == 200 && signedIn.json["role"].string == "operator")
            let set = try #require(signedIn.headers["set-cookie"])
            for word in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(set.contains(word), "\(set)") }
            #expect(!set.contains(token) && !signedIn.text.contains(token))
            let origin = ("Origin", "http://127.0.0.1:\(demo.anyone.port)")
            let bare = [("Cookie", "theme=dark; " + set.prefix { $0 != ";" })]
            let cookie = bare + [origin]
            #expect(try await demo.anyone.get("/api/v1/session", headers: cookie).json["role"].string == "operator")
            #expect(try await setMode(demo.anyone, cookie).status == 200)
            expectProblem(
                try await setMode(demo.anyone, bare + [("Origin", "http://evil.example")]), 403, "permissionDenied")
            // A session is a browser's, and a browser names where a change comes from.
            expectProblem(try await setMode(demo.anyone, bare), 403, "permissionDenied", saying: "names no Origin")
            for site in ["cross-site", "same-site"] {
                expectProblem(
                    try await setMode(demo.anyone, cookie + [("Sec-Fetch-Site", site)]), 403, "permissionDenied",
                    saying: "another site")
            }
            #expect(try await setMode(demo.anyone, bare + [("Sec-Fetch-Site", "same-origin")]).status == 200)
            let out = try await demo.anyone.send("DELETE", "/api/v1/session", headers: cookie)
            #expect(out.status == 204 && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
            expectProblem(try await demo.anyone.get("/api/v1/session", headers: cookie), 401, "permissionDenied")
            expectProblem(try await setMode(demo.anyone, cookie), 401, "permissionDenied")
        }

        @Test func signingInNeedsATokenThatHolds() async throws {
            let wrong = try await demo.anyone.send("POST", "/api/v1/session", body: "{\"token\":\"nonsense\"}")
            expectProblem(wrong, 401, "permissionDenied")
            #expect(wrong.headers["set-cookie"] == nil)
            expectProblem(try await demo.anyone.send("POST", "/api/v1/session", body: "{}"), 400, "badRequest")
            expectProblem(try await demo.anyone.get("/api/v1/session"), 401, "permissionDenied")
            let foreign = try await demo.anyone.send(
                "POST", "/api/v1/session", headers: [("Origin", "http://evil.example")],
                body: "{\"token\":\"\(demo.operator.token ?? "")\"}")
            expectProblem(foreign, 403, "permissionDenied")
        }
    }
}
