import Foundation
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// The command line as scripts use it: what it prints and how it ends.
    @Suite struct CommandTests {
        static let commands = [
            "run", "demo", "check", "drivers", "profiles", "probe", "read", "record", "replay", "report", "venues",
            "guidance", "what-if", "plan", "rate", "import",
            "events", "outbox", "collect", "sources", "token", "backup",
        ]

        @Test(arguments: commands) func everySubcommandSaysHowItIsUsed(name: String) async throws {
            let outcome = try await HubProcess.offpeak(name, "--help")
            #expect(outcome.status == 0 && outcome.standardOutput.hasPrefix("usage: offpeak \(name)"), "\(outcome)")
            let overview = try await HubProcess.offpeak("help").standardOutput
            #expect(overview.contains("\n  \(name) "))
        }

        @Test(arguments: commands) func anUnknownOptionIsWrongUsage(name: String) async throws {
            let outcome = try await HubProcess.offpeak(name, "--no-such-option")
            #expect(outcome.status == 2 && outcome.standardOutput.isEmpty, "\(outcome)")
            #expect(
                outcome.standardError.hasPrefix("offpeak \(name): --no-such-option is not known here"), "\(outcome)")
        }

        @Test(
            arguments: [
                [], ["nosuch"], ["check"], ["check", "a", "b"], ["drivers", "x"], ["profiles", "--driver", "tv"],
                ["read"], ["probe"], ["probe", "http://192.0.2.7"], ["probe", "tcp://:502"], ["probe", "192.0.2.300"],
                ["probe", "192.0.2.7:0"], ["probe", "192.0.2.7", "--unit", "256"], ["record"], ["record", "car"],
                ["record", "car", "/nonexistent/file", "x"], ["replay"], ["replay", "/nonexistent"],
                ["replay", "/dev/null"], ["report"], ["report", "car", "--config", "/nonexistent"],
                ["guidance"], ["guidance", "Home", "--action", "sleep"], ["plan"], ["plan", "--problem"], ["rate"],
                ["import", "/dev/null"], ["import", "--source", "nosuch", "/dev/null"],
                ["import", "--source", "entsoe", "--time-zone", "Nowhere", "/dev/null"], ["events", "--format", "xml"],
                ["token"], ["token", "make"], ["backup"], ["demo", "--speed", "fast"],
                ["demo", "--start", "yesterday"],
                ["demo", "--mqtt", "broker"], ["demo", "--port", "70000"], ["run", "--log", "loud"], ["run", "x"],
                ["plan", "--problem", "/nonexistent"], ["rate", "--input", "/nonexistent"],
                ["import", "--source", "entsoe", "/nonexistent"],
            ] as [[String]])
        func wrongUsageEndsWithTwoAndAReason(arguments: [String]) async throws {
            let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
            guard !arguments.isEmpty else {
                #expect(outcome.status == 0 && outcome.standardOutput.hasPrefix("usage: offpeak SUBCOMMAND"))
                return
            }
            #expect(outcome.status == 2, "\(outcome)")
            #expect(!outcome.standardError.isEmpty && outcome.standardOutput.isEmpty, "\(outcome)")
        }

        @Test func anUnknownSourceIsAnsweredWithTheKnownNames() async throws {
            let outcome = try await HubProcess.offpeak("import", "--source", "nosuch", "/dev/null")
            #expect(outcome.standardError.contains("nosuch") && outcome.standardError.contains("entsoe"), "\(outcome)")
        }

        @Test func aPayloadThatIsNoneIsRefused() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("this is no payload", to: "payload")
            let outcome = try await HubProcess.offpeak("import", "--source", "energy-charts", file.path)
            #expect(outcome.status == 3 && outcome.standardError.hasPrefix("\(file.path): error: "), "\(outcome)")
        }

        @Test func driversAndProfilesAreListed() async throws {
            let drivers = try await HubProcess.offpeak("drivers", "--json")
            let names = JSONValue(text: drivers.standardOutput)?.array.compactMap { $0["name"].string } ?? []
            #expect(Set(names).isSuperset(of: ["ev", "hvac", "meter"]), "\(drivers)")
            for kind in ["ev", "hvac", "meter"] {
                let outcome = try await HubProcess.offpeak("profiles", "--driver", kind, "--json")
                let profiles = JSONValue(text: outcome.standardOutput)?.array ?? []
                #expect(profiles.count >= 2 && profiles.allSatisfy { $0["kind"].string == kind }, "\(outcome)")
                let table = try await HubProcess.offpeak("profiles", "--driver", kind)
                #expect(table.standardOutput.split(separator: "\n").count == profiles.count + 1)
            }
        }

        @Test func readShowsTheRawWordsBehindEachValue() async throws {
            let meter = try Inverter(watts: 1_234)
            let home = try Household(devices: [Household.meter("solar", meter.port)])
            let file = home.configuration.path
            let outcome = try await HubProcess.offpeak("read", "solar", "--config", file, "--json")
            #expect(outcome.status == 0, "\(outcome)")
            let points = JSONValue(text: outcome.standardOutput)?.array ?? []
            let power = try #require(points.first { $0["name"].string == "power_ac" })
            #expect(
                power["value"].string?.contains("1234") == true
                    && power["raw"].string?.lowercased().contains("04d2") == true, "\(power)")
            #expect(power["place"].string?.contains("30775") == true, "\(power)")
            #expect(try await HubProcess.offpeak("read", "nosuch", "--config", file).status == 2)
            meter.device.server.stop()
            let away = try await HubProcess.offpeak("read", "solar", "--config", file)
            #expect(away.status == 75 && !away.standardError.isEmpty, "\(away)")
            #expect(!FileManager.default.fileExists(atPath: home.data.path), "reading a device wrote something")
        }

        @Test func commandsThatAskAHubSayThatNoneAnswers() async throws {
            let url = ["OFFPEAK_URL": "http://127.0.0.1:\(try LoopbackPort.free())"]
            for arguments in [["venues"], ["guidance", "Home"], ["events"]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments, environment: url)
                #expect(outcome.status == 75 && outcome.standardError.contains("no hub answers at"), "\(outcome)")
            }
        }

        @Test(.timeLimit(.minutes(3))) func commandsAskTheRunningHub() async throws {
            let home = try Household()
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            #expect(try await source.post(source.batch(1), client).status == 202)
            let here = ["OFFPEAK_URL": "http://127.0.0.1:\(client.port)", "OFFPEAK_TOKEN": token]
            func ask(_ arguments: String...) async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(HubProcess.executable, arguments, environment: here)
            }
            let venues = JSONValue(text: try await ask("venues", "--json").standardOutput)
            #expect(venues?[0]["id"].string == source.venue)
            #expect(try await ask("venues").standardOutput.contains("Europe/Berlin"))
            let guidance = JSONValue(text: try await ask("guidance", "Home", "--json").standardOutput)
            #expect(guidance?["guidanceToken"].string == source.guidance)
            #expect(try await ask("guidance", source.venue, "--action", "reduce").status == 0)
            let nowhere = try await ask("guidance", "Nowhere")
            #expect(nowhere.status == 3 && nowhere.standardError.contains("the hub has Home"), "\(nowhere)")
            let asked = JSONValue(text: try await ask("events").standardOutput)?.array ?? []
            #expect(asked.compactMap { $0["id"].string } == source.ids(1))
            let stored = try await HubProcess.offpeak("events", "--data", home.data.path)
            #expect(JSONValue(text: stored.standardOutput)?.array == asked)
            let csv = try await ask("events", "--format", "csv").standardOutput.split(whereSeparator: \.isNewline)
            #expect(csv.count == 6 && csv[0].hasPrefix("timestamp,device,session,state"), "\(csv)")
            #expect(try await ask("events", "--device", "nosuch").standardOutput.filter { !$0.isWhitespace } == "[]")
            #expect(
                try await ask("events", "--limit", "2").standardOutput.components(separatedBy: "\"timestamp\"").count
                    == 3)
            #expect(
                try await ask("events", "--since", "2100-01-01T00:00:00Z").standardOutput.filter { !$0.isWhitespace }
                    == "[]")
            #expect(try await HubProcess.offpeak("events", "--data", home.folder.file("nosuch").path).status == 2)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func tokensAreMadeListedAndRevoked() async throws {
            let home = try Household()
            let file = home.configuration.path
            let token = try await home.token("viewer")
            let list = try await HubProcess.offpeak("token", "list", "--config", file)
            #expect(list.standardOutput.contains("viewer") && !list.standardOutput.contains(token), "\(list)")
            #expect(try await HubProcess.offpeak("token", "create", "--role", "king", "--config", file).status == 2)
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            #expect(try await client.get("/api/v1/session").json["role"].string == "viewer")
            #expect(try await HubProcess.offpeak("token", "revoke", "1", "--config", file).status == 0)
            #expect(try await client.get("/api/v1/session").status == 401)
            let again = try await HubProcess.offpeak("token", "revoke", "1", "--config", file)
            #expect(again.status == 3 && again.standardError.contains("no token 1"), "\(again)")
            #expect(try await HubProcess.offpeak("token", "revoke", "--config", file).status == 2)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func aBackupOfARunningHubIsAWholeStore() async throws {
            let home = try Household()
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            for index in 0..<3 { #expect(try await source.post(source.batch(index), client).status == 202) }
            let copy = home.folder.file("copy")
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            let file = copy.appendingPathComponent("offpeak.sqlite").path
            let backup = try await HubProcess.offpeak("backup", file, "--config", home.configuration.path)
            #expect(backup.status == 0, "\(backup)")
            let events = try await HubProcess.offpeak("events", "--data", copy.path)
            let asked = try await HubEvents.all(client)
            #expect(asked.count == 15 && JSONValue(text: events.standardOutput)?.array == asked)
            let refused = try await HubProcess.offpeak("backup", "/proc/nosuch/x", "--config", home.configuration.path)
            #expect(refused.status == 1 && !refused.standardError.isEmpty, "\(refused)")
            #expect(await hub.terminate().status == 0)
        }

        @Test func plansNeedNoHub() async throws {
            let folder = try TemporaryFolder()
            let slots = [0.3, 0.1, 0.2].enumerated().map { hour, price in
                """
                {"start":"2026-03-01T0\(hour):00:00Z","end":"2026-03-01T0\(hour + 1):00:00Z","importPrice":\(price)}
                """
            }
            let vehicle = """
                {"id":"car","arrival":"2026-03-01T00:00:00Z","departure":"2026-03-01T03:00:00Z","minEnergyKWh":15,
                "maxEnergyKWh":15,"powerRangesKW":[[0,10]],"efficiency":1}
                """
            let text = """
                {"id":"one","class":"A","timeZone":"UTC","slots":[\(slots.joined(separator: ","))],"vehicles":[\(vehicle)],
                "site":{"importLimitKW":null,"exportAllowed":false},"objective":{"kind":"cost"}}
                """
            let file = try folder.write(text, to: "problem.json")
            let outcome = try await HubProcess.offpeak("plan", "--problem", file.path, "--json")
            #expect(outcome.status == 0, "\(outcome)")
            let plan = try #require(JSONValue(text: outcome.standardOutput))
            // Ten in the hour at 0.10, and the five that are left in the one at 0.20.
            #expect(abs((plan["cost"].number ?? 0) - 2) < 1e-6, "\(plan)")
            let powers = plan["schedule"].array.map { $0["vehicles"]["car"].number ?? 0 }
            #expect(powers == [0, 10, 5], "\(plan)")
            let table = try await HubProcess.offpeak("plan", "--problem", file.path)
            #expect(table.status == 0 && table.standardOutput.contains("car 10.00 kW"), "\(table)")
            let battery = """
                {"capacityKWh":5,"initialKWh":0,"finalKWh":0,"maxChargeKW":5,"maxDischargeKW":5,"chargeEfficiency":1,
                "dischargeEfficiency":1}
                """
            let stored = try folder.write(
                """
                {"slots":[\(slots.joined(separator: ",").replacingOccurrences(of: "}", with: ",\"baseLoadKW\":2}"))],
                "battery":\(battery)}
                """, to: "battery.json")
            let shown = try await HubProcess.offpeak("plan", "--problem", stored.path)
            #expect(
                shown.status == 0 && shown.standardOutput.contains("+2.00") && shown.standardOutput.contains("−2.00"),
                "\(shown)")
            let broken = try folder.write("{}", to: "broken.json")
            let refused = try await HubProcess.offpeak("plan", "--problem", broken.path)
            #expect(refused.status == 2 && refused.standardError.hasPrefix("\(broken.path): error: "), "\(refused)")
        }

        @Test func ratesNeedNoHub() async throws {
            let folder = try TemporaryFolder()
            let input = try folder.write(
                """
                {"weights": {"price": 1, "carbon": 0},
                 "horizon": {"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T02:00:00Z"}, "price": [
                  {"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z", "value": 0.1},
                  {"start": "2026-03-01T01:00:00Z", "end": "2026-03-01T02:00:00Z", "value": 0.3}]}
                """, to: "input.json")
            let outcome = try await HubProcess.offpeak("rate", "--input", input.path, "--json")
            #expect(outcome.status == 0, "\(outcome)")
            let values = JSONValue(text: outcome.standardOutput)?["values"].array ?? []
            #expect((values.first?["rating"].number ?? 1) < (values.last?["rating"].number ?? 0), "\(outcome)")
            let broken = try folder.write("{\"horizon\": 3}", to: "broken.json")
            let refused = try await HubProcess.offpeak("rate", "--input", broken.path)
            #expect(refused.status == 2 && refused.standardError.hasPrefix("\(broken.path)"), "\(refused)")
        }
    }
}
