import Foundation
import TestSupport
import Testing

extension HubTests {
    /// What is wrong with the place the hub runs in: ports, disks, folders, the database.
    @Suite struct PlaceTroubleTests {
        @Test(.timeLimit(.minutes(3))) func aPortInUseIsSaidAndServedOnceItIsFree() async throws {
            let squatter = try BabblingServer.Holder()
            let meter = try Inverter(watts: 900)
            let home = try Household(devices: [Household.meter("meter", meter.port)], port: squatter.port)
            let hub = try HubProcess.launch(["run", "--config", home.configuration.path])
            let line = try await hub.said("trying again")
            #expect(line.contains("error:") && line.contains(String(squatter.port)), "\(line)")
            // The rest runs meanwhile: the device answers.
            try await hub.said("device.meter: answers")
            squatter.release()
            try await hub.untilReady()
            let client = try await hub.client()
            #expect(client.port == squatter.port)
            #expect(try await client.get("/api/v1/devices/meter").json["reading"]["powerWatts"].number == 900)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func aSecondHubOnTheSameFolderIsRefused() async throws {
            let home = try Household()
            let hub = try await home.run()
            let second = try await HubProcess.offpeak("run", "--config", home.configuration.path)
            #expect(second.status == 75)
            #expect(second.standardError.contains("another hub is using"))
            #expect(try await hub.client().get("/readyz").status == 200)
            await hub.kill()
            // The lock of a hub that was killed holds nobody up.
            try await hub.restart()
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func aMalformedDatabaseIsSetAsideVisibly() async throws {
            let home = try Household()
            try FileManager.default.createDirectory(at: home.data, withIntermediateDirectories: true)
            let garbage = String(repeating: "this is no database\n", count: 1000)
            try home.folder.write(garbage, to: "data/offpeak.sqlite")
            let hub = try await home.run()
            try await hub.said("the database was malformed")
            let aside = try FileManager.default.contentsOfDirectory(atPath: home.data.path).first {
                $0.hasPrefix("offpeak.sqlite.broken-")
            }
            let kept = try String(contentsOf: home.data.appendingPathComponent(try #require(aside)), encoding: .utf8)
            #expect(kept == garbage)
            #expect(try await hub.client().get("/api/v1/venues").json.array.count == 1)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.timeLimit(.minutes(3))) func theNewestGoodBackupTakesTheMalformedDatabasesPlace() async throws {
            let home = try Household()
            let token = try await home.token()
            let first = try await home.run()
            let venue = try await first.client().get("/api/v1/venues").json[0]["id"]
            try FileManager.default.createDirectory(
                at: home.data.appendingPathComponent("backups"), withIntermediateDirectories: true)
            let backup = home.data.appendingPathComponent("backups/offpeak-1700000000.sqlite").path
            let copied = try await HubProcess.offpeak("backup", backup, "--config", home.configuration.path)
            #expect(copied.status == 0, "\(copied)")
            #expect(await first.terminate().status == 0)
            try home.folder.write("not a database any more", to: "data/offpeak.sqlite")
            let second = try await home.run()
            try await second.said("took its place")
            let client = try await second.client().with(token: token)
            #expect(try await client.get("/api/v1/venues").json[0]["id"] == venue)
            #expect(try await client.get("/api/v1/session").json["role"].string == "operator")
            #expect(await second.terminate().status == 0)
        }

        @Test(.enabled(if: MountedFolder.isPossible), .timeLimit(.minutes(3)), arguments: [false, true])
        func aDiskThatIsFullAtTheStartIsCalledThat(isFirst: Bool) async throws {
            let disk = try MountedFolder(options: "size=1m")
            let home = try Household(data: disk.folder.file("data").path)
            if !isFirst { _ = try await home.token() }
            try Self.fill(disk)
            for command in [["run"], ["token", "list"]] {
                let outcome = try await ChildProcess.run(
                    HubProcess.executable, command + ["--config", home.configuration.path])
                #expect(outcome.status == 1 && outcome.standardError.contains("full"), "\(command): \(outcome)")
            }
        }

        @Test(.enabled(if: MountedFolder.isPossible), .timeLimit(.minutes(3)))
        func aFullDiskIsSaidAndTheRestRunsOn() async throws {
            let disk = try MountedFolder(options: "size=1m")
            let meter = try Inverter(watts: 900)
            let home = try Household(
                devices: [Household.meter("meter", meter.port)], data: disk.folder.file("data").path)
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            try Self.fill(disk)
            let refused = await eventually(every: .milliseconds(1)) { () -> HTTPClient.Answer? in
                let answer = try await source.post(source.batch(Int.random(in: 0..<1_000_000)), client)
                guard answer.status != 202 else { return nil }
                return try await client.get("/readyz").status == 503 ? answer : nil
            }
            let answer = try #require(refused)
            #expect(answer.status == 503 && answer.json["code"].string == "serviceUnavailable", "\(answer)")
            #expect(answer.json["detail"].string?.contains("full") == true, "\(answer.text)")
            #expect(answer.headers["retry-after"] != nil)
            try await Self.expectTrouble(client, saying: "full")
            meter.set(watts: 950)
            #expect(
                await eventually {
                    try await client.get("/api/v1/devices/meter").json["reading"]["powerWatts"].number == 950
                })
            let before = try await HubEvents.all(client).count
            try FileManager.default.removeItem(at: disk.folder.file("filler"))
            #expect(await eventually { try await source.post(source.batch(2_000_000), client).status == 202 })
            #expect(try await HubEvents.all(client).count == before + LoadEventSource.batchSize)
            try await Self.expectNoTrouble(client)
            let told = await hub.output.filter { $0.contains("store") }
            // Each change once; on a disk that is nearly full there may be more than one.
            let troubles = told.filter { $0.contains("the store can't be written") }.count
            #expect((1...3).contains(troubles), "\(told)")
            #expect(told.filter { $0.contains("can be written again") }.count == troubles, "\(told)")
            #expect(!told.contains { $0.contains("INSERT") || $0.contains("SQLiteError") }, "\(told)")
            #expect(await hub.terminate().status == 0)
        }

        @Test(.enabled(if: MountedFolder.isPossible), .timeLimit(.minutes(3)))
        func aFullDiskAndAKillLoseNothingThatWasAcknowledged() async throws {
            let disk = try MountedFolder(options: "size=1m")
            let home = try Household(data: disk.folder.file("data").path)
            let token = try await home.token()
            let hub = try await home.run()
            var acknowledged: [Int] = []
            var refused: [Int] = []
            for round in 0..<3 {
                let client = try await hub.client().with(token: token)
                let source = try await LoadEventSource(client)
                var index = round * 10_000
                while refused.count <= round {
                    let answer = try await source.post(source.batch(index), client)
                    if answer.status == 202 { acknowledged.append(index) } else { refused.append(index) }
                    if index % 10_000 == 5 { try Self.fill(disk) }
                    index += 1
                }
                await hub.kill()
                try FileManager.default.removeItem(at: disk.folder.file("filler"))
                try await hub.restart()
            }
            let client = try await hub.client().with(token: token)
            let ids = try await HubEvents.all(client).compactMap { $0["id"].string }
            let source = try await LoadEventSource(client)
            #expect(Set(ids).count == ids.count && acknowledged.count >= 15)
            for index in acknowledged { #expect(Set(ids).isSuperset(of: source.ids(index)), "batch \(index)") }
            for index in refused { #expect(Set(ids).isDisjoint(with: source.ids(index)), "batch \(index)") }
            #expect(await hub.terminate().status == 0)
        }

        private static func limitFiles(of hub: HubProcess, to size: String) async throws {
            let pid = String(await hub.child.processID)
            let outcome = try await ChildProcess.run("prlimit", ["--pid", pid, "--fsize=\(size):"])
            #expect(outcome.status == 0, "\(outcome)")
        }

        /// The hub says everywhere that its store can't be written.
        private static func expectTrouble(_ client: HTTPClient, saying word: String) async throws {
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503 && ready.text.contains(word), "\(ready.text)")
            #expect(try await client.get("/healthz").status == 200)
            #expect(try await client.get("/metrics").text.contains("offpeak_store_writable 0"))
            let health = try await client.get("/api/v1/health").json
            #expect(health["state"].string == "degraded", "\(health)")
            #expect(health["store"]["reason"].string?.contains(word) == true, "\(health)")
            #expect(health["store"]["failingSince"].string != nil, "\(health)")
        }

        /// And no longer once it can, without a restart.
        private static func expectNoTrouble(_ client: HTTPClient) async throws {
            #expect(await eventually { try await client.get("/readyz").status == 200 })
            #expect(try await client.get("/metrics").text.contains("offpeak_store_writable 1"))
            let health = try await client.get("/api/v1/health").json
            #expect(health["state"].string == "ok" && health["store"]["reason"].string == nil, "\(health)")
        }

        private static func fill(_ disk: MountedFolder) throws {
            let file = disk.folder.file("filler")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            defer { try? handle.close() }
            for size in [4096, 64] {
                while (try? handle.write(contentsOf: Data(count: size))) != nil {}
            }
        }

        @Test(.timeLimit(.minutes(3))) func aFileThatMayNotGrowIsSaidAndTheRestRunsOn() async throws {
            let meter = try Inverter(watts: 900)
            let home = try Household(devices: [Household.meter("meter", meter.port)])
            let token = try await home.token()
            let hub = try await HubProcess.start(
                ["run", "--config", home.configuration.path], limits: "ulimit -S -f 1000")
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            var answer: HTTPClient.Answer?
            for index in 0..<2_000 where answer == nil {
                let next = try await source.post(source.batch(index), client)
                if next.status != 202 { answer = next }
            }
            #expect(answer?.status == 503 && answer?.json["code"].string == "serviceUnavailable", "\(answer as Any)")
            // From here on nothing can be written at all.
            try await Self.limitFiles(of: hub, to: "1")
            _ = await eventually { try await source.post(source.batch(3_000_000), client).status == 503 }
            try await Self.expectTrouble(client, saying: "check the disk")
            meter.set(watts: 950)
            #expect(
                await eventually {
                    try await client.get("/api/v1/devices/meter").json["reading"]["powerWatts"].number == 950
                })
            try await Self.limitFiles(of: hub, to: "unlimited")
            try await Self.expectNoTrouble(client)
            #expect(try await source.post(source.batch(2_000_000), client).status == 202)
            #expect(await hub.terminate().status == 0)
        }

        @Test(.enabled(if: MountedFolder.isPossible), .timeLimit(.minutes(3)))
        func aDataFolderThatCannotBeWrittenStopsTheStartWithAReason() async throws {
            let disk = try MountedFolder(options: "size=1m")
            let folder = disk.folder.file("data")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try disk.makeReadOnly()
            let home = try Household(data: folder.path)
            let outcome = try await HubProcess.offpeak("run", "--config", home.configuration.path)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.standardError.contains(folder.path) && outcome.standardError.contains("data:"))
            #expect(outcome.standardError.lowercased().contains("read-only"), "\(outcome.standardError)")
        }

        @Test(.timeLimit(.minutes(3))) func aDataFolderThatCannotBeMadeStopsTheStartWithAReason() async throws {
            let home = try Household(data: "/proc/offpeak/data")
            let outcome = try await HubProcess.offpeak("run", "--config", home.configuration.path)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.standardError.contains("/proc/offpeak/data"), "\(outcome.standardError)")
        }
    }
}
