import EnergyKit
import Foundation
import HubKit
import SQLite
import Testing

@testable import LoadEvents
@testable import Storage

@Suite("Many submissions at once")
struct GroupCommitTests {
    @Test(
        "each stands or falls by itself, whichever share a transaction, and all that is accepted is on disk"
    )
    func together() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<300 {
                let isWrong = number % 3 == 0
                var events = house.session(from: Double(number), device: "car-\(number)")
                if isWrong {
                    events.append(
                        carEvent(.active, 9_000, session: UUID(), token: UUID(), device: "stranger"))
                }
                group.addTask {
                    do {
                        let receipt = try await submitter.submit(events, at: house.venue.id, from: nil)
                        return (number, receipt.accepted == 3)
                    } catch {
                        return (number, false)
                    }
                }
            }
            var outcomes: [Int: Bool] = [:]
            for await (number, isAccepted) in group { outcomes[number] = isAccepted }
            return outcomes
        }
        #expect(
            outcomes.filter { $0.value }.keys.allSatisfy { $0 % 3 != 0 }
                && outcomes.values.count { $0 } == 200)
        let stored = try await house.stored()
        #expect(stored.count == 600 && Set(stored.map(\.id)).count == 600)
        #expect(!stored.contains { $0.deviceID == "stranger" })
        // The events of one submission are side by side.
        for first in stride(from: 0, to: stored.count, by: 3) {
            #expect(Set(stored[first..<first + 3].map(\.deviceID)).count == 1)
        }
    }

    @Test("of the same event from many at once one is new; of two that clash one is refused")
    func clashes() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let events = house.session()
        let accepted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    (try? await submitter.submit(events, at: house.venue.id, from: nil).accepted) ?? -1_000
                }
            }
            return await group.reduce(0, +)
        }
        #expect(accepted == 3)

        // A session has one end, even where two come in one transaction.
        let open = UUID()
        let begin = carEvent(.begin, 0, session: open, token: house.token, device: "other")
        _ = try await submitter.submit([begin], at: house.venue.id, from: nil)
        let ends = await withTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                let end = carEvent(
                    .end, 600 + Double(number), session: open, token: house.token, wattHours: 10,
                    device: "other")
                group.addTask {
                    (try? await submitter.submit([end], at: house.venue.id, from: nil).accepted) ?? 0
                }
            }
            return await group.reduce(0, +)
        }
        #expect(ends == 1)
        #expect(try await house.stored().count { $0.sessionID == open } == 2)
    }

    @Test("what the judge remembers of a session holds for the hub's own events and after a refusal")
    func memory() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let id = UUID()
        let events = house.session(id)
        _ = try await submitter.submit([events[0]], at: house.venue.id, from: nil)
        // The recorder ends the session behind the judge's back.
        try await submitter.record([events[2]], at: house.venue.id, device: "car", recorder: nil)
        let late = carEvent(.active, 2_000, session: id, token: house.token, watts: 1, wattHours: 4_000)
        await #expect(throws: EnergyKitFailure.self) {
            try await submitter.submit([late], at: house.venue.id, from: nil)
        }
        // A batch whose second event breaks a rule leaves no trace of its first.
        let other = UUID()
        let begin = carEvent(.begin, 0, session: other, token: house.token, device: "other")
        let wrong = carEvent(.active, 10, session: UUID(), token: house.token, soc: 300, device: "x")
        await #expect(throws: EnergyKitFailure.self) {
            try await submitter.submit([begin, wrong], at: house.venue.id, from: nil)
        }
        #expect(try await submitter.submit([begin], at: house.venue.id, from: nil).accepted == 1)
    }

    @Test("when the store fails everyone is told to try again, and afterwards it goes on")
    func failingStore() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        try await house.store.database.transaction {
            try $0.execute("ALTER TABLE outbox RENAME TO away")
        }
        try await house.store.database.transaction {
            try $0.execute("ALTER TABLE events RENAME TO gone")
        }
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                let events = house.session(from: Double(number), device: "car-\(number)")
                group.addTask {
                    do {
                        _ = try await submitter.submit(events, at: house.venue.id, from: nil)
                        return false
                    } catch {
                        return (error as? EnergyKitFailure)?.error == .serviceUnavailable
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 20)
        try await house.store.database.transaction {
            try $0.execute("ALTER TABLE away RENAME TO outbox")
        }
        try await house.store.database.transaction {
            try $0.execute("ALTER TABLE gone RENAME TO events")
        }
        #expect(
            try await submitter.submit(house.session(), at: house.venue.id, from: nil).accepted == 3)
    }
}
