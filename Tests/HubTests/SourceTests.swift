import Foundation
import HubKit
import MQTT
import TestSupport
import Testing
import WebServer

extension HubTests {
    /// The real hub with sources that are asked over HTTP: one that answers, one that is dead.
    @Suite struct SourceTests {
        /// Hourly prices of yesterday, today and tomorrow, in the form of aWATTar; a key is not needed there.
        private static func provider() async throws -> WebServer {
            let server = WebServer(configuration: WebServerConfiguration(port: 0)) { request in
                guard request.path == "/v1/marketdata", let start = request.query("start").flatMap({ Int($0) }),
                    let end = request.query("end").flatMap({ Int($0) })
                else { return .notFound }
                let first = (max(start, end - 4 * 86_400_000) / 3_600_000) * 3_600_000
                let rows = stride(from: first, to: end, by: 3_600_000).map { time in
                    #"{"start_timestamp":\#(time),"end_timestamp":\#(time + 3_600_000),"#
                        + #""marketprice":\#(50 + time / 3_600_000 % 24),"unit":"Eur/MWh"}"#
                }
                return .json(Array(#"{"data":[\#(rows.joined(separator: ","))]}"#.utf8))
            }
            try await server.start()
            return server
        }

        @Test func aHubServesWhatItsSourcesGiveAndSaysWhatIsStale() async throws {
            let server = try await Self.provider()
            let port = try #require(await server.boundPort)
            let folder = try TemporaryFolder()
            let secret = "never-to-be-seen-4711"
            try folder.write(secret, to: "key")
            let own = try LoopbackPort.free()
            let file = try folder.write(
                """
                data: data
                http: {listen: "127.0.0.1:\(own)"}
                sources:
                  - {name: spot, provider: awattar, area: DE, url: "http://127.0.0.1:\(port)"}
                  - {name: maps, provider: electricity-maps, area: DE, key_file: key, url: "http://127.0.0.1:\(try LoopbackPort.free())"}
                venues:
                  - name: Home
                    time_zone: Europe/Berlin
                    currency: EUR
                    guidance:
                      price: {source: spot, add_per_kwh: 0.1, factor: 2}
                      carbon: {source: maps}
                """, to: "offpeak.yaml")
            let check = try await HubProcess.offpeak("check", file.path)
            #expect(check.status == 0, "\(check)")
            let hub = try await HubProcess.start(["run", "--config", file.path])
            let client = HTTPClient(port: own)
            let isThere = await eventually {
                try await client.get("/api/v1/sources").json.array.allSatisfy {
                    $0["knownUntil"].string != nil || $0["lastError"].string != nil
                }
            }
            #expect(isThere)
            let sources = try await client.get("/api/v1/sources")
            let spot = try #require(sources.json.array.first { $0["name"].string == "spot" })
            let maps = try #require(sources.json.array.first { $0["name"].string == "maps" })
            #expect(spot["staleSince"].string == nil && spot["knownUntil"].string != nil)
            #expect(spot["nextFetch"].string != nil && spot["requestsLeft"].number == 99)
            #expect(maps["staleSince"].string != nil)
            #expect(maps["lastError"].string?.hasPrefix("serviceUnavailable") == true)

            let venue = try #require(try await client.get("/api/v1/venues").json.array.first?["id"].string)
            let guidance = try #require(
                await eventually { () -> JSONValue? in
                    let answer = try await client.get("/api/v1/venues/\(venue)/guidance")
                    return answer.status == 200 ? answer.json : nil
                })
            // (0.05 … 0.073 + 0.1) × 2
            let prices = guidance["values"].array.compactMap { $0["pricePerKWh"].number }
            #expect(!prices.isEmpty && prices.allSatisfy { (0.299...0.347).contains($0) })

            let metrics = try await client.get("/metrics").text
            #expect(metrics.contains("offpeak_source_stale_seconds{source=\"spot\"} 0.0"))
            #expect(metrics.contains("offpeak_source_failures{source=\"maps\"} 1.0"))
            let environment = ["OFFPEAK_URL": "http://127.0.0.1:\(own)"]
            let listed = try await ChildProcess.run(HubProcess.executable, ["sources"], environment: environment)
            #expect(listed.standardOutput.contains("spot") && listed.standardOutput.contains("solcast"), "\(listed)")
            let shown = try await ChildProcess.run(
                HubProcess.executable, ["guidance", "Home"], environment: environment)
            #expect(shown.standardOutput.contains("maps is stale since"), "\(shown)")
            await server.stop(within: .zero)
            _ = await hub.terminate()
            let said = await hub.output.joined(separator: "\n")
            for text in [sources.text, metrics, listed.standardOutput, shown.standardOutput, said] {
                #expect(!text.contains(secret))
            }
        }

        /// Prices of today and tomorrow, in the hub's own form.
        private static func series(
            _ price: Double, kind: String = "price", unit: String = "EUR/kWh", step: Double = 0.01
        ) -> String {
            let hour = Int(SystemClock().now.timeIntervalSince1970 / 3600) * 3600
            let slots = (0..<24).map { index -> String in
                let times = [0, 1].map { step in
                    Date(timeIntervalSince1970: Double(hour + (index + step) * 3600)).formatted(.iso8601)
                }
                return #"{"start":"\#(times[0])","end":"\#(times[1])","value":\#(price + Double(index) * step)}"#
            }
            return #"{"kind":"\#(kind)","unit":"\#(unit)","slots":[\#(slots.joined(separator: ","))]}"#
        }

        @Test(.enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"))
        func topicsAndFilesAreFollowed() async throws {
            let broker = try await MosquittoBroker()
            let folder = try TemporaryFolder()
            try folder.write(Self.series(100, kind: "carbon", unit: "gCO2/kWh"), to: "carbon.json")
            let file = try folder.write(
                """
                data: data
                http: {listen: "127.0.0.1:0"}
                mqtt: {host: 127.0.0.1, port: \(broker.port)}
                sources:
                  - {name: program, kind: price, topic: energy/prices}
                  - {name: job, kind: carbon, file: carbon.json, format: file}
                venues:
                  - {name: Home, time_zone: Europe/Berlin, currency: EUR,
                     guidance: {price: {source: program}, carbon: {source: job}}}
                """, to: "offpeak.yaml")
            let hub = try await HubProcess.run(file)
            let client = try await hub.client()
            let publisher = try MQTTClient(MQTT.MQTTConfiguration(host: broker.host, port: broker.port))
            await publisher.start()
            let venue = try #require(try await client.get("/api/v1/venues").json.array.first?["id"].string)
            let first = { (path: String) async throws -> Double? in
                try await client.get("/api/v1/venues/\(venue)/guidance").json["values"].array.first?[path].number
            }
            #expect(await eventually { try await first("gramsCO2PerKWh") == 100 })
            // The second day falls where the first rises: what moves no rating waits for the next hour.
            for (price, step) in [(0.3, 0.01), (0.35, -0.01)] {
                _ = try await publisher.publish(
                    MQTTMessage(topic: "energy/prices", text: Self.series(price, step: step), isRetained: true))
                #expect(await eventually { try await first("pricePerKWh") == price })
            }
            // What can't be read leaves what was there in force, and is said.
            _ = try await publisher.publish(MQTTMessage(topic: "energy/prices", text: "sold out", isRetained: true))
            let isSaid = await eventually {
                let sources = try await client.get("/api/v1/sources").json.array
                return sources.first { $0["name"].string == "program" }?["lastError"].string?.contains("not JSON")
                    == true
            }
            #expect(isSaid)
            #expect(try await first("pricePerKWh") == 0.35)
            await publisher.close()
            _ = await hub.terminate()
            await broker.stop()
        }

        static let wrong: [(String, String)] = [
            ("{name: a, provider: nosuch}", "there is no provider 'nosuch'"),
            ("{name: a}", "a source is a provider, a file or a topic, just one of them"),
            ("{name: a, provider: awattar, file: x.json}", "just one of them"),
            ("{name: a, provider: awattar}", "awattar needs an area"),
            ("{name: a, provider: awattar, area: US}", "awattar does not cover 'US'"),
            ("{name: a, provider: tibber}", "tibber needs a key"),
            ("{name: a, provider: tibber, key_file: nosuch}", "can't be read"),
            ("{name: a, provider: energy-charts, area: DE-LU}", "does not say what it gives"),
            ("{name: a, provider: awattar, kind: carbon, area: DE}", "awattar does not give carbon"),
            ("{name: a, provider: forecast-solar}", "needs the solar system's plane"),
            ("{name: a, provider: open-meteo, declination: 30, azimuth: 0, peak_watts: 5000}", "where the panels are"),
            ("{name: a, kind: price, topic: t}", "there is no broker"),
            (
                "{name: a, kind: price, provider: url, url: \"ftp://x\", rows: d, unit: EUR/kWh}",
                "not an address of HTTP"
            ),
            ("{name: a, provider: awattar, area: DE, every_minutes: 0}", "out of range"),
            ("{name: a, provider: awattar, area: DE, colour: red}", "unknown key 'colour'"),
        ]

        @Test(arguments: wrong)
        func aSourceThatCannotBeIsSaidBeforeTheHubStarts(source: String, fault: String) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(
                "data: data\nsources:\n  - \(source)\nvenues: [{name: Home, time_zone: UTC}]\n", to: "offpeak.yaml")
            let outcome = try await HubProcess.offpeak("check", file.path)
            #expect(outcome.status == 2, "\(outcome)")
            #expect(outcome.standardError.contains(fault), "\(outcome.standardError)")
        }

        @Test func aVenueMayDescribeItsSourcesItself() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(
                """
                data: data
                venues:
                  - name: Home
                    time_zone: Europe/Berlin
                    location: {latitude: 50, longitude: 8}
                    guidance:
                      price:
                        - {provider: energy-charts, area: DE-LU, add_per_kwh: 0.16, factor: 1.19}
                        - {provider: awattar, area: DE, add_per_kwh: 0.16, factor: 1.19}
                      carbon: {provider: energy-charts, area: de}
                      solar:
                        - {provider: open-meteo, declination: 30, azimuth: -90, peak_watts: 4000}
                        - {provider: open-meteo, declination: 30, azimuth: 90, peak_watts: 4000}
                """, to: "offpeak.yaml")
            let outcome = try await HubProcess.offpeak("check", file.path)
            #expect(outcome.status == 0, "\(outcome)")
            try folder.write(
                "data: data\nvenues:\n  - {name: Home, time_zone: UTC, guidance: {price: {source: none}}}\n",
                to: "offpeak.yaml")
            let refused = try await HubProcess.offpeak("check", file.path)
            #expect(refused.standardError.contains("there is no source 'none'"), "\(refused)")
        }
    }
}

