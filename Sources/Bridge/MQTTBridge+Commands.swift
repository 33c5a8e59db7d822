import Control
import EnergyKit
import Foundation
import HubKit
import MQTT

/// Commands that come over the broker.
extension MQTTBridge {
    /// Commands for devices: `devices/ID/set/…`.
    func takeCommands() async {
        await follow("\(base)/devices/+/set/+", as: "commands") { await self.refusal(of: $1, $2, for: $0) }
    }

    /// Commands for a home as a whole: `venues/VENUE/set/limit`.
    func takeVenueCommands() async {
        await follow("\(base)/venues/+/set/+", as: "commands for homes") { venue, command, message in
            let reason = await self.venueRefusal(of: command, message, for: venue)
            if reason == nil, let known = UUID(uuidString: venue).flatMap({ self.venues[$0] }) {
                await self.showMoment(of: known)
            }
            return reason
        }
    }

    /// Carries a command out: for whom, which one, the message.
    /// - Returns: why it was refused, or nothing.
    private typealias CarryingOut = @Sendable (String, String, MQTTMessage) async -> String?

    /// Listens to commands, and carries them out one after the other.
    ///
    /// Where the broker keeps the session, it must not keep commands in it: what was wanted while the hub was away may be
    /// wrong when it is back, and a plain value does not say how old it is. A command that the broker keeps would be
    /// carried out again at every connection, so it is refused the first time too.
    private func follow(_ filter: String, as name: String, _ carryOut: @escaping CarryingOut) async {
        let queue = CommandQueue()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    let messages = try await self.client.messages(
                        matching: filter, bufferingNewest: CommandQueue.longestRefusal,
                        qos: self.client.configuration.isCleanSession ? .atLeastOnce : .atMostOnce,
                        showsRetained: true)
                    for await message in messages { queue.append(message) }
                } catch {
                    self.log.warning("\(name) can't be received: \(plainWords(of: error))")
                }
                queue.finish()
            }
            group.addTask { await self.empty(queue, carryOut) }
        }
    }

    private func empty(_ queue: CommandQueue, _ carryOut: CarryingOut) async {
        var told = 0
        for await _ in queue.arrivals {
            var refused = 0
            while let due = queue.next() {
                guard await takesCommands() else { continue }
                switch due {
                case .carryOut(let message): await answer(message, carryOut)
                case .refuse(let topics):
                    refused += topics.count
                    let reason = "commands came faster than they can be carried out; only the last ones are"
                    let answers = topics.compactMap { result(of: $0, reason: reason) }
                    _ = await client.publish(all: answers)
                }
            }
            let unanswered = queue.unanswered
            guard refused > 0 || unanswered > told else { continue }
            log.warning(
                "\(refused + unanswered - told) commands came faster than they can be carried out and were refused; the last ones count"
            )
            told = unanswered
        }
    }

    private func answer(_ message: MQTTMessage, _ carryOut: CarryingOut) async {
        guard let (_, name, command) = addressee(of: message.topic) else { return }
        let reason = (await carryOut(name, command, message)).map(Self.inWordsOfMQTT)
        if let reason { log.warning("the command \(command.shown(40)) for \(name.shown(60)) was refused: \(reason)") }
        if let result = result(of: message.topic, reason: reason) { await publish(result) }
    }

    /// Whom a command is for.
    private func addressee(of topic: String) -> (kind: String, name: String, command: String)? {
        let parts = parts(of: topic)
        return parts.count == 4 ? (parts[0], parts[1], parts[3]) : nil
    }

    private struct CommandResult: Encodable {
        var command: String
        var accepted: Bool
        var reason: String?
    }

    /// The answer to a command.
    private func result(of topic: String, reason: String?) -> MQTTMessage? {
        guard let (kind, name, command) = addressee(of: topic) else { return nil }
        let result = CommandResult(command: command, accepted: reason == nil, reason: reason)
        guard let data = try? EnergyKitJSON.encoder().encode(result) else { return nil }
        return MQTTMessage(topic: "\(base)/\(kind)/\(name)/result", payload: Array(data), qos: .atLeastOnce)
    }

    /// Publishes an answer, at least as long as the connection that brought the command stands.
    private func publish(_ message: MQTTMessage) async {
        do {
            try await client.publish(message)
        } catch MQTTError.notConnected {
            // A command may come while the connection's other subscriptions are still on their way.
            for await state in await client.states() where state != .connecting {
                if state == .connected { _ = try? await client.publish(message) }
                return
            }
        } catch {
            log.debug("an answer on \(message.topic) was lost: \(plainWords(of: error))")
        }
    }

    /// What is said to everyone who commands, as it is here, where there is no method to call.
    ///
    /// A value may be as long as the payload that it came in.
    private static func inWordsOfMQTT(_ reason: String) -> String {
        reason.shown(400).replacingOccurrences(of: "DELETE clears it", with: "an empty payload clears it")
    }

    // MARK: - Carried out

    /// What is wrong with a message, whatever it says.
    private func refusal(of message: MQTTMessage) -> String? {
        // It would be carried out again at every reconnect (field case M-2).
        guard !message.isRetained else { return "a command must not be retained" }
        let most = CommandQueue.longestPayload
        return message.payload.count <= most ? nil : "the payload is longer than \(most) bytes"
    }

    private func refusal(of command: String, _ message: MQTTMessage, for name: String) async -> String? {
        if let reason = refusal(of: message) { return reason }
        guard let id = DeviceID(name), let device = board[id] else { return "there is no device '\(name.shown(60))'" }
        return await reason {
            let payload = CommandPayload(message.payload)
            try payload.checkAge(at: self.clock.now)
            try await self.carryOut(command, payload, for: device)
        }
    }

    private func venueRefusal(of command: String, _ message: MQTTMessage, for name: String) async -> String? {
        if let reason = refusal(of: message) { return reason }
        guard let id = UUID(uuidString: name), venues[id] != nil else {
            return "there is no venue '\(name.shown(60))'"
        }
        guard command == "limit" else { return "there is no command '\(command.shown(40))'; use limit" }
        return await reason {
            let payload = CommandPayload(message.payload)
            try payload.checkAge(at: self.clock.now)
            let limit = payload.clears ? nil : try payload.powerLimit()
            try await self.controller.setExternalLimit(
                watts: limit?.powerWatts, seconds: limit?.durationSeconds, at: id)
        }
    }

    /// Why something was not done.
    private func reason(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            let isPayload = error is DecodingError || error is JSONSyntaxError || error is JSONShape.Fault
            return (isPayload ? "the payload: " : "") + plainWords(of: error)
        }
    }

    private func carryOut(_ command: String, _ payload: CommandPayload, for device: DeviceState) async throws {
        let id = device.configuration.id
        switch command {
        case "mode":
            // Without a mode of its own a device goes by the configuration's, as when nobody ever chose one.
            let mode =
                try payload.clears
                ? device.configuration.mode ?? .guided : DeviceMode(named: payload.modeName().shown(60))
            try await controller.setMode(mode, for: id)
        case "goal":
            let goal = try payload.clears ? nil : payload.goal().goal(for: device, at: clock.now, keepsTime: true)
            try await controller.setGoal(goal, for: id)
        case "setpoint":
            guard device.kind == .hvac else { throw HubError(.refused, "\(id) has no setpoint") }
            let goal = try payload.clears ? nil : payload.setpoint().goal(for: device, at: clock.now)
            try await controller.setGoal(goal, for: id)
        case "limit":
            try await controller.setLimit(payload.clears ? nil : payload.limit(), for: id)
        default:
            throw HubError(
                .refused, "there is no command '\(command.shown(40))'; use mode, goal, setpoint or limit")
        }
    }
}
