package import Control
import EnergyKit
import Foundation
import Guidance
package import HubKit
package import MQTT
import ThreadKit

/// Shows the hub on an MQTT broker and takes commands from it.
///
/// Topics are those of the contract under one base topic: `status` with the last will, each venue's guidance, each
/// device's state and availability, retained; `devices/ID/set/…` for commands, answered on `devices/ID/result`. After
/// every reconnect everything retained is published again. The base topic is this hub's alone: what else is retained
/// there for devices and venues that the hub does not have is cleared. Where another hub holds the base topic, nothing is
/// shown, cleared or taken until that one is gone (`BaseClaim`).
package actor MQTTBridge {
    let client: MQTTClient
    let base: String
    let board: DeviceBoard
    let controller: Controller
    let venues: VenueRegistry
    let clock: any HubClock
    let log: HubLog
    let topics: RetainedTopics
    private let plans: PlanBook
    private let guidance: any GuidanceProviding
    let homeAssistant: HomeAssistantLink?
    /// The guidance for charging in force at each home.
    var moments: [UUID: ElectricityGuidance] = [:]
    /// What was said of each device last, and when.
    private var said: [DeviceID: (news: DeviceNews, at: Date)] = [:]
    /// Whose the base topic is.
    var claim: BaseClaim
    /// How long another hub may take to say that it is there, and how long until it is asked again.
    let waits: (answer: Duration, look: Duration)
    /// Whether the base topic was this hub's when that was last known.
    var wasHeld = false
    /// Who waits to know whose the base topic is.
    var deciding: [CheckedContinuation<Void, Never>] = []
    /// The hub of which was told that it holds the base topic.
    var toldHolder: BaseClaim.Holder?
    /// Where events of the claim go.
    var claimEvents: AsyncStream<BaseClaim.Event>.Continuation?
    /// What is to be cleared when the base topic is this hub's.
    var strangers: Set<String> = []
    /// The hub is going: nothing may say "online" any more.
    private(set) var isStopping = false

    /// Makes a bridge.
    /// - Parameters:
    ///   - client: a client made with `MQTTBridge.configured`; the owner starts it and closes it after `stop()`.
    ///   - base: the base topic.
    ///   - identity: by which other hubs at the broker know this one.
    ///   - waits: how long another hub may take to answer, and the time between two looks whether it is still there.
    ///   - homeAssistant: where Home Assistant is told of devices and homes; nothing where it is not.
    package init(
        client: MQTTClient, base: String, board: DeviceBoard, plans: PlanBook, controller: Controller,
        guidance: any GuidanceProviding, venues: VenueRegistry, clock: any HubClock, log: HubLog,
        identity: HubIdentity = HubIdentity(), waits: (answer: Duration, look: Duration) = (.seconds(5), .seconds(60)),
        homeAssistant: HomeAssistantLink? = nil
    ) {
        self.client = client
        self.homeAssistant = homeAssistant
        self.base = base
        self.board = board
        self.plans = plans
        self.controller = controller
        self.guidance = guidance
        self.venues = venues
        self.clock = clock
        self.log = log.labelled("mqtt")
        topics = RetainedTopics(client: client)
        claim = BaseClaim(identity)
        self.waits = waits
    }

    /// A client's configuration with the hub's last will in it.
    package static func configured(_ configuration: MQTT.MQTTConfiguration, base: String) -> MQTT.MQTTConfiguration {
        var configuration = configuration
        configuration.will = MQTTMessage(topic: "\(base)/status", text: "offline", isRetained: true)
        return configuration
    }

    /// Publishes and listens until the task is cancelled.
    package func run() async {
        // Before anything is shown, or a change between showing and listening would be missed.
        let changes = board.changes()
        let planned = plans.changes()
        noteDiscovery()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followClaim() }
            group.addTask { await self.followBoard(changes) }
            group.addTask { await self.followPlans(planned) }
            group.addTask { await self.takeCommands() }
            group.addTask { await self.takeVenueCommands() }
            group.addTask { await self.keepStatus() }
            group.addTask { await self.clearStrangers(at: "\(self.base)/devices/+/availability") }
            group.addTask { await self.clearStrangers(at: "\(self.base)/devices/+/state") }
            group.addTask { await self.clearStrangers(at: "\(self.base)/venues/+/guidance/+") }
            group.addTask { await self.clearStrangers(at: "\(self.base)/venues/+/state") }
            group.addTask { await self.followPresence() }
            group.addTask { await self.followBirth() }
            group.addTask { await self.clearOldDiscovery() }
            for venue in venues.all {
                group.addTask { await self.followMoments(of: venue) }
                for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                    group.addTask { await self.followGuidance(action, venue) }
                }
            }
        }
    }

    /// Says that the hub is going; from then on nothing else is shown.
    package func stop() async {
        isStopping = true
        // What stands there is another hub's, or nobody is there to hear it.
        guard topics.isOpen else { return }
        for device in board.all { topics.note("offline", at: availabilityTopic(device.configuration.id)) }
        topics.note("offline", at: statusTopic)
        for device in board.all { await topics.publish(availabilityTopic(device.configuration.id)) }
        await topics.publish(statusTopic)
        await dropClaim()
    }

    // MARK: - Out

    var statusTopic: String { "\(base)/status" }

    private func availabilityTopic(_ id: DeviceID) -> String { "\(base)/devices/\(id)/availability" }

    private func followBoard(_ changes: AsyncStream<BoardChange>) async {
        let changed = Locked(Set(board.all.map(\.configuration.id)))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await change in changes { changed.withLock { _ = $0.insert(change.device) } }
            }
            group.addTask { await self.showChanges(changed) }
        }
    }

    /// Shows the last state of what changed, four times a second at most, so that a fast demo does not flood the broker.
    private func showChanges(_ changed: Locked<Set<DeviceID>>) async {
        repeat {
            let ids = changed.withLock { set in
                defer { set.removeAll() }
                return set
            }
            for id in ids.sorted() { await showDevice(id) }
        } while (try? await Task.sleep(for: .milliseconds(250))) != nil
    }

    private func followPlans(_ changes: AsyncStream<DeviceID>) async {
        for await id in changes { await showDevice(id) }
    }

    private func followGuidance(_ action: ElectricityGuidance.SuggestedAction, _ venue: Venue) async {
        let name = action == .shift ? "shift" : "reduce"
        var complaint: String?
        while !Task.isCancelled {
            do {
                for try await guidance in guidance.updates(action, at: venue.id, for: "mqtt") {
                    complaint = nil
                    guard !isStopping else { return }
                    let data = try EnergyKitJSON.encoder().encode(guidance)
                    await topics.show(
                        String(decoding: data, as: UTF8.self), at: "\(base)/venues/\(venue.id)/guidance/\(name)")
                    if action == .shift { await note(guidance, for: venue) }
                }
                return
            } catch {
                let text = "no \(name) guidance for \(venue.name): \(plainWords(of: error))"
                if complaint != text { log.debug(text) }
                complaint = text
                if action == .shift { await note(nil, for: venue) }
                // It may come back by itself.
                guard (try? await clock.sleep(seconds: 30 * clock.speed)) != nil else { return }
            }
        }
    }

    /// For how many seconds a state that only has new times is not sent again.
    static let heartbeatSeconds: Double = 60

    /// Whether a state is worth a message: it says something else than the last one, or that was a while ago.
    private func isNews(_ news: DeviceNews, of id: DeviceID) -> Bool {
        let now = clock.now
        if let last = said[id], last.news == news {
            let age = now.timeIntervalSince(last.at)
            if (0..<Self.heartbeatSeconds * max(1, clock.speed)).contains(age) { return false }
        }
        said[id] = (news, now)
        return true
    }

    private func showDevice(_ id: DeviceID) async {
        guard !isStopping, let device = board[id] else { return }
        let isAvailable = device.health.state == .ok || device.health.state == .degraded
        let state = "\(base)/devices/\(id)/state"
        // Both before the first wait: what is read from the board first is then never shown last.
        topics.note(isAvailable ? "online" : "offline", at: availabilityTopic(id))
        if isNews(DeviceNews(device, plan: plans[id]), of: id) {
            let json = DeviceJSON(device, plan: plans[id], currency: venues[device.configuration.venueID]?.currency)
            if let text = FlatState.text(json) { topics.note(text, at: state) }
        }
        await topics.publish(availabilityTopic(id))
        await topics.publish(state)
    }
}
