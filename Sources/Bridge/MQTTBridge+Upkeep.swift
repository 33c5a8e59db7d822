import Foundation
import HubKit
import MQTT

/// What others leave on the broker and this hub has to put right.
extension MQTTBridge {
    /// Says "online" again when the last will of a connection that is long gone says "offline".
    ///
    /// A broker notices a connection that broke without a word only after a while; the hub may be back before that.
    func keepStatus() async {
        do {
            for await message in try await client.messages(matching: statusTopic)
            where message.text == "offline" && !isStopping {
                noteGone()
                // Retained too: it may have come between "online" and this subscription.
                await topics.restore(statusTopic)
            }
        } catch {
            log.debug("the status can't be watched: \(plainWords(of: error))")
        }
    }

    /// Clears retained topics of devices and venues that the hub no longer has.
    func clearStrangers(at filter: String) async {
        do {
            for await message in try await client.messages(matching: filter, bufferingNewest: 4096)
            where (message.isRetained || !topics.isOpen) && !message.payload.isEmpty && !isKnown(message.topic) {
                await clear(message.topic)
            }
        } catch {
            log.debug("old topics can't be cleared: \(plainWords(of: error))")
        }
    }

    /// Clears a topic, now or when the base topic is this hub's.
    func clear(_ topic: String) async {
        guard topics.isOpen else {
            if strangers.count < 4096 { strangers.insert(topic) }
            return
        }
        _ = try? await client.publish(MQTTMessage(topic: topic, payload: [], isRetained: true))
    }

    private func isKnown(_ topic: String) -> Bool {
        let parts = parts(of: topic)
        guard parts.count > 1 else { return true }
        return switch parts[0] {
        case "devices": DeviceID(parts[1]).flatMap { board[$0] } != nil
        case "venues": UUID(uuidString: parts[1]).flatMap { venues[$0] } != nil
        default: true
        }
    }

    /// The levels of a topic below the base topic.
    func parts(of topic: String) -> [String] {
        topic.dropFirst(base.count + 1).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }
}
