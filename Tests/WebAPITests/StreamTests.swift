import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// Streams of server-sent events.
    @Suite(.timeLimit(.minutes(3))) struct StreamTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        @Test func theStreamBeginsWithTheClockAndTellsEverything() async throws {
            let source = try await LoadEventSource(demo.operator)
            var seen: [String] = []
            var missing: Set = ["reading", "plan", "guidance", "event"]
            for try await event in demo.anyone.events("/api/v1/stream") {
                if seen.isEmpty {
                    #expect(event.name == "clock" && event.json["now"].date != nil && event.json["speed"].number == 30)
                }
                seen.append(event.name)
                check(event, source)
                missing.remove(event.name)
                if missing == ["event"] {
                    // Everything that is said at once was said; now something happens.
                    missing = ["batch"]
                    #expect(try await source.post(source.batch(30), demo.operator).status == 202)
                }
                if event.name == "event", event.json["deviceID"].string == "load-30" { missing = [] }
                if missing.isEmpty { break }
            }
            #expect(missing.isEmpty, "\(missing) did not come; \(seen)")
            #expect(
                Set(seen).isSubset(of: ["hub", "clock", "reading", "health", "guidance", "plan", "event", "venue"]),
                "\(seen)")
        }

        private func check(_ event: StreamEvent, _ source: LoadEventSource) {
            switch event.name {
            case "reading": #expect(event.json["id"].string != nil && event.json["health"]["state"].string != nil)
            case "plan": #expect(event.json["venueID"].string == source.venue)
            case "guidance": #expect(event.json["guidanceToken"].string != nil && event.json["action"].string != nil)
            case "event": #expect(event.json["session"]["id"].string != nil && event.json["timestamp"].date != nil)
            default: break
            }
        }

        @Test func readingsComeAgainAndAgain() async throws {
            var times: Set<Date> = []
            for try await event in demo.anyone.events("/api/v1/stream") where event.name == "reading" {
                if event.json["id"].string == "grid", let at = event.json["reading"]["at"].date { times.insert(at) }
                if times.count == 4 { break }
            }
            #expect(times.count == 4)
        }

        @Test func aModeThatChangesIsOnTheStream() async throws {
            var isAsked = false
            var modes: [String] = []
            for try await event in demo.anyone.events("/api/v1/stream") where event.name == "reading" {
                guard event.json["id"].string == "heating" else { continue }
                modes.append(event.json["mode"].string ?? "")
                if modes.last == "off" { break }
                if !isAsked {
                    isAsked = true
                    let answer = try await demo.operator.send(
                        "PUT", "/api/v1/devices/heating/mode", body: "{\"mode\":\"off\"}")
                    #expect(answer.status == 200)
                }
            }
            #expect(modes.last == "off")
            _ = try await demo.operator.send("PUT", "/api/v1/devices/heating/mode", body: "{\"mode\":\"guided\"}")
        }

        @Test(arguments: ["shift", "reduce"]) func guidanceIsAStreamWhereOneIsAskedFor(action: String) async throws {
            let path = "/api/v1/venues/\(demo.venue)/guidance?action=\(action)&device=stream-test"
            var first: StreamEvent?
            for try await event in demo.anyone.events(path) {
                first = event
                break
            }
            let event = try #require(first)
            #expect(event.name == "guidance" && event.json["action"].string == action)
            #expect(event.json["guidanceToken"].string == event.id)
            // The same guidance is served to who asks once.
            #expect(try await demo.anyone.get(path).json["guidanceToken"].string == event.id)
        }

        @Test func manyReadersLeaveTheHubItsBreath() async throws {
            let demo = demo
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        for try await event in demo.anyone.events("/api/v1/stream") where event.name == "guidance" {
                            return
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await demo.anyone.get("/readyz").status == 200)
        }

        @Test func streamsNeverTakeThePlaceOfOtherRequests() async throws {
            var streams: [SilentReader] = []
            var statuses: [Int] = []
            // Readers that read nothing, from three addresses of this machine.
            for number in 0..<300 {
                let reader = try SilentReader(port: demo.anyone.port, from: UInt8(2 + number % 3))
                statuses.append(try reader.ask("/api/v1/stream"))
                streams.append(reader)
            }
            // Readers of the tests before may not be gone yet.
            #expect((240...256).contains(statuses.count { $0 == 200 }), "\(statuses)")
            #expect(statuses.allSatisfy { [200, 503].contains($0) } && statuses.last == 503, "\(statuses)")
            let refused = try await demo.anyone.get("/api/v1/stream")
            expectProblem(refused, 503, "serviceUnavailable", saying: "try again later")
            #expect(refused.headers["retry-after"] != nil)
            for path in ["/healthz", "/readyz", "/metrics", "/api/v1/devices", "/"] {
                #expect(try await demo.anyone.get(path).status == 200, "\(path)")
            }
            let change = try await demo.operator.send(
                "PUT", "/api/v1/devices/heating/mode", body: "{\"mode\":\"guided\"}")
            #expect(change.status == 200)
            streams = []
            let demo = demo
            let isFree = await eventually {
                for try await _ in demo.anyone.events("/api/v1/stream") { return true }
                return false
            }
            #expect(isFree)
        }

        @Test func oneAddressHasABoundOfItsOwn() async throws {
            let demo = demo
            // Readers of the tests before may not be gone yet.
            let isBounded = await eventually {
                let streams = try (0..<129).map { _ in try SilentReader(port: demo.anyone.port, from: 9) }
                let statuses = try streams.map { try $0.ask("/api/v1/stream") }
                guard statuses.dropLast().allSatisfy({ $0 == 200 }), statuses.last == 503 else { return false }
                for try await event in demo.anyone.events("/api/v1/stream") { return event.name == "clock" }
                return false
            }
            #expect(isBounded)
        }
    }
}
