import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// The shape of every answer that is only read.
    @Suite struct ReadingTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        private func get(_ path: String) async throws -> JSONValue {
            let answer = try await demo.anyone.get("/api/v1" + path)
            #expect(answer.status == 200 && answer.contentType == "application/json", "\(path): \(answer)")
            return answer.json
        }

        @Test func venuesHaveNameZoneAndCurrency() async throws {
            let venues = try await get("/venues").array
            #expect(venues.count == 1)
            let venue = try #require(venues.first)
            #expect(venue["id"].string.flatMap { UUID(uuidString: $0) } != nil)
            #expect(venue["name"].string == "Home" && venue["timeZone"].string == "Europe/Berlin")
            #expect(venue["currency"].string == "EUR")
            #expect(try await get("/venues/\(demo.venue)") == venue)
            #expect(try await get("/venues/\(demo.venue.lowercased())") == venue)
            #expect(try await get("/venues?homeID=\(UUID().uuidString)").array.isEmpty)
        }

        @Test(arguments: ["shift", "reduce"]) func guidanceRatesTheComingHours(action: String) async throws {
            let guidance = try await get("/venues/\(demo.venue)/guidance?action=\(action)&device=test")
            #expect(guidance["guidanceToken"].string.flatMap { UUID(uuidString: $0) } != nil)
            #expect(guidance["energyVenueID"].string?.uppercased() == demo.venue.uppercased())
            #expect(guidance["action"].string == action && guidance["issuedAt"].date != nil)
            let start = try #require(guidance["interval"]["start"].date)
            let end = try #require(guidance["interval"]["end"].date)
            #expect(start < end)
            if case .array = guidance["options"] {} else { Issue.record("options: \(guidance["options"])") }
            let values = guidance["values"].array
            #expect(values.count >= 12)
            #expect(values.first?["start"].date == start && values.last?["end"].date == end)
            for (value, next) in zip(values, values.dropFirst()) { #expect(value["end"] == next["start"]) }
            for value in values {
                #expect((0...1).contains(value["rating"].number ?? -1), "\(value)")
                #expect(value["pricePerKWh"].number != nil && value["gramsCO2PerKWh"].number != nil, "\(value)")
            }
        }

        @Test func devicesShowHealthReadingModeGoalAndPlan() async throws {
            let devices = try await get("/devices").array
            #expect(devices.compactMap { $0["id"].string }.sorted() == ["car", "grid", "heating", "solar"])
            for device in devices {
                let id = try #require(device["id"].string)
                #expect(["ev", "meter", "hvac"].contains(device["kind"].string) && device["driver"].string != nil)
                #expect(device["name"].string != nil && device["profile"].string != nil, "\(device)")
                #expect(device["venueID"].string == demo.venue && device["health"]["since"].date != nil)
                #expect(try await get("/devices/\(id)")["id"].string == id)
            }
            let isPlanned = await eventually {
                let car = try await get("/devices/car")
                return car["health"]["state"].string == "ok" && car["plan"]["reason"].string?.isEmpty == false
            }
            #expect(isPlanned)
            let car = try await get("/devices/car")
            #expect(car["reading"]["at"].date != nil && car["reading"]["plug"].string != nil, "\(car)")
            #expect(car["reading"]["powerWatts"].number != nil && car["mode"].string != nil, "\(car)")
            #expect(car["goal"]["energyWattHours"].number == 30_000 && car["goal"]["readyBy"].date != nil, "\(car)")
            let heating = try await get("/devices/heating")
            #expect(heating["goal"]["setpointCelsius"].number != nil && heating["reading"]["roomCelsius"].number != nil)
        }

        @Test func thePlanGivesEveryDevicesIntervalsAndReason() async throws {
            let plan = try #require(
                await eventually { () -> JSONValue? in
                    let plan = try await get("/venues/\(demo.venue)/plan")
                    return plan["devices"].array.contains { $0["deviceID"].string == "car" } ? plan : nil
                })
            #expect(plan["venueID"].string == demo.venue && plan["computedAt"].date != nil)
            for device in plan["devices"].array {
                #expect(device["reason"].string?.isEmpty == false, "\(device)")
                for interval in device["intervals"].array {
                    #expect(try #require(interval["start"].date) < #require(interval["end"].date), "\(interval)")
                }
            }
            let car = try #require(plan["devices"].array.first { $0["deviceID"].string == "car" })
            #expect(car["cost"].number != nil && car["currency"].string == "EUR", "\(car)")
        }

        @Test func clockHistoryAndSessions() async throws {
            let clock = try await get("/clock")
            #expect(clock["speed"].number == 30)
            let began = try Date("2024-04-05T13:05:00+02:00", strategy: .iso8601)
            #expect(try #require(clock["now"].date) > began)
            let isKept = await eventually { try await get("/history?hours=1")["series"].array.count >= 3 }
            #expect(isKept)
            for series in try await get("/history?hours=1")["series"].array {
                #expect(series["points"].array.allSatisfy { $0.array.count == 2 }, "\(series)")
            }
            if case .array = try await get("/sessions?device=car&limit=5")["sessions"] {
            } else {
                Issue.record("sessions")
            }
        }

        @Test func metricsArePrometheusText() async throws {
            let answer = try await demo.anyone.get("/metrics")
            #expect(
                answer.status == 200 && answer.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            var types: [String: String] = [:]
            for line in answer.text.split(separator: "\n") {
                let words = line.split(separator: " ")
                if line.hasPrefix("# TYPE ") { types[String(words[2])] = String(words[3]) }
                guard !line.hasPrefix("#") else { continue }
                let match = try #require(
                    line.wholeMatch(of: #/([a-z_]+)(\{[a-z]+="[^"\\]*"\})? (-?[0-9.e+-]+|NaN)/#), "\(line)")
                #expect(types[String(match.output.1)] != nil, "no type before \(line)")
            }
            for name in ["offpeak_device_up", "offpeak_outbox_depth", "offpeak_control_ticks_total"] {
                #expect(types[name] != nil, "\(types)")
            }
        }

        @Test(arguments: ["/healthz", "/readyz"]) func probesAnswer(path: String) async throws {
            #expect(try await demo.anyone.get(path).status == 200)
            #expect(try await demo.anyone.send("HEAD", path).status == 200)
        }

        @Test func theDescriptionListsEveryRouteThatIsAnswered() async throws {
            let document = try await get("/openapi.json")
            #expect(document["openapi"].string?.hasPrefix("3.") == true)
            let listed = Set(
                document["paths"].object.flatMap { path, methods in methods.object.keys.map { "\($0) \(path)" } })
            #expect(listed == Self.routes, "\(listed.symmetricDifference(Self.routes))")
            for route in listed where route.hasPrefix("get") && !route.hasSuffix("/stream") {
                let path = route.dropFirst(4).replacing("/devices/{id}", with: "/devices/car")
                    .replacing("/outbox/{id}", with: "/outbox/local")
                    .replacing("{id}", with: demo.venue)
                var query = path.contains("/insights/") ? Self.insightsQuery : ""
                if path.hasSuffix("/what-if") {
                    let now = try #require(try await demo.anyone.get("/api/v1/clock").json["now"].date)
                    query = "?energyWattHours=5000&readyBy=\(now.addingTimeInterval(6 * 3600).formatted(.iso8601))"
                }
                let answer = try await demo.operator.get("/api/v1" + path + query)
                #expect(answer.status == 200, "\(route): \(answer)")
            }
        }

        static let insightsQuery = "?device=car&start=2024-04-05T00:00:00Z&end=2024-04-06T00:00:00Z&granularity=hourly"

        static let routes: Set = [
            "get /venues", "get /venues/{id}", "get /venues/{id}/guidance", "get /venues/{id}/plan",
            "get /venues/{id}/limit", "put /venues/{id}/limit", "delete /venues/{id}/limit",
            "post /venues/{id}/events", "get /devices", "get /devices/{id}", "get /devices/{id}/what-if",
            "put /devices/{id}/mode",
            "delete /devices/{id}/mode", "put /devices/{id}/goal", "delete /devices/{id}/goal",
            "put /devices/{id}/limit", "delete /devices/{id}/limit", "get /events",
            "get /sessions", "get /stream",
            "get /venues/{id}/insights/energy", "get /venues/{id}/insights/runtime", "get /history", "get /clock",
            "get /health", "get /sources", "get /venues/{id}/sources", "get /venues/{id}/solar",
            "get /session", "post /session", "delete /session", "get /openapi.json",
            "get /outbox", "get /outbox/{id}/dead-letters", "post /outbox/{id}/resend", "post /outbox/{id}/replay",
            "post /outbox/{id}/retry",
        ]

        @Test(
            arguments: [
                ("/api/v1/nosuch", 404, "notFound"), ("/api/v1", 404, "notFound"), ("/nosuch", 404, "notFound"),
                ("/api/v1/devices/nosuch", 404, "notFound"), ("/api/v1/devices/a%20b", 404, "notFound"),
                ("/api/v1/venues/nosuch", 404, "venueUnavailable"),
                ("/api/v1/venues/00000000-0000-4000-8000-000000000000/guidance", 404, "venueUnavailable"),
                ("/api/v1/venues/00000000-0000-4000-8000-000000000000/plan", 404, "venueUnavailable"),
                ("/api/v1/venues?homeID=x", 400, "badRequest"), ("/api/v1/events?limit=0", 400, "badRequest"),
                ("/api/v1/events?after=x", 400, "badRequest"), ("/api/v1/events?since=x", 400, "badRequest"),
                ("/api/v1/events?format=xml", 400, "badRequest"), ("/api/v1/history?hours=x", 400, "badRequest"),
                ("/api/v1/history?hours=1000", 400, "badRequest"), ("/api/v1/history?hours=nan", 400, "badRequest"),
                ("/api/v1/events?limit=1e3", 400, "badRequest"),
                ("/api/v1/events?limit=99999999999999999999", 400, "badRequest"),
                ("/api/v1/events?after=99999999999999999999", 400, "badRequest"),
                ("/api/v1/events?sinse=2026-01-01T00:00:00Z", 400, "badRequest"),
                ("/api/v1/events?limit=1&limit=2", 400, "badRequest"), ("/api/v1/devices?x=1", 400, "badRequest"),
            ] as [(String, Int, String)])
        func whatIsNotThereOrNotUnderstoodIsAProblem(path: String, status: Int, code: String) async throws {
            expectProblem(try await demo.anyone.get(path), status, code)
        }

        @Test func unknownActionsAreProblems() async throws {
            expectProblem(
                try await demo.anyone.get("/api/v1/venues/\(demo.venue)/guidance?action=sleep"), 400, "badRequest",
                saying: "shift or reduce")
        }
    }
}
