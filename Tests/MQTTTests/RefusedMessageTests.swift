import Foundation
import MQTT
import TestSupport
import Testing
import ThreadKit

/// A broker whose access list lets nobody publish but on `open/#`.
private func guardedBroker(_ folder: TemporaryFolder) async throws -> MosquittoBroker {
    let list = try folder.write("topic readwrite open/#\ntopic read #\n", to: "access")
    return try await MosquittoBroker(settings: ["acl_file \(list.path)"])
}

@Suite(
    "What a broker does not take",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"),
    .timeLimit(.minutes(2)))
struct RefusedMessageTests {
    @Test(
        "a message that the access list refuses is none that was acknowledged",
        arguments: [true, false])
    func accessList(isRetained: Bool) async throws {
        let folder = try TemporaryFolder()
        let broker = try await guardedBroker(folder)
        let client = try await MQTTClient.connected(to: broker)
        for _ in 0..<2 {
            do {
                _ = try await client.publish("1", to: "closed/a", isRetained: isRetained)
                Issue.record("it was taken")
            } catch MQTTError.publishRefused(let topic, let code, let text) {
                #expect(topic == "closed/a" && code == 0x87 && !text.isEmpty)
            }
            #expect(try await client.publish("1", to: "open/a", isRetained: isRetained) == .acknowledged)
            #expect(try await client.publish("1", to: "closed/a", qos: .atMostOnce) == .sent)
        }
        #expect(await client.state == .connected)
        #expect(await client.messagesUnderWay == 0)
        await client.close()
    }

    @Test(
        "a refusal is told once for each topic, with the remedy, and again after it was taken meanwhile"
    )
    func told() async throws {
        let folder = try TemporaryFolder()
        let broker = try await guardedBroker(folder)
        let lines = Locked<[String]>([])
        let client = try MQTTClient(configuration(port: broker.port)) { line in
            lines.withLock { $0.append(line) }
        }
        await client.start()
        await client.wait { $0 == .connected }
        for _ in 0..<3 {
            for topic in ["closed/a", "closed/b"] { _ = try? await client.publish("1", to: topic) }
        }
        for number in 0..<100 { _ = try? await client.publish("1", to: "closed/\(number)") }
        let refusals = lines.current.filter { $0.contains("refused") }
        #expect(refusals.filter { $0.contains("closed/a") }.count == 1)
        #expect(
            refusals.count <= 10 && refusals.allSatisfy { $0.contains("mend its access list") },
            "\(refusals)")
        await client.close()
    }

    @Test(
        "a broker of version 3.1.1 is spoken to in its version", arguments: OldBroker.Manner.allCases)
    func oldBroker(manner: OldBroker.Manner) async throws {
        let broker = try OldBroker(manner)
        let client = try await MQTTClient.connected(to: configuration(port: broker.port))
        #expect(broker.levels == [5, 4])
        #expect(try await client.publish("1", to: "a") == .acknowledged)
        await client.close()
    }

    @Test("kills of the broker do not make a client forget version 5")
    func killed() async throws {
        let folder = try TemporaryFolder()
        let broker = try await guardedBroker(folder)
        let client = try await MQTTClient.connected(to: broker)
        for _ in 0..<3 {
            await broker.kill()
            await client.wait { if case .disconnected = $0 { true } else { false } }
            try await broker.start()
            await client.wait { $0 == .connected }
        }
        await #expect(throws: MQTTError.self) { _ = try await client.publish("1", to: "closed/a") }
        await client.close()
    }
}
