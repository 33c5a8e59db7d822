import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// Modes and goals.
    @Suite(.serialized) struct ChangeTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        private func put(_ path: String, _ body: String) async throws -> HTTPClient.Answer {
            try await demo.operator.send("PUT", "/api/v1/devices/" + path, body: body)
        }

        @Test(arguments: ["off", "now", "solar", "guided"]) func aModeIsSetAndShown(mode: String) async throws {
            let answer = try await put("car/mode", "{\"mode\":\"\(mode)\"}")
            #expect(answer.status == 200 && answer.json["mode"].string == mode && answer.json["id"].string == "car")
            #expect(try await demo.anyone.get("/api/v1/devices/car").json["mode"].string == mode)
        }

        @Test func aGoalIsSetShownAndCleared() async throws {
            let now = try #require(try await demo.anyone.get("/api/v1/clock").json["now"].date)
            let ready = now.addingTimeInterval(6 * 3600).formatted(.iso8601)
            let answer = try await put(
                "car/goal", "{\"stateOfCharge\":80,\"readyBy\":\"\(ready)\",\"minimumAmps\":6}")
            #expect(answer.status == 200, "\(answer.text)")
            let goal = answer.json["goal"]
            #expect(goal["stateOfCharge"].number == 80 && goal["minimumAmps"].number == 6, "\(goal)")
            #expect(goal["readyBy"].date?.formatted(.iso8601) == ready && goal["energyWattHours"] == .null)
            let cleared = try await demo.operator.send("DELETE", "/api/v1/devices/car/goal")
            #expect(cleared.status == 200 && cleared.json["goal"] == .null, "\(cleared.text)")
            let end = try Date("2024-04-05T18:00:00+02:00", strategy: .iso8601).formatted(.iso8601)
            #expect(try await put("car/goal", "{\"energyWattHours\":30000,\"readyBy\":\"\(end)\"}").status == 200)
            let comfort = try await put("heating/goal", "{\"setpointCelsius\":20.5,\"comfortBandKelvin\":1.5}")
            #expect(comfort.status == 200 && comfort.json["goal"]["setpointCelsius"].number == 20.5)
            #expect(comfort.json["goal"]["comfortBandKelvin"].number == 1.5)
        }

        @Test(arguments: ["0", "-0.1", "0.24"]) func aPriceLimitIsSetShownAndCleared(price: String) async throws {
            let answer = try await put("car/limit", "{\"pricePerKWh\":\(price)}")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["limit"]["pricePerKWh"].number == Double(price))
            let cleared = try await demo.operator.send("DELETE", "/api/v1/devices/car/limit")
            #expect(cleared.status == 200 && cleared.json["limit"] == .null, "\(cleared.text)")
            expectProblem(try await demo.operator.send("DELETE", "/api/v1/devices/grid/limit"), 422, "refused")
        }

        @Test func aModeIsClearedToTheConfigurations() async throws {
            #expect(try await put("heating/mode", "{\"mode\":\"off\"}").json["mode"].string == "off")
            let cleared = try await demo.operator.send("DELETE", "/api/v1/devices/heating/mode")
            #expect(cleared.status == 200 && cleared.json["mode"].string == "guided", "\(cleared.text)")
            expectProblem(try await demo.operator.send("DELETE", "/api/v1/devices/grid/mode"), 422, "refused")
        }

        @Test(
            arguments: [
                ("car/mode", "{\"mod\":\"off\"}", 400, "badRequest", "did you mean 'mode'?"),
                ("car/mode", "{\"mode\":\"off\",\"mode\":\"now\"}", 400, "badRequest", "'mode' stands twice"),
                ("car/mode", "{\"mode\":null}", 400, "badRequest", "mode is null"),
                ("car/mode", "[]", 400, "badRequest", "an object with mode"),
                ("car/mode", "\"off\"", 400, "badRequest", "an object with mode"),
                ("car/goal", "{\"energyWatthours\":1}", 400, "badRequest", "did you mean 'energyWattHours'?"),
                ("car/goal", "{\"energyWattHours\":\"NaN\"}", 400, "badRequest", "energyWattHours: a number"),
                ("car/goal", "{\"energyWattHours\":NaN}", 400, "badRequest", "NaN"),
                ("car/goal", "{\"energyWattHours\":1e999}", 400, "badRequest", "too large"),
                (
                    "car/goal", "{\"energyWattHours\":1e300,\"readyBy\":\"2024-04-05T20:00:00Z\"}", 422, "refused",
                    "1,000,000"
                ),
                (
                    "car/goal", "{\"energyWattHours\":1000,\"readyBy\":\"9999-12-31T23:59:59Z\"}", 422, "refused",
                    "14 days"
                ),
                (
                    "car/goal",
                    "{\"energyWattHours\":1000,\"readyBy\":\"2024-04-05T20:00:00Z\",\"minimumAmps\":1e308}", 422,
                    "refused", ""
                ),
                ("car/goal", "{\"readyBy\":1712340000}", 400, "badRequest", "readyBy: a text"),
                ("car/goal", "{\"repeatsDaily\":1}", 400, "badRequest", "true or false"),
                ("heating/goal", "{\"setpointCelsius\":1e300}", 422, "refused", ""),
                ("heating/goal", "{\"setpointCelsius\":20,\"minimumAmps\":6}", 422, "refused", "one of them"),
                ("heating/goal", String(repeating: "[", count: 100_000), 400, "badRequest", "32 deep"),
                ("car/mode", "{\"mode\":\"fast\"}", 422, "refused", "one of off, now, guided, solar"),
                ("car/mode", "{}", 400, "badRequest", "lacks 'mode'"),
                ("car/mode", "{\"mode\":3}", 400, "badRequest", "mode"),
                ("car/mode", "mode", 400, "badRequest", "not JSON"), ("car/mode", "", 400, "badRequest", "not JSON"),
                ("heating/mode", "{\"mode\":\"sunny\"}", 422, "refused", "solar"),
                ("grid/mode", "{\"mode\":\"now\"}", 422, "refused", ""),
                ("nosuch/mode", "{\"mode\":\"now\"}", 404, "notFound", "nosuch"),
                ("car/goal", "{}", 422, "refused", "energyWattHours or stateOfCharge"),
                ("car/goal", "{\"energyWattHours\":1000}", 422, "refused", "readyBy"),
                (
                    "car/goal", "{\"energyWattHours\":1000,\"stateOfCharge\":50,\"readyBy\":\"2024-04-05T20:00:00Z\"}",
                    422,
                    "refused", ""
                ),
                ("car/goal", "{\"energyWattHours\":-1,\"readyBy\":\"2024-04-05T20:00:00Z\"}", 422, "refused", ""),
                ("car/goal", "{\"stateOfCharge\":101,\"readyBy\":\"2024-04-05T20:00:00Z\"}", 422, "refused", ""),
                ("car/goal", "{\"stateOfCharge\":80,\"readyBy\":\"2020-01-01T00:00:00Z\"}", 422, "refused", ""),
                ("car/goal", "{\"stateOfCharge\":80,\"readyBy\":\"soon\"}", 400, "badRequest", "readyBy"),
                ("car/goal", "{\"setpointCelsius\":20}", 422, "refused", ""),
                ("heating/goal", "{\"setpointCelsius\":99}", 422, "refused", ""),
                ("heating/goal", "{\"setpointCelsius\":20,\"comfortBandKelvin\":-1}", 422, "refused", ""),
                ("grid/goal", "{\"setpointCelsius\":20}", 422, "refused", ""),
                ("car/limit", "{}", 400, "badRequest", "lacks 'pricePerKWh'"),
                ("car/limit", "{\"pricePerKWh\":null}", 400, "badRequest", "pricePerKWh is null"),
                ("car/limit", "{\"pricePerKWh\":\"0.2\"}", 400, "badRequest", "pricePerKWh: a number"),
                ("car/limit", "{\"pricePerKwh\":0.2}", 400, "badRequest", "did you mean 'pricePerKWh'?"),
                ("car/limit", "{\"pricePerKWh\":10001}", 422, "refused", "10,000"),
                ("heating/limit", "{\"pricePerKWh\":0.2}", 422, "refused", "only chargers"),
                ("grid/limit", "{\"pricePerKWh\":0.2}", 422, "refused", "meter"),
            ] as [(String, String, Int, String, String)])
        func whatCannotBeIsRefusedWithItsReason(
            path: String, body: String, status: Int, code: String, word: String
        ) async throws {
            let before = try await demo.anyone.get("/api/v1/devices/heating").json["goal"]
            expectProblem(try await put(path, body), status, code, saying: word.isEmpty ? nil : word)
            #expect(try await demo.anyone.get("/api/v1/devices/heating").json["goal"] == before)
        }

        /// Field case C-6: the limit from outside for all chargers together.
        @Test func aPowerLimitIsSetAndCleared() async throws {
            let path = "/api/v1/venues/\(demo.venue)/limit"
            let set = try await demo.operator.send(
                "PUT", path, body: "{\"powerWatts\":30000,\"durationSeconds\":3600}")
            #expect(set.status == 200 && set.json["powerWatts"].number == 30_000, "\(set.text)")
            #expect(set.json["until"].date != nil && set.json["allowedWatts"].number == 30_000)
            #expect(set.json["isFailSafe"] == .bool(false))
            #expect(try await demo.anyone.get(path).json["powerWatts"].number == 30_000)
            for (body, status) in [
                ("{\"powerWatts\":-1}", 422), ("{}", 400), ("{\"powerWatts\":null}", 400),
                ("{\"powerWatts\":1,\"durationSeconds\":0}", 422), ("{\"watts\":1}", 400),
            ] {
                #expect(try await demo.operator.send("PUT", path, body: body).status == status, "\(body)")
            }
            #expect(try await demo.anyone.send("PUT", path, body: "{\"powerWatts\":1}").status == 401)
            let cleared = try await demo.operator.send("DELETE", path)
            #expect(cleared.status == 200 && cleared.json["powerWatts"] == .null, "\(cleared.text)")
        }
    }
}
