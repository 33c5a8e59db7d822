import Foundation
import TestSupport
import Testing

extension HubTests {
    /// A hub's data folder, or a copy of it, on a disk that can't be written: what only reads works there all the same.
    @Suite(.enabled(if: MountedFolder.isPossible, "this machine lets the tests mount nothing"))
    struct ReadOnlyCopyTests {
        /// How the hub that wrote the folder ended: a killed one leaves its journal.
        enum End: CaseIterable, Sendable {
            case orderly, killed
        }

        @Test(.timeLimit(.minutes(2)), arguments: End.allCases)
        func eventsTokensAndBackupsAreReadFromIt(end: End) async throws {
            let place = try MountedFolder(options: "size=16m")
            let home = try Household(data: place.folder.file("data").path)
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            #expect(try await source.post(source.batch(1), client).status == 202)
            switch end {
            case .orderly: #expect(await hub.terminate().status == 0)
            case .killed: await hub.kill()
            }
            try place.makeReadOnly()

            let data = place.folder.file("data")
            let events = try await HubProcess.offpeak("events", "--data", data.path)
            #expect(events.status == 0, "\(events)")
            let ids = JSONValue(text: events.standardOutput)?.array.compactMap { $0["id"].string }
            #expect(Set(ids ?? []) == Set(source.ids(1)))
            let tokens = try await HubProcess.offpeak("token", "list", "--config", home.configuration.path)
            #expect(tokens.status == 0 && tokens.standardOutput.contains("operator"), "\(tokens)")
            let copy = home.folder.file("copy.sqlite")
            let backup = try await HubProcess.offpeak("backup", copy.path, "--config", home.configuration.path)
            #expect(backup.status == 0, "\(backup)")
            #expect(FileManager.default.fileExists(atPath: copy.path))
            let change = try await HubProcess.offpeak("token", "create", "--config", home.configuration.path)
            #expect(change.status != 0 && change.standardError.contains(data.path), "\(change)")
        }

        @Test(.timeLimit(.minutes(1))) func aFolderWithoutADatabaseStaysAsItIs() async throws {
            let home = try Household()
            let list = try await HubProcess.offpeak("token", "list", "--json", "--config", home.configuration.path)
            #expect(list.status == 0 && list.standardOutput.filter { !$0.isWhitespace } == "[]", "\(list)")
            let copy = home.folder.file("copy.sqlite").path
            let backup = try await HubProcess.offpeak("backup", copy, "--config", home.configuration.path)
            #expect(backup.status != 0 && backup.standardError.contains("no database"), "\(backup)")
            #expect(!FileManager.default.fileExists(atPath: copy))
            #expect(!FileManager.default.fileExists(atPath: home.data.path))
        }

        @Test(.timeLimit(.minutes(1))) func noSecondDatabaseIsMadeBesideAHubThatHasLostItsOwn() async throws {
            let home = try Household()
            let hub = try await home.run()
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(at: home.data.appendingPathComponent("offpeak.sqlite\(suffix)"))
            }
            let outcome = try await HubProcess.offpeak("token", "create", "--config", home.configuration.path)
            #expect(outcome.status != 0 && outcome.standardError.contains("is missing"), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: home.data.appendingPathComponent("offpeak.sqlite").path))
            _ = await hub.terminate()
        }
    }
}
