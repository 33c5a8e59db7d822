import Control
import EnergyKit
import Foundation
import Guidance
import HubKit
import LoadEvents
import Storage
import ThreadKit
import WebServer

extension HubAPI {
    /// Everything that happens, as server-sent events: reading, health, guidance, plan, event, the hub's health, the clock.
    func stream() -> HTTPResponse {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServerSentEvent.self, bufferingPolicy: .bufferingNewest(1024))
        let task = Task { await feed(continuation) }
        continuation.onTermination = { _ in task.cancel() }
        return .eventStream(stream)
    }

    private struct HealthJSON: Encodable {
        var deviceID: String
        var health: DeviceJSON.Health
    }

    private func feed(_ continuation: AsyncStream<ServerSentEvent>.Continuation) async {
        let dirty = Locked<Set<DeviceID>>([])
        send("clock", ClockJSON(now: services.clock.now, speed: services.clock.speed), continuation)
        for state in services.board.all { send("reading", deviceJSON(state), continuation) }
        for venue in services.venues.all { sendPlan(venue, continuation) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feedBoard(dirty, continuation) }
            group.addTask { await feedReadings(dirty, continuation) }
            group.addTask { await feedPlans(continuation) }
            group.addTask {
                for await event in await services.submitter.acceptedEvents() {
                    send("event", event.event, continuation)
                }
            }
            for venue in services.venues.all {
                for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                    group.addTask { await feedGuidance(action, venue, continuation) }
                }
            }
        }
        continuation.finish()
    }

    private func feedBoard(_ dirty: Locked<Set<DeviceID>>, _ continuation: AsyncStream<ServerSentEvent>.Continuation)
        async
    {
        for await change in services.board.changes() {
            switch change {
            case .reading(let id), .use(let id), .guidance(let id):
                dirty.withLock { _ = $0.insert(id) }
            case .health(let id):
                guard let state = services.board[id] else { continue }
                send("health", HealthJSON(deviceID: id.rawValue, health: .init(state.health)), continuation)
                dirty.withLock { _ = $0.insert(id) }
            }
        }
    }

    /// Sends what changed four times a second at most, so that a fast demo does not flood the page.
    private func feedReadings(_ dirty: Locked<Set<DeviceID>>, _ continuation: AsyncStream<ServerSentEvent>.Continuation)
        async
    {
        var lastClock = ContinuousClock.now
        var shownHealth: HubHealthJSON?
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            let changed = dirty.withLock { set in
                defer { set.removeAll() }
                return set
            }
            for id in changed.sorted() {
                if let state = services.board[id] { send("reading", deviceJSON(state), continuation) }
            }
            let health = hubHealth
            if health != shownHealth {
                shownHealth = health
                send("hub", health, continuation)
            }
            if ContinuousClock.now - lastClock >= .seconds(services.clock.speed > 1 ? 1 : 15) {
                lastClock = .now
                send("clock", ClockJSON(now: services.clock.now, speed: services.clock.speed), continuation)
            }
        }
    }

    private func feedPlans(_ continuation: AsyncStream<ServerSentEvent>.Continuation) async {
        for await id in services.plans.changes() {
            guard let venue = services.board[id].flatMap({ services.venues[$0.configuration.venueID] }) else {
                continue
            }
            sendPlan(venue, continuation)
        }
    }

    private func sendPlan(_ venue: Venue, _ continuation: AsyncStream<ServerSentEvent>.Continuation) {
        send("plan", VenuePlanJSON(venue, services.plans.all), continuation)
    }

    private func feedGuidance(
        _ action: ElectricityGuidance.SuggestedAction, _ venue: Venue,
        _ continuation: AsyncStream<ServerSentEvent>.Continuation
    ) async {
        do {
            for try await guidance in services.guidance.updates(action, at: venue.id, for: "stream") {
                send("guidance", guidance, continuation)
            }
        } catch {
            // A venue without a source has no guidance; the page says so by itself.
        }
    }

    private func send(
        _ name: String, _ value: some Encodable, _ continuation: AsyncStream<ServerSentEvent>.Continuation
    ) {
        guard let data = try? APIJSON.encoder().encode(value) else { return }
        continuation.yield(ServerSentEvent(event: name, data: String(decoding: data, as: UTF8.self)))
    }
}
