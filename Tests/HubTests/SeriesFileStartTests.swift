import Foundation
import HubKit
import TestSupport
import Testing

extension HubTests {
    /// A series file that is not there, or broken, when the hub starts.
    @Suite struct SeriesFileStartTests {
        /// Prices of the coming day in the hub's own form.
        private static func prices() -> String {
            let hour = (SystemClock().now.timeIntervalSince1970 / 3600).rounded(.down) * 3600
            let slots = (0..<24).map { index -> String in
                let times = [0, 1].map {
                    Date(timeIntervalSince1970: hour + Double(index + $0) * 3600).formatted(.iso8601)
                }
                return #"{"start":"\#(times[0])","end":"\#(times[1])","value":\#(0.2 + Double(index) / 100)}"#
            }
            return #"{"kind":"price","unit":"EUR/kWh","slots":[\#(slots.joined(separator: ","))]}"#
        }

        /// The two ways to name a file.
        static let ways = [
            """
            sources: [{name: job, kind: price, file: prices.json}]
            venues: [{name: Home, time_zone: Europe/Berlin, currency: EUR, guidance: {price: {source: job}}}]
            """,
            "venues: [{name: Home, time_zone: Europe/Berlin, currency: EUR, guidance: {price: {file: prices.json}}}]",
        ]

        /// What becomes of the file while the hub is down: it is gone, or it breaks off.
        @Test(arguments: ways, [nil, 200])
        func stopsTheFirstStartButNoHouseThatRan(way: String, length: Int?) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("data: data\nhttp: {listen: \"127.0.0.1:0\"}\n" + way, to: "offpeak.yaml")
            let prices = Self.prices()
            func spoil() throws {
                let path = folder.file("prices.json")
                if let length {
                    try folder.write(String(prices.prefix(length)), to: "prices.json")
                } else if FileManager.default.fileExists(atPath: path.path) {
                    try FileManager.default.removeItem(at: path)
                }
            }
            try spoil()
            let first = try await HubProcess.offpeak("run", "--config", file.path)
            #expect(first.status == 2, "\(first)")
            #expect(first.standardError.contains("prices.json"))
            #expect(!FileManager.default.fileExists(atPath: folder.file("data").path))

            try folder.write(prices, to: "prices.json")
            var hub = try await HubProcess.run(file)
            #expect(await hub.terminate().status == 0)
            try spoil()
            let check = try await HubProcess.offpeak("check", file.path)
            #expect(check.status == 2 && check.standardError.contains("prices.json"), "\(check)")
            hub = try await HubProcess.run(file)
            let client = try await hub.client()
            let source = try #require(try await client.get("/api/v1/sources").json.array.first)
            #expect(source["lastError"].string?.contains("prices.json") == true, "\(source)")
            #expect(source["staleSince"].string != nil && source["knownUntil"].string != nil)
            let venue = try #require(try await client.get("/api/v1/venues").json.array.first?["id"].string)
            let guidance = try await client.get("/api/v1/venues/\(venue)/guidance")
            #expect(guidance.status == 200)
            #expect((guidance.json["values"].array.first?["pricePerKWh"].number ?? 0) >= 0.2)
            _ = await hub.terminate()

            // Of another file nothing is kept: that is a slip in the configuration.
            try folder.write(
                "data: data\nhttp: {listen: \"127.0.0.1:0\"}\n" + way.replacing("prices.json", with: "prises.json"),
                to: "offpeak.yaml")
            let slip = try await HubProcess.offpeak("run", "--config", file.path)
            #expect(slip.status == 2, "\(slip)")
        }
    }
}
