import Foundation
import HubKit
import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite("Whether the store can be written")
struct StoreHealthTests {
    /// What keeps a file from being written, made by SQLite's own means.
    enum Trouble: CaseIterable, Sendable {
        case full, readOnly

        var begin: String { self == .full ? "PRAGMA max_page_count = 1" : "PRAGMA query_only = 1" }
        var end: String { self == .full ? "PRAGMA max_page_count = 1000000" : "PRAGMA query_only = 0" }
        var word: String { self == .full ? "full" : "readonly" }
        var remedy: String { self == .full ? "free space" : "let this user write" }
    }

    private func run(_ pragma: String, _ store: HubStore) async throws {
        _ = try await store.database.read { connection in try connection.query(pragma, []) { _ in 0 } }
    }

    private func fail(_ store: HubStore, times: Int) async throws {
        var failures = 0
        for _ in 0..<2_000 where failures < times {
            do {
                _ = try await store.append(EventBatch(venueID: UUID(), events: (0..<20).map { _ in row() }), sinks: [])
            } catch let error as HubError {
                #expect(error.code == .storage && !error.message.contains("INSERT"), "\(error.message)")
                failures += 1
            }
        }
        #expect(failures == times)
    }

    @Test(arguments: Trouble.allCases)
    func aFaultIsToldOnceAndPassesByItself(trouble: Trouble) async throws {
        let folder = try TemporaryFolder()
        let log = CollectingLog()
        let store = try await HubStore(folder: folder.url, clock: StandingClock(), log: log.log)
        _ = try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        #expect(await store.currentHealth() == StoreHealth())
        try await run(trouble.begin, store)
        try await fail(store, times: 30)
        let health = await store.currentHealth()
        #expect(!health.isWritable && health.failingSince == noon && health.failures == 30)
        #expect(health.reason?.contains(trouble.word) == true && health.reason?.contains(trouble.remedy) == true)
        await store.tryToRecover()
        #expect(!store.health.isWritable)
        #expect(log.texts(from: .warning).count == 1, "\(log.texts())")

        try await run(trouble.end, store)
        await store.tryToRecover()
        #expect(await store.currentHealth().isWritable)
        #expect(store.health.failuresSinceStart >= 30)
        #expect(log.texts().count == 2 && log.texts().last?.hasPrefix("the store can be written again") == true)
        _ = try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        // It was told, so a new fault is told again.
        try await run(trouble.begin, store)
        try await fail(store, times: 1)
        #expect(log.texts(from: .warning).count == 2)
    }

    @Test func aStoreThatNobodyWritesIsTestedWhenAsked() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        try await run(Trouble.readOnly.begin, store)
        // Migrations are no writes of the hub's; nothing was tried yet.
        #expect(await !store.currentHealth().isWritable)
    }

    @Test func aSmallWriteThatFindsRoomDoesNotEndAFault() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        try await run(Trouble.full.begin, store)
        try await fail(store, times: 1)
        try? await store.keep(setting: "1", key: "mode", device: "car")
        #expect(!store.health.isWritable)
    }

    @Test func aMistakeInAStatementSaysNothingOfTheFile() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        await #expect(throws: HubError.self) {
            try await store.write { try $0.execute("INSERT INTO nowhere VALUES (1)") }
        }
        #expect(await store.currentHealth().isWritable)
    }
}
