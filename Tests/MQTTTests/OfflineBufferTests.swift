import Testing

@testable import MQTT

@Suite struct OfflineBufferTests {
    private func message(_ topic: String, _ text: String) -> MQTTMessage {
        MQTTMessage(topic: topic, text: text, isRetained: true)
    }

    @Test func keepsTheLastOfEachTopicInTheOrderOfTheFirst() {
        var buffer = OfflineBuffer(limit: 2)
        let fitted = [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")].map { buffer.put(message($0.0, $0.1)) }
        #expect(fitted == [true, true, true, false])
        let first = buffer.pop()
        #expect(first == message("a", "3"))
        #expect(!buffer.contains("a"))
        let fitsAgain = buffer.put(message("c", "5"))
        #expect(fitsAgain)
        let rest = [buffer.pop(), buffer.pop(), buffer.pop()]
        #expect(rest == [message("b", "2"), message("c", "5"), nil])
        #expect(buffer.isEmpty)
    }
}
