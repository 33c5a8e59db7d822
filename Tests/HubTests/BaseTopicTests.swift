import Foundation
import MQTT
import TestSupport
import Testing

extension HubTests {
    /// Whole hubs and demos at one broker.
    @Suite(
        .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
    struct BaseTopicTests {
        private let broker: MosquittoBroker
        private let client: MQTTClient

        init() async throws {
            broker = try await MosquittoBroker()
            client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
        }

        private func wait(for text: String, at topic: String) async throws {
            for await message in try await client.messages(matching: topic) where message.text == text { return }
        }

        @Test func aHubThatWasKilledIsOnlineAgainAtOnceAndADemoBesideItLeavesItAlone() async throws {
            let home = try Household(more: "mqtt: {host: 127.0.0.1, port: \(broker.port)}")
            let hub = try await home.run()
            try await wait(for: "online", at: "offpeak/status")
            await hub.kill()
            try await wait(for: "offline", at: "offpeak/status")
            let again = try await home.run()
            try await wait(for: "online", at: "offpeak/status")
            let demo = try await HubProcess.demo(
                data: nil, speed: 60, more: ["--mqtt", "127.0.0.1:\(broker.port)"])
            _ = try await demo.said("another hub, on ")
            // The demo has a car and the home none.
            let topics = try await client.messages(matching: "offpeak/devices/#")
            let cabin = try await HubProcess.demo(
                data: nil, speed: 60, more: ["--mqtt", "127.0.0.1:\(broker.port)", "--base", "home/cabin"])
            try await wait(for: "online", at: "home/cabin/devices/car/availability")
            #expect(await again.terminate().status == 0)
            for await message in topics {
                #expect(message.topic.hasPrefix("offpeak/devices/"))
                break
            }
            _ = try await demo.said("the other hub is gone")
            try await wait(for: "online", at: "offpeak/devices/car/availability")
            #expect(await demo.terminate().status == 0)
            #expect(await cabin.terminate().status == 0)
            await client.close()
        }

        @Test func whatATopicSaysStandsInTheLogAsTextAlone() async throws {
            let inverter = try Inverter(watts: 100)
            let home = try Household(
                devices: [Household.meter("roof", inverter.port)],
                more: "mqtt: {host: 127.0.0.1, port: \(broker.port)}")
            let hub = try await home.run()
            try await wait(for: "online", at: "offpeak/status")
            let results = try await client.messages(matching: "offpeak/devices/+/result")
            let rubbish = "\u{1B}[2J\u{7}\u{202E}" + String(repeating: "x", count: 4000)
            try await client.publish(rubbish, to: "offpeak/devices/roof/set/mode")
            for await message in results {
                #expect(message.text.contains("is not a mode") && message.payload.count < 1000)
                break
            }
            let line = try await hub.said("the command mode for roof was refused")
            #expect(line.contains(#"\u{1b}[2J\u{7}\u{202e}xxx"#), "\(line.debugDescription)")
            #expect(line.unicodeScalars.count < 1200)
            #expect(await hub.terminate().status == 0)
            await client.close()
        }

        @Test(arguments: [["--base", "a"], ["--base", "a/#", "--mqtt", "h:1"], ["--base", "/a", "--mqtt", "h:1"]])
        func aBaseTopicOfADemoThatCanBeNoneIsRefused(options: [String]) async throws {
            let outcome = try await ChildProcess.run(HubProcess.executable, ["demo"] + options)
            #expect(outcome.status == 2)
            #expect(outcome.standardError.contains("--base"))
        }
    }
}
