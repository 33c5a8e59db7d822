import Foundation
import ThreadKit
import WebServer

/// A real provider on loopback: answers as it is told at the moment, and remembers what it was asked.
final class ProviderServer: Sendable {
    /// One question.
    struct Question: Sendable {
        var target: String
        var headers: [String: String]
    }

    private struct State: Sendable {
        var questions: [Question] = []
        var answer: @Sendable (Question) async -> HTTPResponse
    }

    private let state: Locked<State>
    private let server: WebServer
    let port: Int

    init(_ answer: @escaping @Sendable (Question) async -> HTTPResponse) async throws {
        let state = Locked(State(answer: answer))
        self.state = state
        let server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
            let fields = request.headers.fields.map { ($0.name, $0.value) }
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let question = Question(
                target: request.path + (query.isEmpty ? "" : "?" + query),
                headers: Dictionary(fields) { first, _ in first })
            let answer = state.withLock { state in
                state.questions.append(question)
                return state.answer
            }
            return await answer(question)
        }
        try await server.start()
        guard let port = await server.boundPort else { throw POSIXError(.EADDRNOTAVAIL) }
        self.port = port
        self.server = server
    }

    var address: String { "http://127.0.0.1:\(port)" }
    var questions: [Question] { state.withLock { $0.questions } }

    func answer(_ answer: @escaping @Sendable (Question) async -> HTTPResponse) {
        state.withLock { $0.answer = answer }
    }

    func stop() async { await server.stop(within: .zero) }
}
