import WebServer

extension HubAPI {
    /// Everything that happens, as server-sent events: reading, health, guidance, plan, event, the hub's own health
    /// and the clock.
    func stream() async -> HTTPResponse { .eventStream(await live.stream()) }
}
