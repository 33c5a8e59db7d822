/// Answers requests, and says where it wants to run while it does.
struct RequestHandler: Sendable {
    /// Gives the answer.
    var answer: @Sendable (HTTPRequest) async -> HTTPResponse
    /// The thread or pool for a request's task; nil for the concurrent pool.
    var executor: @Sendable (HTTPRequest) -> (any TaskExecutor)?

    /// Starts a task that answers a request.
    func begin(_ request: HTTPRequest, _ done: @escaping @Sendable (HTTPResponse) -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor(request)) { [answer] in done(await answer(request)) }
    }
}
