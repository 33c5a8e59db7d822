import Foundation
import TestSupport
import Testing
import ThreadKit

extension HubTests {
    /// What was acknowledged is there exactly once, however the hub ended.
    @Suite struct KillUnderLoadTests {
        @Test(.timeLimit(.minutes(3))) func acknowledgedEventsSurviveAKillExactlyOnce() async throws {
            let home = try Household()
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            let acknowledged = Locked<[Int]>([])
            let batches = (0..<2_000).map { source.batch($0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<4 {
                    group.addTask {
                        for index in stride(from: lane, to: batches.count, by: 4) {
                            guard let answer = try? await source.post(batches[index], client) else { return }
                            #expect(answer.status == 202, "\(answer.text)")
                            acknowledged.withLock { $0.append(index) }
                        }
                    }
                }
                #expect(await eventually(every: .milliseconds(5)) { acknowledged.current.count >= 60 })
                await hub.kill()
                try await group.waitForAll()
            }
            let kept = acknowledged.current
            #expect(kept.count >= 60 && kept.count < batches.count)
            try await hub.restart()
            let after = try await hub.client().with(token: token)
            let ids = try await HubEvents.all(after).compactMap { $0["id"].string }
            #expect(Set(ids).count == ids.count)
            for index in kept { #expect(Set(ids).isSuperset(of: source.ids(index)), "batch \(index) is not whole") }
            #expect(ids.count % LoadEventSource.batchSize == 0, "a batch was cut")
            #expect(ids.count <= (kept.count + 4) * LoadEventSource.batchSize)

            for index in kept.prefix(20) {
                let answer = try await source.post(batches[index], after)
                #expect(answer.status == 202 && answer.json["accepted"].number == 0)
                #expect(answer.json["duplicates"].number == Double(LoadEventSource.batchSize))
            }
            #expect(try await HubEvents.all(after).count == ids.count)
            #expect(await hub.terminate().status == 0)
        }
    }
}