extension HubTests.SourceTests {
    @Test func aTariffOfOpenEIBecomesARatePlan() async throws {
        let folder = try TemporaryFolder()
        let schedule =
            "["
            + Array(repeating: "[\(Array(repeating: "0", count: 24).joined(separator: ","))]", count: 12)
            .joined(separator: ",") + "]"
        let file = try folder.write(
            """
            {"items":[{"name":"Residential","fixedchargefirstmeter":8,"minmonthlycharge":25,
              "energyratestructure":[[{"rate":0.1,"adj":0.01,"max":1000,"unit":"kWh"},{"rate":0.2,"unit":"kWh"}]],
              "energyweekdayschedule":\(schedule),"energyweekendschedule":\(schedule)}]}
            """, to: "urdb.json")
        let imported = try await HubProcess.offpeak("import", "--source", "openei", file.path)
        #expect(imported.status == 0 && imported.standardError.contains("left out: minmonthlycharge"), "\(imported)")
        let plan = try #require(JSONValue(text: imported.standardOutput))
        #expect(plan["periods"].array.first?["tiers"].array.count == 2)
        // It can stand in a configuration as it is.
        let configuration = try folder.write(
            "data: data\nvenues:\n  - name: Home\n    time_zone: America/New_York\n    currency: USD\n    rate_plan: "
                + imported.standardOutput.split(separator: "\n").joined(separator: " ") + "\n", to: "offpeak.yaml")
        let check = try await HubProcess.offpeak("check", configuration.path)
        #expect(check.status == 0, "\(check)")
    }
}
