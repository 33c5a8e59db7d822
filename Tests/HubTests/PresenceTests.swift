import Control
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

@testable import Hub

/// The words by which other systems tell whether anybody is at home.
@Suite struct PresenceWordTests {
    @Test(
        "words and numbers of people are understood, alone and in JSON",
        arguments: [
            ("home", Presence.home), ("not_home", .away), ("on", .home), ("off", .away), ("ON", .home),
            (" Home\n", .home),
            ("true", .home), ("false", .away), ("online", .home), ("0", .away), ("2", .home), ("\"not_home\"", .away),
        ])
    func words(payload: String, expected: Presence) {
        let alone = PresenceTopic.presence(Array(payload.utf8), at: nil)
        #expect(alone.presence == expected && alone.fault == nil)
        guard !payload.contains("\"") else { return }
        let json = #"{"who":{"state":"\#(payload.trimmingCharacters(in: .whitespacesAndNewlines))"}}"#
        #expect(PresenceTopic.presence(Array(json.utf8), at: JSONPath("who.state")).presence == expected)
    }

    @Test(
        "what is no answer is never taken for nobody",
        arguments: [
            ("unknown", false), ("unavailable", false), ("", false), ("null", false), ("offline", true), ("Work", true),
            ("-1", true), ("nan", true), ("1.5", true), ("{}", true), ("\u{0}", true), ("not home?", true),
        ])
    func rubbish(payload: String, isComplained: Bool) {
        let found = PresenceTopic.presence(Array(payload.utf8), at: nil)
        #expect(found.presence == nil && (found.fault != nil) == isComplained)
        #expect(PresenceTopic.presence(Array(payload.utf8), at: JSONPath("who.state")).presence == nil)
    }

    @Test func tooLongIsNotRead() {
        #expect(PresenceTopic.presence([UInt8](repeating: 0x20, count: 70_000), at: nil).fault != nil)
    }
}

extension HubTests {
    /// A hub and another system that knows who is at home.
    @Suite(
        .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
    struct PresenceTests {
        @Test("presence is shown in the API, on the broker and on the stream, and unknown where it is not told")
        func isShown() async throws {
            let broker = try await MosquittoBroker()
            let client = try MQTTClient(MQTTConfiguration(host: broker.host, port: broker.port))
            await client.start()
            for await state in await client.states() where state == .connected { break }
            let topic = "ha/zone/home/state"
            // Kept from before the hub began: such systems speak only when something changes.
            try await client.publish("0", to: topic, isRetained: true)
            let home = try Household(
                venue: "rate_plan: {flat: 0.30}, presence_topic: \(topic)",
                more: "mqtt: {host: 127.0.0.1, port: \(broker.port), persistent_session: true}")
            let hub = try await home.run()
            let api = try await hub.client()
            func presence() async throws -> String? {
                try await api.get("/api/v1/venues").json[0]["presence"].string
            }
            let isAway = await eventually { try await presence() == "away" }
            #expect(isAway)
            let id = try #require(try await api.get("/api/v1/venues").json[0]["id"].string)
            let states = try await client.messages(matching: "offpeak/venues/\(id)/state")
            try await client.publish("1", to: topic, isRetained: true)
            for await message in states where message.text.contains(#""presence":"home""#) { break }
            let isHome = await eventually { try await presence() == "home" }
            #expect(isHome)
            for await message in try await client.messages(matching: "homeassistant/device/+/config")
            where message.text.contains("venue_") {
                #expect(message.text.contains(#""device_class":"presence""#))
                break
            }
            // A broker that comes back tells again; a word that is none says nothing.
            try await client.publish("Work", to: topic, isRetained: true)
            try await hub.said("neither home nor not_home")
            #expect(try await presence() == nil)
            try await broker.restart()
            for await state in await client.states() where state == .connected { break }
            try await client.publish("0", to: topic)
            let isBack = await eventually {
                try await client.publish("0", to: topic)
                return try await presence() == "away"
            }
            #expect(isBack)
            #expect(await hub.terminate().status == 0)
        }
    }
}
