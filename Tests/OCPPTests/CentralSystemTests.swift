import Foundation
import HubKit
import OCPP
import TestSupport
import Testing
import ThreadKit
import WebServer

/// Who is let in, and who takes whose place, through a real server.
@Suite struct CentralSystemTests {
    /// Answers everything with nothing and keeps what it was told.
    private final class Listener: ChargePointListener {
        let sessions = Locked<[ChargePointSession]>([])
        let messages = Locked<[ReceivedMessage]>([])
        let ended = Locked<[ChargePointSession]>([])

        func opened(_ session: ChargePointSession) async { sessions.withLock { $0.append(session) } }
        func closed(_ session: ChargePointSession) async { ended.withLock { $0.append(session) } }
        func received(_ message: ReceivedMessage, from session: ChargePointSession) async {
            messages.withLock { $0.append(message) }
        }
        func answer(
            _ request: ChargePointRequest, from session: ChargePointSession
        ) async throws(CallError) -> Payload { .empty }
    }

    private struct Place {
        let server: WebServer
        let listener = Listener()
        let log = CollectingLog()
        let port: Int

        init(password: String? = nil, timeout: Duration = .seconds(30)) async throws {
            let central = CentralSystem(log: log.log, timeout: timeout)
            central.register(OCPPConnection(chargePoint: "Garage-1", password: password), listener: listener)
            server = WebServer(configuration: WebServerConfiguration(), webSockets: [central.route]) { _ in .notFound }
            try await server.start()
            port = try #require(await server.boundPort)
        }

        func connect(
            _ path: String = "/ocpp/Garage-1", subprotocol: String? = "ocpp1.6", headers: [(String, String)] = []
        ) async throws -> WebSocketClient {
            try await WebSocketClient.connect(port: port, path: path, subprotocol: subprotocol, headers: headers)
        }

        /// The first text that the server sends after `text`.
        func answer(to text: String, of client: WebSocketClient) async -> String? {
            client.send(text)
            for await message in client.messages { return message }
            return nil
        }
    }

    @Test(arguments: ["/ocpp/Garage-1", "/ocpp/Garage-1/", "/ocpp/garage-1", "/ocpp/Garage%2D1"])
    func knowsAChargerByItsNameHoweverItIsWritten(_ path: String) async throws {
        let place = try await Place()
        let client = try await place.connect(path)
        #expect(client.subprotocol == "ocpp1.6")
        #expect(await place.answer(to: #"[2,"1","Heartbeat",{}]"#, of: client) == #"[3,"1",{}]"#)
        await place.server.stop(within: .seconds(1))
    }

    @Test func oneThatNamesNoSubprotocolIsLetIn() async throws {
        let place = try await Place()
        let client = try await place.connect(subprotocol: nil)
        #expect(await place.answer(to: #"[2,"1","Heartbeat",{}]"#, of: client) == #"[3,"1",{}]"#)
        await place.server.stop(within: .seconds(1))
    }

