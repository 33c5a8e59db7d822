import Testing
import WebClient
import WebServer

@Suite(.timeLimit(.minutes(2))) struct RedirectionTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func comesBackAsItIsUnlessAsked(status: Int) async throws {
        let client = try WebClient()
        try await withServer { request in
            request.path == "/new" ? .text("here") : .redirect(to: "/new", status: status)
        } _: { base in
            var request = WebRequest("GET", base + "/old")
            let plain = try await client.send(request)
            #expect(plain.status == status)
            request.maximumRedirects = 1
            let followed = try await client.send(request)
            #expect(followed.text == "here")
            // A POST may have done something already.
            request.method = "POST"
            let posted = try await client.send(request)
            #expect(posted.status == status)
        }
    }

    @Test func endsAtTheMaximum() async throws {
        let client = try WebClient()
        try await withServer { request in
            .redirect(to: "?n=\((Int(request.query("n") ?? "") ?? 0) + 1)")
        } _: { base in
            var request = WebRequest("GET", base + "/round")
            request.maximumRedirects = 5
            let answer = try await client.send(request)
            #expect(answer.status == 303)
            #expect(answer.headers["Location"] == "?n=6")
        }
    }

    @Test func takesSecretsToTheSameOriginOnly() async throws {
        let client = try WebClient()
        try await withServer(handler: echo) { other in
            try await withServer { request in
                switch request.path {
                case "/away": .redirect(to: other + "/there")
                case "/near": .redirect(to: "/there")
                default: await echo(request)
                }
            } _: { base in
                var request = WebRequest(
                    "GET", base + "/near",
                    headers: ["Authorization": "Bearer SECRET", "X-Key": "SECRET", "Accept": "text/plain"])
                request.maximumRedirects = 3
                let near = try await client.send(request).text
                #expect(near.contains("authorization: Bearer SECRET"))
                #expect(near.contains("x-key: SECRET"))
                request.url = base + "/away"
                let away = try await client.send(request).text
                #expect(away.contains("GET /there"))
                #expect(away.contains("accept: text/plain"))
                #expect(!away.contains("SECRET"))
            }
        }
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://h/", "http://me:pw@h/", "http://"])
    func goesNowhereElse(location: String) async throws {
        let client = try WebClient()
        let server = try RawServer(
            answering: "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        var request = WebRequest.patient(server.url)
        request.maximumRedirects = 3
        await #expect(throws: WebClientError.redirectRefused("it leads to no address")) {
            try await client.send(request)
        }
    }
}
