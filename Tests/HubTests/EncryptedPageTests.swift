import Foundation
import TestSupport
import Testing
import WebClient

extension HubTests {
    /// The hub's page and API over TLS, beside the plain ones of the machine itself.
    @Suite(
        .enabled(if: CertificateAuthority.isInstalled, "openssl is not installed"), .timeLimit(.minutes(3)))
    struct EncryptedPageTests {
        @Test func theNetworkIsServedEncryptedAndNeedsATokenForEverything() async throws {
            let home = try Household(
                http: ", tls: {listen: '127.0.0.1:0', certificate_file: hub.pem, key_file: hub.key}")
            try await CertificateAuthority.makeSelfSigned(in: home.folder, name: "hub")
            let hub = try await home.run()
            let port = try #require(try await hub.said("listening at https://").split(separator: ":").last)
            let base = "https://localhost:\(port)"
            let client = try WebClient(WebClientConfiguration(authorityFile: home.folder.file("hub.pem").path))
            func ask(
                _ method: String = "GET", _ path: String, _ headers: WebHeaders = [:], _ body: String? = nil
            ) async throws -> WebResponse {
                try await client.send(
                    WebRequest(method, base + path, headers: headers, body: body.map { Array($0.utf8) }))
            }
            let plain = try await hub.client()
            #expect(try await plain.get("/api/v1/devices").status == 200)
            #expect(try await ask("GET", "/").text.contains("<title>Offpeak</title>"))
            #expect(try await ask("GET", "/api/v1/devices").status == 401)
            let token = try await home.token()
            let bearer: WebHeaders = ["Authorization": "Bearer \(token)"]
            #expect(try await ask("GET", "/api/v1/devices", bearer).status == 200)
            // The page's own sign-in, as a browser does it.
            func signIn(from origin: String) async throws -> WebResponse {
                var headers: WebHeaders = ["Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"]
                headers["Origin"] = origin
                return try await ask("POST", "/api/v1/session", headers, #"{"token":"\#(token)"}"#)
            }
            #expect(try await signIn(from: "http://localhost:\(port)").status == 403)
            let signedIn = try await signIn(from: base)
            let cookie = try #require(signedIn.headers["Set-Cookie"])
            #expect(signedIn.status == 200 && cookie.contains("Secure") && cookie.contains("HttpOnly"))
            let session = String(cookie.prefix { $0 != ";" })
            #expect(try await ask("GET", "/api/v1/devices", ["Cookie": session]).status == 200)
        }
    }
}
