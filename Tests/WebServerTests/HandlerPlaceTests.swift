import Testing
import ThreadKit

@testable import WebServer

/// Where a request's handler runs.
@Suite(.timeLimit(.minutes(2)))
struct HandlerPlaceTests {
    @Test(arguments: [("/stored", true), ("/other", false)])
    func aHandlerRunsWhereItIsTold(path: String, isPreferred: Bool) async throws {
        let thread = ThreadExecutor(name: "store")
        defer { thread.stop() }
        let preference = ThreadPreference(thread)
        let server = WebServer(configuration: WebServerConfiguration()) { request in
            request.path == "/stored" ? preference : nil
        } handler: { request in
            .text("\(request.path) \(thread.isIsolatingCurrentContext() == true)")
        }
        try await server.start()
        let port = try #require(await server.boundPort)
        let answer = try await RawClient(port: port).get(path)
        #expect(answer.text == "\(path) \(isPreferred)")
        await server.stop(within: .seconds(1))
    }
}
