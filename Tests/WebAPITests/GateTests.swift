import HubKit
import Storage
import TestSupport
import Testing
import WebServer

@testable import WebAPI

/// Who counts as one client.
@Suite struct GateTests {
    private func request(_ headers: [(String, String)]) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: "/", headers: HTTPHeaders(headers.map { (name: $0.0, value: $0.1) }),
            remoteAddress: "127.0.0.1")
    }

    @Test func aClientIsATokenOrASession() async throws {
        let folder = try TemporaryFolder()
        let store = try await HubStore(folder: folder.url, clock: SystemClock(), log: .silent)
        let gate = Gate(store: store, rules: AccessRules(isLoopback: true))
        let token = [("Authorization", "Bearer opk_secret")]
        let cookie = [("Cookie", "\(Gate.cookie)=abc")]
        #expect(gate.identity(request(token)) == gate.identity(request(token)))
        #expect(gate.identity(request(cookie)) == gate.identity(request(cookie)))
        #expect(gate.identity(request(token)) != gate.identity(request(cookie)))
        #expect(!gate.identity(request(token)).contains("secret"))
        // Who has neither is a client of its own each time, whatever else two requests have in common.
        #expect(gate.identity(request([])) != gate.identity(request([])))
        await store.close()
    }

    @Test func programsOfOneTokenAreToldApartByTheirNames() async throws {
        let folder = try TemporaryFolder()
        let store = try await HubStore(folder: folder.url, clock: SystemClock(), log: .silent)
        let gate = Gate(store: store, rules: AccessRules(isLoopback: true))
        let token = ("Authorization", "Bearer opk_secret")
        func client(_ name: String?) -> String {
            gate.client(of: request([token] + (name.map { [("Offpeak-Client", $0)] } ?? [])))
        }
        #expect(client("one") == client("one") && client("one") != client("other") && client("one") != client(nil))
        #expect(client("one").hasPrefix(client(nil) + "/"))
        #expect(gate.identity(request([token, ("Offpeak-Client", "one")])) == client("one"))
        // What can't stand in a key is no name.
        for name in ["", "a/b", "a b", "ü", "\u{0}", String(repeating: "x", count: 65)] {
            #expect(client(name) == client(nil), "\(name.debugDescription)")
        }
        await store.close()
    }
}
