import Control
import Foundation
import HubKit
import MQTT
import TestSupport
import Testing

/// The limit from outside over the broker (field case C-6).
@Suite(
    "Limits over the broker",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct VenueLimitTests {
    private let folder: TemporaryFolder
    private let house: BridgeHouse
    private let broker: MosquittoBroker

    init() async throws {
        folder = try TemporaryFolder()
        house = try await BridgeHouse(in: folder.url)
        broker = try await ownBroker()
    }

    /// Sends what a limit is to be and waits for the answer.
    private func answer(_ watcher: Watcher, _ payload: String) async throws -> [String: JSONValue] {
        let venue = "\(BridgeHouse.base)/venues/\(house.venue.id)"
        let results = try await watcher.client.messages(matching: "\(venue)/result")
        try await watcher.client.publish(payload, to: "\(venue)/set/limit")
        for await message in results { return try members(of: message.text) }
        return [:]
    }

    @Test("watts, JSON and words that clear are taken, and nothing else")
    func limits() async throws {
        try await house.running(port: broker.port) { _, _ in
            let watcher = try await Watcher(port: broker.port)
            try await watcher.wait("offpeak/status") { $0 == "online" }
            #expect(try await answer(watcher, "4200") == ["command": "limit", "accepted": true])
            #expect(await house.controller.externalLimit(at: house.venue.id).said?.powerWatts == 4200)
            #expect(try await answer(watcher, #"{"powerWatts": 0, "durationSeconds": 60}"#)["accepted"] == true)
            let limit = await house.controller.externalLimit(at: house.venue.id)
            #expect(limit.said?.powerWatts == 0 && limit.said?.until != nil)
            for wrong in ["-1", "much", "{", #"{"powerWatts": -5}"#, #"{"powerWatts": 5, "durationSeconds": -1}"#] {
                let refused = try await answer(watcher, wrong)
                #expect(refused["accepted"] == false && refused["reason"]?.asText?.isEmpty == false, "\(wrong)")
            }
            #expect(await house.controller.externalLimit(at: house.venue.id).said?.powerWatts == 0)
            let shown = "offpeak/venues/\(house.venue.id)/state"
            try await watcher.waitJSON(shown) { $0["limitWatts"] == 0 }
            #expect(try await answer(watcher, "none")["accepted"] == true)
            try await watcher.waitJSON(shown) { $0["limitWatts"] == nil }
            #expect(await house.controller.externalLimit(at: house.venue.id).allowed.watts == nil)
        }
    }
}
