import Control
import EnergyKit
import Foundation
import HubKit
import MQTT

/// Commands that come over the broker.
extension MQTTBridge {
    func takeCommands() async {
        do {
            for await message in try await client.messages(matching: "\(base)/devices/+/set/+") {
                await take(message)
            }
        } catch {
            log.warning("commands can't be received: \(plainWords(of: error))")
        }
    }

    /// Commands for a home as a whole: `venues/VENUE/set/limit`.
    func takeVenueCommands() async {
        do {
            for await message in try await client.messages(matching: "\(base)/venues/+/set/+") {
                await takeForVenue(message)
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
            try await carryOut(command, CommandPayload(message.payload), for: device)
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

/// What a command says: a plain value, or JSON.
struct CommandPayload {
    private let bytes: [UInt8]
    private let text: String

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether it takes back what was set: `""`, `none` or `null`; 0 is a value (field case M-3).
    var clears: Bool { ["", "none", "null"].contains(text.lowercased()) }

    /// The mode's name: the plain word, a JSON string, or `{"mode": "…"}`.
    /// - Throws: `DecodingError`.
    func modeName() throws -> String {
        struct Request: Decodable { var mode: String }
        return switch text.first {
        case "{": try decoded(Request.self).mode
        case "\"": try decoded(String.self)
        default: text
        }
    }

    /// The goal's JSON.
    /// - Throws: `DecodingError`.
    func goal() throws -> GoalRequest { try decoded(GoalRequest.self) }

    /// The temperature: a plain number, or JSON with `setpointCelsius`.
    /// - Throws: `HubError` for text that is no number, or `DecodingError`.
    func setpoint() throws -> GoalRequest {
        if text.first == "{" { return try decoded(GoalRequest.self) }
        guard let celsius = Double(text), celsius.isFinite else {
            throw HubError(.refused, "a setpoint is a number in °C")
        }
        return try EnergyKitJSON.decoder().decode(
            GoalRequest.self, from: Data("{\"setpointCelsius\":\(celsius)}".utf8))
    }

    /// The price limit: a plain number, or JSON with `pricePerKWh`.
    /// - Throws: `HubError` for text that is no number, or `DecodingError`.
    func limit() throws -> PriceLimit {
        if text.first == "{" { return try decoded(PriceLimit.self) }
        guard let price = Double(text), price.isFinite else {
            throw HubError(.refused, "a limit is a price for each kWh")
        }
        return PriceLimit(pricePerKWh: price)
    }

    /// What all chargers may draw: a plain number of watts, or JSON with `powerWatts`.
    /// - Throws: `HubError` for text that is no number, or `DecodingError`.
    func powerLimit() throws -> ExternalLimitRequest {
        if text.first == "{" { return try decoded(ExternalLimitRequest.self) }
        guard let watts = Double(text), watts.isFinite else {
            throw HubError(.refused, "a limit is a number of watts, or JSON with powerWatts")
        }
        return ExternalLimitRequest(powerWatts: watts)
    }

    private func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try EnergyKitJSON.decoder().decode(type, from: Data(bytes))
    }
}
