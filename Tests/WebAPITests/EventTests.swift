import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// Load events on their way in and out.
    @Suite struct EventTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        @Test func aBatchIsAcceptedOnceAndThenADuplicate() async throws {
            let source = try await LoadEventSource(demo.operator)
            let first = try await source.post(source.batch(1), demo.operator)
            #expect(first.status == 202 && first.json["accepted"].number == 5 && first.json["duplicates"].number == 0)
            let second = try await source.post(source.batch(1), demo.operator)
            #expect(
                second.status == 202 && second.json["accepted"].number == 0 && second.json["duplicates"].number == 5)
            let events = try await HubEvents.all(of: "load-1", demo.anyone)
            #expect(events.compactMap { $0["id"].string } == source.ids(1))
            let event = try #require(events.first)
            #expect(event["timestamp"].date != nil && event["deviceID"].string == "load-1")
            #expect(event["session"]["state"].string == "begin")
            let guidance = event["session"]["guidanceState"]
            #expect(guidance["wasFollowingGuidance"].bool == true)
            #expect(guidance["guidanceToken"].string == source.guidance)
            #expect(event["measurement"]["powerWatts"].number == 7000)
            let session = try await demo.anyone.get("/api/v1/sessions?device=load-1").json["sessions"][0]
            #expect(session["energyWattHours"].number == 400, "\(session)")
            #expect(try await source.post("[]", demo.operator).json["accepted"].number == 0)
        }

        struct Breach: Sendable, CustomTestStringConvertible {
            var rule: String
            var change: @Sendable (inout LoadEventText) -> Void
            var testDescription: String { rule }
        }

        static let breaches = [
            Breach(rule: "tokenNeverIssued") { $0.token = UUID().uuidString },
            Breach(rule: "stateOfCharge") { $0.stateOfCharge = 101 },
            Breach(rule: "energy") { $0.energyWattHours = -1 },
            Breach(rule: "power") { $0.powerWatts = -5 },
            Breach(rule: "stage") { $0.measurement = "{\"stage\":101}" },
            Breach(rule: "emptyDeviceID") { $0.deviceID = "" },
            Breach(rule: "deviceID") { $0.deviceID = String(repeating: "x", count: 129) },
            Breach(rule: "deviceOfTheHub") { $0.deviceID = "car" },
            Breach(rule: "deviceOfTheHub") { $0.deviceID = "grid" },
            Breach(rule: "inTheFuture") { $0.timestamp += 3600 },
            Breach(rule: "tooOld") { $0.timestamp -= 500 * 86_400 },
            Breach(rule: "malformed") { $0.measurement = "{}" },
            Breach(rule: "malformed") { $0.measurement = "{\"stage\":1,\"stateOfCharge\":2}" },
            Breach(rule: "malformed") { $0.id = "nonsense" },
            Breach(rule: "malformed") { $0.state = "paused" },
            Breach(rule: "malformed") { $0.token = "" },
        ]

        @Test(arguments: breaches) func aWrongEventRefusesTheWholeBatchByPlaceAndRule(breach: Breach) async throws {
            let source = try await LoadEventSource(demo.operator)
            let good = source.event()
            var wrong = source.event()
            breach.change(&wrong)
            let answer = try await source.post("[\(good.json),\(wrong.json)]", demo.operator)
            expectProblem(answer, 422, "invalidLoadEvent", saying: breach.rule)
            let detail = answer.json["detail"].string ?? ""
            #expect(detail.contains("event 1") && detail.ranges(of: "breaks the rule").count == 1, "\(answer.text)")
            for sign in ["Attempted", "Expected to", "Cannot init", "Dictionary", "String"] {
                #expect(!detail.contains(sign), "\(detail)")
            }
            let ids = try await HubEvents.all(of: good.deviceID, demo.anyone).compactMap { $0["id"].string }
            #expect(!ids.contains(good.id), "half a batch was kept")
        }

        @Test(arguments: ["beforeBegin", "afterEnd", "twoDirections", "sessionOfAnotherDevice", "idReused"])
        func eventsOfOneSessionAgree(rule: String) async throws {
            let source = try await LoadEventSource(demo.operator)
            var begin = source.event(secondsAgo: 900)
            begin.state = "begin"
            var next = source.event(secondsAgo: 600)
            next.session = begin.session
            switch rule {
            case "beforeBegin": next.timestamp = begin.timestamp.addingTimeInterval(-60)
            case "twoDirections": next.direction = "exported"
            case "sessionOfAnotherDevice": next.deviceID = "another-car"
            case "idReused": next.id = begin.id
            default: begin.state = "end"
            }
            let answer = try await source.post("[\(begin.json),\(next.json)]", demo.operator)
            expectProblem(answer, 422, "invalidLoadEvent", saying: rule)
        }

        @Test(arguments: ["", "nonsense", "[{]", "[1,"]) func whatIsNoJSONIsABadRequest(body: String) async throws {
            let source = try await LoadEventSource(demo.operator)
            expectProblem(try await source.post(body, demo.operator), 400, "badRequest", saying: "not JSON")
        }

        @Test(arguments: ["{}", "3", "null", "[1]", "[null]", "[{}]"]) func whatIsNoEventIsInvalid(body: String)
            async throws
        {
            let source = try await LoadEventSource(demo.operator)
            let answer = try await source.post(body, demo.operator)
            expectProblem(answer, 422, "invalidLoadEvent", saying: "malformed")
            #expect(answer.text.ranges(of: "breaks the rule").count == 1, "\(answer.text)")
            for sign in ["Expected to", "Dictionary", "Array<"] {
                #expect(!answer.text.contains(sign), "\(answer.text)")
            }
        }

        @Test func aBodyThatIsTooLongIsRefused() async throws {
            let source = try await LoadEventSource(demo.operator)
            let answer = try await source.post(String(repeating: " ", count: 2 << 20), demo.operator)
            expectProblem(answer, 413, "bodyTooLarge", saying: "1048576 bytes")
            #expect(try await demo.anyone.get("/readyz").status == 200)
        }

        @Test func eventsForAnUnknownVenueAreRefused() async throws {
            let answer = try await demo.operator.send("POST", "/api/v1/venues/\(UUID().uuidString)/events", body: "[]")
            expectProblem(answer, 404, "venueUnavailable")
        }

        @Test func pagesFollowEachOtherWithoutGapOrRepeat() async throws {
            let source = try await LoadEventSource(demo.operator)
            for index in 10..<13 { #expect(try await source.post(source.batch(index), demo.operator).status == 202) }
            for (device, limit) in [("load-10", 2), ("load-11", 5), ("load-12", 1)] {
                let paged = try await HubEvents.all(of: device, demo.anyone, limit: limit)
                #expect(paged.compactMap { $0["id"].string } == source.ids(Int(device.dropFirst(5)) ?? 0))
            }
            // The order of acceptance holds over all devices, whatever the size of a page.
            let ours = { (events: [JSONValue]) in
                events.filter { $0["deviceID"].string?.hasPrefix("load-1") == true }.compactMap { $0["id"].string }
            }
            let small = ours(try await HubEvents.all(demo.anyone, limit: 3))
            #expect(small == ours(try await HubEvents.all(demo.anyone, limit: 1000)) && small.count >= 15)
        }

        @Test func eventsSinceATimeAndAsATable() async throws {
            let source = try await LoadEventSource(demo.operator)
            #expect(try await source.post(source.batch(20), demo.operator).status == 202)
            let since = source.now.addingTimeInterval(-1800 + 90).formatted(.iso8601)
            let late = try await demo.anyone.get("/api/v1/events?device=load-20&since=\(since)").json["events"].array
            #expect(late.compactMap { $0["id"].string } == Array(source.ids(20).dropFirst(2)))
            let offset = since.replacingOccurrences(of: "Z", with: "%2B00:00")
            let same = try await demo.anyone.get("/api/v1/events?device=load-20&since=\(offset)").json["events"].array
            #expect(same == late)
            let table = try await demo.anyone.get("/api/v1/events?device=load-20&format=csv")
            #expect(table.contentType == "text/csv")
            let rows = table.text.components(separatedBy: "\r\n")
            #expect(rows.count == 7 && rows.last == "", "\(rows)")
            #expect(rows[0].split(separator: ",").first == "timestamp" && rows[0].hasSuffix(",id"))
            #expect(rows[1...5].map { $0.components(separatedBy: ",").last ?? "" } == source.ids(20))
        }

        @Test(arguments: ["json", "csv"]) func aPageSaysWhereTheNextOneIs(format: String) async throws {
            let source = try await LoadEventSource(demo.operator)
            let index = format == "json" ? 21 : 22
            #expect(try await source.post(source.batch(index), demo.operator).status == 202)
            var next: String? = "/api/v1/events?device=load%2D\(index)&limit=2&format=\(format)"
            var ids: [String] = []
            var pages = 0
            while let path = next {
                let answer = try await demo.anyone.get(path)
                #expect(answer.status == 200, "\(answer)")
                ids +=
                    format == "json"
                    ? answer.json["events"].array.compactMap { $0["id"].string }
                    : answer.text.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty }
                        .compactMap { $0.components(separatedBy: ",").last }
                let link = answer.headers["link"]
                #expect((answer.json["after"] == .null) == (link == nil) || format == "csv", "\(answer)")
                next = link.flatMap { $0.wholeMatch(of: #/<(/api/v1/events\?[^>]+)>; rel="next"/#) }.map {
                    String($0.output.1)
                }
                #expect((next == nil) == (link == nil), "\(link ?? "")")
                pages += 1
            }
            #expect(ids == source.ids(index) && pages == 3, "\(ids)")
        }

        @Test func everyTimeOfATableHasOneFormat() async throws {
            let source = try await LoadEventSource(demo.operator)
            var events = [source.event(), source.event(), source.event()]
            for (index, text) in ["", ".5", ".123456"].enumerated() {
                events[index].deviceID = "times"
                events[index].fraction = text
            }
            let body = "[\(events.map(\.json).joined(separator: ","))]"
            #expect(try await source.post(body, demo.operator).status == 202)
            let table = try await demo.anyone.get("/api/v1/events?device=times&format=csv").text
            let times = table.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty }.map {
                $0.prefix { $0 != "," }
            }
            #expect(times.map { $0.suffix(5) } == [".000Z".suffix(5), ".500Z", ".123Z"], "\(times)")
            #expect(
                times.allSatisfy { $0.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil }, "\(times)")
        }

        @Test(
            arguments: [
                (#""deviceID":"#, #""devicID":"#, "did you mean 'deviceID'?"),
                (#""powerWatts":"#, #""powerWats":1,"powerWatts":"#, "did you mean 'powerWatts'?"),
                (#""state":"#, #""stat":1,"state":"#, "did you mean 'state'?"),
                (#""session":"#, #""sessionId":1,"session":"#, "unknown key 'sessionId'"),
                (#""powerWatts":7000.0"#, #""powerWatts":"NaN""#, "powerWatts"),
                (#""powerWatts":7000.0"#, #""powerWatts":1e308"#, ""),
            ]) func aKeyOrValueThatIsNoneIsNamed(part: String, by wrong: String, word: String) async throws
        {
            let source = try await LoadEventSource(demo.operator)
            let good = source.event()
            let text = source.event().json.replacingOccurrences(of: part, with: wrong)
            let answer = try await source.post("[\(good.json),\(text)]", demo.operator)
            if word.isEmpty {
                #expect([202, 422].contains(answer.status), "\(answer.text)")
            } else if part.contains("deviceID") {
                expectProblem(answer, 422, "invalidLoadEvent", saying: "event 1")
            } else {
                expectProblem(answer, 422, "invalidLoadEvent", saying: word)
                #expect(answer.text.contains("event 1") && answer.text.contains("malformed"), "\(answer.text)")
            }
        }

        @Test(
            arguments: [
                ("[1e999]", "too large"), ("[{\"id\":1,\"id\":2}]", "'id' stands twice"), ("[NaN]", "NaN"),
                (String(repeating: "[", count: 100_000), "32 deep"), ("\u{FEFF}[]", "byte order mark"),
                ("[\"\u{1}\"]", "control character"),
            ]) func aBodyThatOnlyLooksLikeJSONIsABadRequest(body: String, word: String) async throws
        {
            let source = try await LoadEventSource(demo.operator)
            expectProblem(try await source.post(body, demo.operator), 400, "badRequest", saying: word)
        }

        @Test func aDevicesNameCannotRunInASpreadsheet() async throws {
            let source = try await LoadEventSource(demo.operator)
            var event = source.event()
            event.deviceID = "=1+1,x"
            #expect(try await source.post("[\(event.json)]", demo.operator).status == 202)
            let table = try await demo.anyone.get("/api/v1/events?device=%3D1%2B1%2Cx&format=csv").text
            #expect(table.contains(",\"'=1+1,x\","), "\(table)")
        }
    }
}