    @Test(arguments: [
        ("/ocpp/other", "ocpp1.6", [], 404), ("/ocpp/", "ocpp1.6", [], 404), ("/ocpp/Garage-1/x", "ocpp1.6", [], 404),
        ("/ocpp/Garage-1", "ocpp2.0.1", [], 400),
        ("/ocpp/Garage-1", "ocpp1.6", [("Origin", "http://evil.example")], 403),
    ])
    func refusesStrangers(
        _ path: String, _ subprotocol: String, _ headers: [(String, String)], _ status: Int
    ) async throws {
        let place = try await Place()
        for _ in 0..<3 {
            await #expect(throws: WebSocketClient.Refused(status: status)) {
                try await place.connect(path, subprotocol: subprotocol, headers: headers)
            }
        }
        #expect(place.log.texts(from: .warning).count == 1, "said once: \(place.log.texts())")
        await place.server.stop(within: .seconds(1))
    }

    @Test(arguments: [
        nil, "Basic " + Data("Garage-1:wrong".utf8).base64EncodedString(),
        "Basic " + Data("other:s3cret:with colon".utf8).base64EncodedString(), "Basic !!!", "Bearer s3cret",
    ])
    func withAPasswordOthersAreRefused(_ authorization: String?) async throws {
        let place = try await Place(password: "s3cret:with colon")
        let headers = authorization.map { [("Authorization", $0)] } ?? []
        await #expect(throws: WebSocketClient.Refused(status: 401)) { try await place.connect(headers: headers) }
        #expect(place.log.texts(from: .warning).count == 1)
        #expect(!place.log.texts().contains { $0.contains("s3cret") || $0.contains("wrong") })
        await place.server.stop(within: .seconds(1))
    }

    @Test func withTheRightPasswordItIsLetIn() async throws {
        let place = try await Place(password: "s3cret:with colon")
        let right = "Basic " + Data("garage-1:s3cret:with colon".utf8).base64EncodedString()
        let client = try await place.connect(headers: [("Authorization", right)])
        #expect(await place.answer(to: #"[2,"1","Heartbeat",{}]"#, of: client) == #"[3,"1",{}]"#)
        await place.server.stop(within: .seconds(1))
    }

    @Test func aNewConnectionTakesThePlaceOfTheOld_D10() async throws {
        let place = try await Place()
        let old = try await place.connect()
        #expect(await place.answer(to: #"[2,"1","Heartbeat",{}]"#, of: old) == #"[3,"1",{}]"#)
        let new = try await place.connect()
        // The old one is closed although its charger never said a word.
        for await _ in old.messages {}
        #expect(await place.answer(to: #"[2,"2","Heartbeat",{}]"#, of: new) == #"[3,"2",{}]"#)
        let sessions = place.listener.sessions.current
        #expect(sessions.count == 2)
        #expect(await eventually { place.listener.ended.current.count == 1 })
        #expect(place.listener.ended.current.first === sessions.first)
        await place.server.stop(within: .seconds(1))
    }

    @Test(arguments: [
        ("no JSON at all", #"[4,"-1","FormationViolation""#), (#"[2,"9","Dance",{}]"#, #"[4,"9","NotImplemented""#),
        (#"[2,"9","StartTransaction",{"connectorId":1}]"#, #"[4,"9","OccurenceConstraintViolation""#),
        (#"[2,"9","StartTransaction",{"connectorId":[]}]"#, #"[4,"9","TypeConstraintViolation""#),
        (String(repeating: "[", count: 90_000), #"[4,"-1","FormationViolation""#),
    ])
    func whatCannotBeReadIsAnsweredAndTheConnectionStays(_ text: String, _ answer: String) async throws {
        let place = try await Place()
        let client = try await place.connect()
        #expect(await place.answer(to: text, of: client)?.hasPrefix(answer) == true)
        #expect(await place.answer(to: #"[2,"10","Heartbeat",{}]"#, of: client) == #"[3,"10",{}]"#)
        await place.server.stop(within: .seconds(1))
    }

    @Test func binaryFramesAndForeignAnswersDoNoHarm() async throws {
        let place = try await Place()
        let client = try await place.connect()
        client.send(bytes: [0, 1, 2, 255])
        client.send(#"[3,"77",{}]"#)
        client.send(#"[4,"77","InternalError","",{}]"#)
        client.send(#"[3]"#)
        client.send(#"[2,"1","Heartbeat",{}]"#)
        var answers: [String] = []
        for await message in client.messages {
            answers.append(message)
            if answers.count == 2 { break }
        }
        #expect(answers.first?.hasPrefix(#"[4,"-1","FormationViolation""#) == true)
        #expect(answers.last == #"[3,"1",{}]"#)
        await place.server.stop(within: .seconds(1))
    }

    @Test func aMessageBeyondTheLimitEndsThatConnectionOnly() async throws {
        let place = try await Place()
        let client = try await place.connect()
        client.send(String(repeating: "x", count: 2 << 20))
        for await _ in client.messages {}
        #expect(client.closeCode == 1009)
        let next = try await place.connect()
        #expect(await place.answer(to: #"[2,"1","Heartbeat",{}]"#, of: next) == #"[3,"1",{}]"#)
        await place.server.stop(within: .seconds(1))
    }

    @Test func callsGoOneAfterTheOtherAndAnswersFindTheirs() async throws {
        let place = try await Place()
        let client = try await place.connect()
        #expect(await eventually { place.listener.sessions.current.count == 1 })
        let session = try #require(place.listener.sessions.current.first)
        let calls = (0..<2).map { _ in Task { try await session.status(of: .trigger("Heartbeat")) } }
        var asked = 0
        for await message in client.messages {
            asked += 1
            let id = try #require(JSONValue(text: message)?[1].string)
            // A late answer, a doubled one and one to nothing: each finds nobody.
            client.send(#"[3,"0",{"status":"Old"}]"#)
            client.send(#"[3,"\#(id)",{"status":"Accepted"}]"#)
            client.send(#"[3,"\#(id)",{"status":"Twice"}]"#)
            if asked == 2 { break }
        }
        for call in calls { #expect(try await call.value == "Accepted") }
        await place.server.stop(within: .seconds(1))
    }

    @Test func aChargerThatNeverAnswersIsNotWaitedForForEver() async throws {
        let place = try await Place(timeout: .milliseconds(200))
        let client = try await place.connect()
        #expect(await eventually { place.listener.sessions.current.count == 1 })
        let session = try #require(place.listener.sessions.current.first)
        await #expect(throws: HubError.self) { try await session.call(.getConfiguration) }
        // Its connection lives on.
        let status = Task { try await session.status(of: .trigger("Heartbeat")) }
        for await message in client.messages where message.contains("TriggerMessage") {
            let id = try #require(JSONValue(text: message)?[1].string)
            client.send(#"[3,"\#(id)",{"status":"Accepted"}]"#)
            break
        }
        // On a machine that is held up even that may take too long; then it says so and nothing hangs.
        do { #expect(try await status.value == "Accepted") } catch is HubError {}
        await place.server.stop(within: .seconds(1))
    }

    @Test func aCallEndsWithItsConnection() async throws {
        let place = try await Place()
        let client = try await place.connect()
        #expect(await eventually { place.listener.sessions.current.count == 1 })
        let session = try #require(place.listener.sessions.current.first)
        let waiting = Task { try await session.call(.getConfiguration) }
        for await _ in client.messages { break }
        client.leave()
        await #expect(throws: HubError.self) { try await waiting.value }
        await place.server.stop(within: .seconds(1))
    }
}
