import Control
import EnergyKit
import Foundation
import HubKit
import MQTT

/// Commands that come over the broker.
extension MQTTBridge {
    func takeCommands() async {
        do {
            for await message in try await commands(at: "\(base)/devices/+/set/+") {
                await take(message)
                await tellDropped()
            }
        } catch {
            log.warning("commands can't be received: \(plainWords(of: error))")
        }
    }

    /// Says when messages came faster than they could be read: the oldest of them were let go, without an answer.
    private func tellDropped() async {
        let dropped = await client.droppedMessages
        guard dropped > toldDropped else { return }
        log.warning(
            "\(dropped - toldDropped) messages came faster than they could be carried out and were left out; the last ones count"
        )
        toldDropped = dropped
    }

    /// Listens to commands.
    ///
    /// Where the broker keeps the session, it must not keep commands in it: what was wanted while the hub was away may be
    /// wrong when it is back, and a plain value does not say how old it is.
    private func commands(at filter: String) async throws -> AsyncStream<MQTTMessage> {
        try await client.messages(
            matching: filter, qos: client.configuration.isCleanSession ? .atLeastOnce : .atMostOnce)
    }

    /// Commands for a home as a whole: `venues/VENUE/set/limit`.
    func takeVenueCommands() async {
        do {
            for await message in try await commands(at: "\(base)/venues/+/set/+") {
                await takeForVenue(message)
                await tellDropped()
            }
        } catch {
            log.warning("commands for homes can't be received: \(plainWords(of: error))")
        }
    }

    private func takeForVenue(_ message: MQTTMessage) async {
        let parts = parts(of: message.topic)
        guard parts.count == 4 else { return }
        let (venue, command) = (parts[1], parts[3])
        let reason = await venueRefusal(of: command, message, for: venue)
        if let reason { log.warning("the command \(command) for the home \(venue) was refused: \(reason)") }
        if reason == nil, let known = UUID(uuidString: venue).flatMap({ venues[$0] }) { await showMoment(of: known) }
        let result = CommandResult(command: command, accepted: reason == nil, reason: reason)
        guard let data = try? EnergyKitJSON.encoder().encode(result) else { return }
        await answer(MQTTMessage(topic: "\(base)/venues/\(venue)/result", payload: Array(data), qos: .atLeastOnce))
    }

    private func venueRefusal(of command: String, _ message: MQTTMessage, for name: String) async -> String? {
        guard !message.isRetained else { return "a command must not be retained" }
        guard message.payload.count <= 4096 else { return "the payload is longer than 4096 bytes" }
        guard let id = UUID(uuidString: name), venues[id] != nil else { return "there is no venue '\(name)'" }
        guard command == "limit" else { return "there is no command '\(command)'; use limit" }
        do {
            let payload = CommandPayload(message.payload)
            try payload.checkAge(at: clock.now)
            let limit = payload.clears ? nil : try payload.powerLimit()
            try await controller.setExternalLimit(
                watts: limit?.powerWatts, seconds: limit?.durationSeconds, at: id)
            return nil
        } catch let error as DecodingError {
            return "the payload: \(plainWords(of: error))"
        } catch {
            return plainWords(of: error)
        }
    }

    private func take(_ message: MQTTMessage) async {
        let parts = parts(of: message.topic)
        guard parts.count == 4 else { return }
        let (device, command) = (parts[1], parts[3])
        let reason = await refusal(of: command, message, for: device)
        if let reason { log.warning("the command \(command) for \(device) was refused: \(reason)") }
        let result = CommandResult(command: command, accepted: reason == nil, reason: reason)
        guard let data = try? EnergyKitJSON.encoder().encode(result) else { return }
        await answer(MQTTMessage(topic: "\(base)/devices/\(device)/result", payload: Array(data), qos: .atLeastOnce))
    }

    /// Publishes an answer, at least as long as the connection that brought the command stands.
    private func answer(_ message: MQTTMessage) async {
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

    private struct CommandResult: Encodable {
        var command: String
        var accepted: Bool
        var reason: String?
    }

    /// Carries a command out.
    /// - Returns: why it was refused, or nothing.
    private func refusal(of command: String, _ message: MQTTMessage, for name: String) async -> String? {
        // It would be carried out again at every reconnect (field case M-2).
        guard !message.isRetained else { return "a command must not be retained" }
        guard message.payload.count <= 4096 else { return "the payload is longer than 4096 bytes" }
        guard let id = DeviceID(name), let device = board[id] else { return "there is no device '\(name)'" }
        do {
            let payload = CommandPayload(message.payload)
            try payload.checkAge(at: clock.now)
            try await carryOut(command, payload, for: device)
            return nil
        } catch let error as DecodingError {
            return "the payload: \(plainWords(of: error))"
        } catch {
            return plainWords(of: error)
        }
    }

    private func carryOut(_ command: String, _ payload: CommandPayload, for device: DeviceState) async throws {
        let id = device.configuration.id
        switch command {
        case "mode":
            // Without a mode of its own a device goes by the configuration's, as when nobody ever chose one.
            let mode = try payload.clears ? device.configuration.mode ?? .guided : DeviceMode(named: payload.modeName())
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
            throw HubError(.refused, "there is no command '\(command)'; use mode, goal, setpoint or limit")
        }
    }
}
