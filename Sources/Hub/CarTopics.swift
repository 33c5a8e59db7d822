import Foundation
import HubKit
import MQTT

/// What other systems tell about cars on the hub's own broker: their state of charge, where chargers do not know it.
struct CarTopics {
    let client: MQTTClient
    let board: DeviceBoard
    let clock: any HubClock
    let log: HubLog

    /// Listens until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for device in board.all {
                guard let topic = device.configuration.vehicle?.chargeTopic else { continue }
                group.addTask { await follow(topic, of: device.configuration) }
            }
        }
    }

    private func follow(_ topic: String, of device: DeviceConfiguration) async {
        let path = device.vehicle?.chargePath.flatMap { JSONPath($0) }
        var complaint: String?
        do {
            for await message in try await client.messages(matching: topic, bufferingNewest: 4) {
                let (percent, fault) = Self.percent(message.payload, at: path)
                if let percent { board.post(stateOfCharge: percent, at: clock.now, for: device.id) }
                if let fault, fault != complaint { log.warning("\(device.id): \(topic) \(fault)") }
                complaint = fault
            }
        } catch {
            log.warning("\(device.id): the car's charge can't be heard on \(topic): \(plainWords(of: error))")
        }
    }

    /// The charge in a message: a number, alone or at a path of JSON; words such as `unknown` say nothing.
    static func percent(_ payload: [UInt8], at path: JSONPath?) -> (percent: Double?, fault: String?) {
        guard !payload.isEmpty else { return (nil, nil) }
        guard payload.count <= 65_536 else { return (nil, "has \(payload.count) bytes, more than a charge needs") }
        var text: String?
        if let path {
            guard let json = JSONDocument(bytes: payload) else { return (nil, "is no JSON") }
            guard let value = json.value(at: path) else { return (nil, "has no charge at its path") }
            text = value.plainText
        } else {
            let plain = String(decoding: payload, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            text = plain.hasPrefix("\"") ? JSONDocument(bytes: payload)?.plainText : plain
        }
        guard let text, !["unknown", "unavailable", "none", "null", ""].contains(text.lowercased()) else {
            return (nil, nil)
        }
        guard let number = Double(text), (0...100).contains(number) else {
            return (nil, "says '\(text.prefix(20))', which is no charge from 0 to 100 %")
        }
        return (number, nil)
    }
}
