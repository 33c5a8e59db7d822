import Foundation
import Guidance
import MQTT

/// Topics of the hub's own broker, for sources of guidance.
struct BrokerTopics: TopicFeed {
    let client: MQTTClient

    func payloads(of topic: String) async throws -> AsyncStream<Data> {
        let messages = try await client.messages(matching: topic, bufferingNewest: 4)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(4))
        let task = Task {
            for await message in messages { continuation.yield(Data(message.payload)) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
