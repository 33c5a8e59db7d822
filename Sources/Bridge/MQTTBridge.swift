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
/// every reconnect everything retained is published again.
package actor MQTTBridge {
    private let client: MQTTClient
    private let base: String
    private let board: DeviceBoard
    private let plans: PlanBook
    private let controller: Controller
    private let guidance: any GuidanceProviding
    private let venues: VenueRegistry
    private let clock: any HubClock
    private let log: HubLog
    private var published: [String: String] = [:]

    /// Makes a bridge.
    /// - Parameters:
    ///   - client: a client made with `MQTTBridge.configured`; the owner starts it and closes it after `stop()`.
    ///   - base: the base topic.
    package init(
        client: MQTTClient, base: String, board: DeviceBoard, plans: PlanBook, controller: Controller,
        guidance: any GuidanceProviding, venues: VenueRegistry, clock: any HubClock, log: HubLog
    ) {
        self.client = client
        self.base = base
        self.board = board
        self.plans = plans
        self.controller = controller
        self.guidance = guidance
        self.venues = venues
        self.clock = clock
        self.log = log.labelled("mqtt")
    }

    /// A client's configuration with the hub's last will in it.
    package static func configured(_ configuration: MQTT.MQTTConfiguration, base: String) -> MQTT.MQTTConfiguration {
        var configuration = configuration
        configuration.will = MQTTMessage(topic: "\(base)/status", text: "offline", isRetained: true)
        return configuration
    }

    /// Publishes and listens until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followConnection() }
            group.addTask { await self.followBoard() }
            group.addTask { await self.followPlans() }
            group.addTask { await self.takeCommands() }
            for venue in venues.all {
                for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                    group.addTask { await self.followGuidance(action, venue) }
                }
            }
        }
    }

    /// Says that the hub is going.
    package func stop() async {
        for device in board.all { await show("offline", at: "\(base)/devices/\(device.configuration.id)/availability") }
        await show("offline", at: "\(base)/status")
    }

    // MARK: - Out

    private func followConnection() async {
        for await state in await client.states() where state == .connected {
            // The broker may have forgotten everything: what it was told before does not count.
            let everything = published
            published.removeAll()
            await show("online", at: "\(base)/status")
            for (topic, text) in everything where topic != "\(base)/status" { await show(text, at: topic) }
            for device in board.all { await showDevice(device) }
        }
    }

    private func followBoard() async {
        for device in board.all { await showDevice(device) }
        let changed = Locked<Set<DeviceID>>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [board] in
                for await change in board.changes() { changed.withLock { _ = $0.insert(change.device) } }
            }
            group.addTask { await self.showChanges(changed) }
        }
    }

    /// Shows the last state of what changed, four times a second at most, so that a fast demo does not flood the broker.
    private func showChanges(_ changed: Locked<Set<DeviceID>>) async {
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            let ids = changed.withLock { set in
                defer { set.removeAll() }
                return set
            }
            for id in ids.sorted() {
                if let device = board[id] { await showDevice(device) }
            }
        }
    }

    private func followPlans() async {
        for await id in plans.changes() {
            if let device = board[id] { await showDevice(device) }
        }
    }

    private func followGuidance(_ action: ElectricityGuidance.SuggestedAction, _ venue: Venue) async {
        let name = action == .shift ? "shift" : "reduce"
        do {
            for try await guidance in guidance.updates(action, at: venue.id, for: "mqtt") {
                let data = try EnergyKitJSON.encoder().encode(guidance)
                await show(String(decoding: data, as: UTF8.self), at: "\(base)/venues/\(venue.id)/guidance/\(name)")
            }
        } catch {
            log.debug("no \(name) guidance for \(venue.name): \(error)")
        }
    }

    private func showDevice(_ device: DeviceState) async {
        let id = device.configuration.id
        let isAvailable = device.health.state == .ok || device.health.state == .degraded
        await show(isAvailable ? "online" : "offline", at: "\(base)/devices/\(id)/availability")
        let json = DeviceJSON(device, plan: plans[id], currency: venues[device.configuration.venueID]?.currency)
        if let text = FlatState.text(json) { await show(text, at: "\(base)/devices/\(id)/state") }
    }

    /// Publishes a retained value where it differs from what the broker has.
    private func show(_ text: String, at topic: String) async {
        guard published[topic] != text else { return }
        published[topic] = text
        do {
            try await client.publish(MQTTMessage(topic: topic, text: text, qos: .atLeastOnce, isRetained: true))
        } catch {
            published[topic] = nil
        }
    }

    // MARK: - In

    private func takeCommands() async {
        do {
            for await message in try await client.messages(matching: "\(base)/devices/+/set/+") {
                await take(message)
            }
        } catch {
            log.warning("commands can't be received: \(error)")
        }
    }

    private func take(_ message: MQTTMessage) async {
        let parts = message.topic.dropFirst(base.count + 1).split(separator: "/").map(String.init)
        guard parts.count == 4, let id = DeviceID(parts[1]) else { return }
        let reason = await carryOut(parts[3], message, for: id)
        if let reason { log.warning("the command \(parts[3]) for \(id) was refused: \(reason)") }
        let result = CommandResult(command: parts[3], accepted: reason == nil, reason: reason)
        guard let data = try? EnergyKitJSON.encoder().encode(result) else { return }
        _ = try? await client.publish(
            MQTTMessage(topic: "\(base)/devices/\(id)/result", payload: Array(data), qos: .atLeastOnce))
    }

    private struct CommandResult: Encodable {
        var command: String
        var accepted: Bool
        var reason: String?
    }

    /// - Returns: why it was refused, or nothing.
    private func carryOut(_ command: String, _ message: MQTTMessage, for id: DeviceID) async -> String? {
        // It would be carried out again at every reconnect (field case M-2).
        guard !message.isRetained else { return "a command must not be retained" }
        guard message.payload.count <= 4096 else { return "the payload is longer than 4096 bytes" }
        guard let device = board[id] else { return "there is no such device" }
        let text = message.text.trimmingCharacters(in: .whitespacesAndNewlines)
        let clears = ["", "none", "null"].contains(text.lowercased())
        do {
            switch command {
            case "mode":
                try await controller.setMode(try DeviceMode(named: text), for: id)
            case "goal" where clears:
                try await controller.setGoal(nil, for: id)
            case "goal":
                let request = try EnergyKitJSON.decoder().decode(GoalRequest.self, from: Data(message.payload))
                try await controller.setGoal(try request.goal(for: device, at: clock.now), for: id)
            case "setpoint":
                guard let celsius = Double(text) else { return "a setpoint is a number in °C" }
                let request = try EnergyKitJSON.decoder().decode(
                    GoalRequest.self, from: Data("{\"setpointCelsius\":\(celsius)}".utf8))
                try await controller.setGoal(try request.goal(for: device, at: clock.now), for: id)
            default:
                return "there is no such command; use mode, goal or setpoint"
            }
            return nil
        } catch let error as DecodingError {
            return "the payload can't be read: \(error.localizedDescription)"
        } catch {
            return String(describing: error)
        }
    }
}
