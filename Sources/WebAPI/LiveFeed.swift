import Control
import EnergyKit
import Foundation
import Guidance
import HubKit
import LoadEvents
import Storage
import ThreadKit
import WebServer

/// Tells every reader of the stream what happens; each thing is put into words once, however many there are.
///
/// It works only while somebody reads. A reader that falls behind loses the oldest of what waits for it, 1024 events at
/// most, before the server cuts it off.
actor LiveFeed {
    private typealias Reader = AsyncStream<ServerSentEvent>.Continuation

    private let services: HubServices
    private var readers: [Int: Reader] = [:]
    private var lastReader = 0
    private var work: Task<Void, Never>?
    /// The guidance said last of each kind, for those who begin to read later.
    private var guidance: [String: ServerSentEvent] = [:]

    init(_ services: HubServices) { self.services = services }

    /// What is so now, and then everything that happens.
    func stream() -> AsyncStream<ServerSentEvent> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServerSentEvent.self, bufferingPolicy: .bufferingNewest(1024))
        lastReader += 1
        let key = lastReader
        reader.onTermination = { [weak self] _ in
            Task { await self?.forget(key) }
        }
        for event in present() { reader.yield(event) }
        readers[key] = reader
        if work == nil { work = Task { [services] in await self.follow(services) } }
        return stream
    }

    private func forget(_ key: Int) {
        readers[key] = nil
        guard readers.isEmpty else { return }
        work?.cancel()
        work = nil
        guidance = [:]
    }

    private func present() -> [ServerSentEvent] {
        var events = [clock(), event("hub", hubHealth())]
        events += services.board.all.compactMap { reading(of: $0) }
        events += services.venues.all.compactMap { plan(of: $0) }
        return events.compactMap { $0 } + guidance.sorted { $0.key < $1.key }.map(\.value)
    }

    private func send(_ event: ServerSentEvent?) {
        guard let event else { return }
        for reader in readers.values { reader.yield(event) }
    }
}

// MARK: - What is said

extension LiveFeed {
    private struct HealthJSON: Encodable {
        var deviceID: String
        var health: DeviceJSON.Health
    }

    private func clock() -> ServerSentEvent? {
        event("clock", ClockJSON(now: services.clock.now, speed: services.clock.speed))
    }

    private func hubHealth() -> HubHealthJSON {
        HubHealthJSON(services.store.health, clock: services.clock, notices: services.store.notices)
    }

    private func reading(of state: DeviceState) -> ServerSentEvent? {
        let id = state.configuration.id
        let currency = services.venues[state.configuration.venueID]?.currency
        return event("reading", DeviceJSON(state, plan: services.plans[id], currency: currency))
    }

    private func plan(of venue: Venue) -> ServerSentEvent? {
        event("plan", VenuePlanJSON(venue, services.plans.all))
    }

    private func event(_ name: String, _ value: some Encodable) -> ServerSentEvent? {
        guard let data = try? APIJSON.encoder().encode(value) else { return nil }
        return ServerSentEvent(event: name, data: String(decoding: data, as: UTF8.self))
    }
}

// MARK: - What is followed

extension LiveFeed {
    private func follow(_ services: HubServices) async {
        let dirty = Locked<Set<DeviceID>>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followBoard(dirty) }
            group.addTask { await self.followReadings(dirty) }
            group.addTask { await self.followPlans() }
            group.addTask { await self.followEvents() }
            group.addTask { await self.followPresence() }
            for venue in services.venues.all {
                for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                    group.addTask { await self.followGuidance(action, venue) }
                }
            }
        }
    }

    private func followBoard(_ dirty: Locked<Set<DeviceID>>) async {
        for await change in services.board.changes() {
            switch change {
            case .reading(let id), .use(let id), .guidance(let id):
                dirty.withLock { _ = $0.insert(id) }
            case .health(let id):
                guard let state = services.board[id] else { continue }
                send(event("health", HealthJSON(deviceID: id.rawValue, health: .init(state.health))))
                dirty.withLock { _ = $0.insert(id) }
            }
        }
    }

    /// Sends what changed four times a second at most, so that a fast demo does not flood the page.
    private func followReadings(_ dirty: Locked<Set<DeviceID>>) async {
        var lastClock = ContinuousClock.now
        var lastHealth = hubHealth()
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            let changed = dirty.withLock { set in
                defer { set.removeAll() }
                return set
            }
            for id in changed.sorted() {
                if let state = services.board[id] { send(reading(of: state)) }
            }
            let health = hubHealth()
            if health != lastHealth {
                lastHealth = health
                send(event("hub", health))
            }
            if ContinuousClock.now - lastClock >= .seconds(services.clock.speed > 1 ? 1 : 15) {
                lastClock = .now
                send(clock())
            }
        }
    }

    private func followPlans() async {
        for await id in services.plans.changes() {
            guard let venue = services.board[id].flatMap({ services.venues[$0.configuration.venueID] }) else {
                continue
            }
            send(plan(of: venue))
        }
    }

    private func followEvents() async {
        for await stored in await services.submitter.acceptedEvents() { send(event("event", stored.event)) }
    }

    private func followPresence() async {
        for await id in services.controller.presence.changes() {
            if let venue = services.venues[id] { send(event("venue", VenueJSON(venue, services))) }
        }
    }

    private func followGuidance(_ action: ElectricityGuidance.SuggestedAction, _ venue: Venue) async {
        do {
            for try await guidance in services.guidance.updates(action, at: venue.id, for: "stream") {
                let event = event("guidance", guidance)
                self.guidance["\(venue.id) \(action)"] = event
                send(event)
            }
        } catch {
            // A venue without a source has no guidance; the page says so by itself.
        }
    }
}
