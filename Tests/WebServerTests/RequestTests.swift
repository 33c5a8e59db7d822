import Testing
import WebServer

@Suite(.timeLimit(.minutes(3))) struct RequestTests {
    @Test func answersAndKeepsTheConnection() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            for number in 1...3 {
                let response = try await client.get("/item/\(number)?n=\(number)")
                #expect(response.status == 200)
                #expect(response.headers["connection"] == "keep-alive")
                #expect(response.text.contains("GET /item/\(number)\n"))
                #expect(response.text.contains("query n=\(number)"))
                #expect(response.text.contains("from 127.0.0.1 unix false"))
            }
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func passesEveryMethod(method: String) async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            let response = try await client.exchange(
                "\(method) /x HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello")
            #expect(response.text.hasPrefix("\(method) /x\n"))
            #expect(response.text.contains("body 5 hello"))
        }
    }

    @Test func answersHeadWithoutBody() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            let whole = try await client.get("/x")
            try await client.send("HEAD /x HTTP/1.1\r\nHost: test\r\n\r\n")
            let head = try await client.readResponse(toHead: true)
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == String(whole.body.count + 1))
            #expect(try await client.get("/after").text.contains("GET /after"))
        }
    }

    @Test func answersPipelinedRequestsInOrder() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            let requests = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: test\r\n\r\n" }
            try await client.send(requests.joined())
            for number in 0..<50 {
                #expect(try await client.readResponse().text.hasPrefix("GET /\(number)\n"))
            }
        }
    }

    @Test func takesRequestsInSingleBytes() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            try await client.sendByteByByte("PUT /a HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nxyz")
            #expect(try await client.readResponse().text.contains("body 3 xyz"))
            try await client.sendByteByByte(
                "PUT /b HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nxy\r\n1\r\nz\r\n0\r\nT: v\r\n\r\n"
            )
            #expect(try await client.readResponse().text.contains("body 3 xyz"))
        }
    }

    @Test func passesHeadersOfAnyName() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            let headers =
                "X-Own: 1\r\nAUTHORIZATION: Bearer t\r\nCookie: a=b; c=d\r\nOrigin: http://o\r\nIf-None-Match: \"e\"\r\n"
            let text = try await client.get("/", headers: headers).text
            for line in [
                "x-own: 1", "authorization: Bearer t", "cookie: a=b; c=d", "origin: http://o", "if-none-match: \"e\"",
            ] {
                #expect(text.contains("header \(line)"))
            }
        }
    }

    @Test(arguments: [
        ("/a%20b", "/a b"), ("/../../etc/passwd", "/../../etc/passwd"), ("/%2e%2e/%2e%2e/x", "/../../x"),
        ("/..%2f..%2fetc", "/../../etc"), ("//double//slash", "//double//slash"), ("/%C3%A9", "/é"),
        ("/a%5Cb", "/a\\b"), ("/100%25", "/100%"), ("http://host/abs", "/abs"), ("http://host", "/"),
    ])
    func decodesPathsAndNothingElse(target: String, path: String) async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            let response = try await client.get(target)
            #expect(response.text.hasPrefix("GET \(path)\n"))
        }
    }

    @Test func keepsEncodedSlashesInsideSegments() async throws {
        try await withServer { _, port in
            let text = try await RawClient(port: port).get("/a%2Fb/c?x=1%262&y=a+b&flag").text
            #expect(text.contains("segments [\"a/b\", \"c\"]"))
            #expect(text.contains("query x=1&2\nquery y=a b\nquery flag="))
        }
    }

    @Test(arguments: [
        ("GET /%zz HTTP/1.1\r\nHost: t\r\n\r\n", 400), ("GET /% HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("GET /%00 HTTP/1.1\r\nHost: t\r\n\r\n", 400), ("GET /%ff HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("GET /?a=%2 HTTP/1.1\r\nHost: t\r\n\r\n", 400), ("GET /\u{7f} HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{1}b\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /\r\nHost: a\r\n\r\n", 400), ("nonsense\r\n\r\n", 400), ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\n", 505),
        ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n", 417),
    ])
    func refusesWhatIsMalformedAndCloses(request: String, status: Int) async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            let response = try await client.exchange(request)
            #expect(response.status == status)
            #expect(response.headers["connection"] == "close")
            #expect(await client.readToEnd().isEmpty)
            #expect(try await RawClient(port: port).get("/").status == 200)
        }
    }

    @Test func saysGoAheadBeforeABody() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.readHead().status == 100)
            try await client.send("data")
            #expect(try await client.readResponse().text.contains("body 4 data"))
        }
    }

    @Test func closesAfterAnswerWhenAskedTo() async throws {
        try await withServer { _, port in
            for request in ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
                let client = try RawClient(port: port)
                let response = try await client.exchange(request)
                #expect(response.headers["connection"] == "close")
                #expect(await client.readToEnd().isEmpty)
            }
        }
    }

    @Test func answersAHalfClosedClient() async throws {
        try await withServer { _, port in
            let client = try RawClient(port: port)
            try await client.send("GET /half HTTP/1.1\r\nHost: a\r\n\r\n")
            await client.finishSending()
            #expect(try await client.readResponse().text.hasPrefix("GET /half"))
            #expect(await client.readToEnd().isEmpty)
        }
    }
}
