import Testing
import WebServer

@Suite(.timeLimit(.minutes(3))) struct WebSocketTests {
    private static let echoRoute = WebSocketRoute(pathPrefix: "/ocpp/", subprotocols: ["ocpp2.0.1", "ocpp1.6"]) {
        connection in
        for await message in connection.messages {
            try? await connection.send(message)
        }
    }

    @Test func echoesWithTheSubprotocol() async throws {
        try await withServer(webSockets: [Self.echoRoute]) { _, port in
            let client = try RawClient(port: port)
            let head = try await client.openWebSocket("/ocpp/CP%201", subprotocols: "foo, ocpp1.6, ocpp2.0.1")
            #expect(head.status == 101)
            #expect(head.headers["sec-websocket-protocol"] == "ocpp1.6")
            // The answer to the key that RFC 6455 uses as its example.
            #expect(head.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            for text in ["hello", "", "[2,\"1\",\"BootNotification\",{}]", String(repeating: "é", count: 40_000)] {
                try await client.sendFrame(opcode: 1, Array(text.utf8))
                #expect(try await client.readFrame() == RawClient.Frame(opcode: 1, payload: Array(text.utf8)))
            }
            try await client.sendFrame(opcode: 2, [0, 255, 1])
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 2, payload: [0, 255, 1]))
        }
    }

    @Test func joinsFragmentsAndAnswersPings() async throws {
        try await withServer(webSockets: [Self.echoRoute]) { _, port in
            let client = try RawClient(port: port)
            _ = try await client.openWebSocket("/ocpp/1", subprotocols: "ocpp1.6")
            try await client.sendFrame(opcode: 1, Array("one ".utf8), isFinal: false)
            try await client.sendFrame(opcode: 9, Array("p".utf8))
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 10, payload: Array("p".utf8)))
            try await client.sendFrame(opcode: 0, Array("two".utf8))
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 1, payload: Array("one two".utf8)))
        }
    }

    @Test func takesFramesSentRightBehindTheHandshake() async throws {
        try await withServer(webSockets: [Self.echoRoute]) { _, port in
            let client = try RawClient(port: port)
            let frame = RawClient.frame(opcode: 1, Array("early".utf8))
            try await client.send(
                Array(RawClient.webSocketRequest("/ocpp/1", subprotocols: "ocpp1.6").utf8) + frame)
            #expect(try await client.readHead().status == 101)
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 1, payload: Array("early".utf8)))
        }
    }

    @Test func pingsQuietPeersAndDropsTheDead() async throws {
        try await withServer({ $0.webSocketPingInterval = .seconds(1) }, webSockets: [Self.echoRoute]) { _, port in
            let client = try RawClient(port: port)
            _ = try await client.openWebSocket("/ocpp/1", subprotocols: "ocpp1.6")
            #expect(try await client.readFrame().opcode == 9)
            // The ping stays unanswered.
            _ = await client.readToEnd()
        }
    }

    @Test func answersACloseAndEndsTheHandler() async throws {
        let isOver = Signal()
        let route = WebSocketRoute(pathPrefix: "/") { connection in
            for await _ in connection.messages {}
            isOver.set()
        }
        try await withServer(webSockets: [route]) { _, port in
            let client = try RawClient(port: port)
            let head = try await client.openWebSocket("/x", subprotocols: nil)
            #expect(head.status == 101)
            #expect(head.headers["sec-websocket-protocol"] == nil)
            try await client.sendFrame(opcode: 8, [3, 232])
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 8, payload: [3, 232]))
            await isOver.wait()
            #expect(await client.readToEnd().isEmpty)
        }
    }

    @Test func endsTheHandlerWhenThePeerVanishes() async throws {
        let isOver = Signal()
        let route = WebSocketRoute(pathPrefix: "/") { connection in
            for await _ in connection.messages {}
            await #expect(throws: WebSocketClosed.self) { try await connection.send(.text("x")) }
            isOver.set()
        }
        try await withServer(webSockets: [route]) { _, port in
            let client = try RawClient(port: port)
            _ = try await client.openWebSocket("/x", subprotocols: nil)
            await client.reset()
            await isOver.wait()
        }
    }

    @Test(arguments: [WebSocketRoute.UnknownSubprotocol.refuse, .accept])
    func treatsUnknownSubprotocolsByPolicy(policy: WebSocketRoute.UnknownSubprotocol) async throws {
        let route = WebSocketRoute(pathPrefix: "/", subprotocols: ["ocpp1.6"], unknownSubprotocol: policy) {
            connection in
            try? await connection.send(.text(connection.subprotocol ?? "none"))
        }
        try await withServer(webSockets: [route]) { _, port in
            for offer in ["mqtt", nil] {
                let client = try RawClient(port: port)
                let head = try await client.openWebSocket("/x", subprotocols: offer)
                #expect(head.status == (policy == .refuse ? 400 : 101))
                guard policy == .accept else { continue }
                #expect(head.headers["sec-websocket-protocol"] == nil)
                #expect(try await client.readFrame() == RawClient.Frame(opcode: 1, payload: Array("none".utf8)))
                #expect(try await client.readFrame() == RawClient.Frame(opcode: 8, payload: [3, 232]))
            }
        }
    }

    @Test func refusesAtTheDoor() async throws {
        let route = WebSocketRoute(
            pathPrefix: "/ocpp/",
            admit: { $0.headers["authorization"] == "Basic YTpi" ? nil : .status(401) },
            handler: { connection in
                try? await connection.send(.text(connection.path + " " + (connection.headers["x-own"] ?? "")))
            })
        try await withServer(webSockets: [route]) { _, port in
            let stranger = try RawClient(port: port)
            #expect(try await stranger.openWebSocket("/ocpp/1", subprotocols: nil).status == 401)
            let friend = try RawClient(port: port)
            let head = try await friend.openWebSocket(
                "/ocpp/a%20b", subprotocols: nil, headers: "Authorization: Basic YTpi\r\nX-Own: v\r\n")
            #expect(head.status == 101)
            #expect(try await friend.readFrame() == RawClient.Frame(opcode: 1, payload: Array("/ocpp/a b v".utf8)))
        }
    }

    @Test(arguments: [
        ("Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", 426),
        ("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n", 400), ("Sec-WebSocket-Version: 13\r\n", 400),
    ])
    func refusesBadHandshakes(fields: String, status: Int) async throws {
        try await withServer(webSockets: [WebSocketRoute(pathPrefix: "/") { _ in }]) { _, port in
            let client = try RawClient(port: port)
            let headers = "Upgrade: websocket\r\nConnection: Upgrade\r\n" + fields
            #expect(try await client.get("/", headers: headers).status == status)
        }
    }

    @Test func leavesOtherPathsToTheHandler() async throws {
        try await withServer(webSockets: [Self.echoRoute]) { _, port in
            let client = try RawClient(port: port)
            #expect(try await client.openWebSocket("/elsewhere", subprotocols: nil).status == 200)
        }
    }

    @Test func closesOnMessagesTooLong() async throws {
        try await withServer({ $0.maximumMessageBytes = 1000 }, webSockets: [Self.echoRoute]) { _, port in
            let client = try RawClient(port: port)
            _ = try await client.openWebSocket("/ocpp/1", subprotocols: "ocpp1.6")
            try await client.sendFrame(opcode: 1, [UInt8](repeating: 65, count: 1001))
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 8, payload: [3, 241]))
        }
    }

    @Test func closesWhenTheHandlerFallsBehind() async throws {
        let mayEnd = Signal()
        let route = WebSocketRoute(pathPrefix: "/") { _ in await mayEnd.wait() }
        try await withServer({ $0.maximumWaitingMessages = 10 }, webSockets: [route]) { _, port in
            let client = try RawClient(port: port)
            _ = try await client.openWebSocket("/", subprotocols: nil)
            for _ in 0..<11 { try await client.sendFrame(opcode: 1, [65]) }
            #expect(try await client.readFrame() == RawClient.Frame(opcode: 8, payload: [3, 240]))
        }
    }

    @Test func survivesBrokenFrames() async throws {
        try await withServer(webSockets: [Self.echoRoute]) { _, port in
            var random = SeededGenerator(state: 7)
            for _ in 0..<100 {
                let client = try RawClient(port: port)
                _ = try await client.openWebSocket("/ocpp/1", subprotocols: "ocpp1.6")
                let count = Int.random(in: 1...200, using: &random)
                try? await client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
                await client.close()
            }
            let client = try RawClient(port: port)
            _ = try await client.openWebSocket("/ocpp/1", subprotocols: "ocpp1.6")
            try await client.sendFrame(opcode: 1, [0xFF, 0xFE])
            #expect(try await client.readFrame().opcode == 8)
        }
    }

    @Test func saysGoodbyeWhenTheServerStops() async throws {
        let hasOpened = Signal()
        let route = WebSocketRoute(pathPrefix: "/") { connection in
            hasOpened.set()
            for await _ in connection.messages {}
        }
        let server = WebServer(configuration: WebServerConfiguration(), webSockets: [route], handler: echo)
        try await server.start()
        let client = try RawClient(port: await server.boundPort ?? 0)
        _ = try await client.openWebSocket("/", subprotocols: nil)
        await hasOpened.wait()
        async let stop: Void = server.stop(within: .seconds(20))
        #expect(try await client.readFrame() == RawClient.Frame(opcode: 8, payload: [3, 233]))
        try await client.sendFrame(opcode: 8, [3, 233])
        #expect(await client.readToEnd().isEmpty)
        await client.close()
        await stop
    }
}
