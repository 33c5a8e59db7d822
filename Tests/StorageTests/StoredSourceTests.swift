import Foundation
import HubKit
import Storage
import TestSupport
import Testing

@Suite struct StoredSourceTests {
    @Test func theMemoryMayChangeWithoutTheSeries() async throws {
        let folder = try TemporaryFolder()
        var store = try await HubStore(folder: folder.url, clock: ManualClock(), log: .silent)
        #expect(try await store.source(named: "spot") == nil)
        try await store.keep(source: "spot", state: "one", series: nil)
        #expect(try await store.source(named: "spot")?.series == nil)
        try await store.keep(source: "spot", state: "two", series: "series")
        try await store.keep(source: "spot", state: "three", series: nil)
        await store.close()
        store = try await HubStore(folder: folder.url, clock: ManualClock(), log: .silent)
        let stored = try #require(try await store.source(named: "spot"))
        #expect(stored.state == "three")
        #expect(stored.series == "series")
        await store.close()
    }

    @Test func sourcesThatAreConfiguredNoMoreAreForgotten() async throws {
        let folder = try TemporaryFolder()
        let store = try await HubStore(folder: folder.url, clock: ManualClock(), log: .silent)
        for name in ["a", "b", "c"] { try await store.keep(source: name, state: name, series: nil) }
        try await store.forgetSources(except: ["b", "d"])
        #expect(try await store.source(named: "a") == nil)
        #expect(try await store.source(named: "b")?.state == "b")
        #expect(try await store.source(named: "c") == nil)
        await store.close()
    }
}
