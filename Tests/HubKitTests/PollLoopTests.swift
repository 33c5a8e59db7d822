import Foundation
import HubKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct PollLoopTests {
    /// What the device answers, poll by poll: `nil` is no answer, a text is a complaint.
    private func run(_ script: [String?], interval: Double = 10) throws -> Run {
        let clock = ManualClock()
        let log = CollectingLog()
        let id: DeviceID = "box"
        let board = DeviceBoard()
        let configuration = DeviceConfiguration(id: id, name: "Box", venueID: UUID(), driver: "x", connection: .none)
        board.add(configuration, kind: .meter, capabilities: .init(), health: DeviceHealth(.starting, since: clock.now))
        let polls = CollectingLog()
        let loop = PollLoop(intervalSeconds: interval, clock: clock, log: log.log)
        let task = Task {
            await loop.run(DeviceReporter(id: id, board: board)) {
                let index = polls.lines.count
                polls.log.info("\(clock.now.timeIntervalSince1970)")
                guard let answer = script[min(index, script.count - 1)] else { throw HubError(.device, "no answer") }
                return PollLoop.Result(DeviceReading(at: clock.now), complaint: answer.isEmpty ? nil : answer)
            }
        }
        return Run(clock: clock, board: board, log: log, polls: polls, id: id, task: task)
    }

    private struct Run {
        let clock: ManualClock
        let board: DeviceBoard
        let log: CollectingLog
        let polls: CollectingLog
        let id: DeviceID
        let task: Task<Void, Never>

        var state: DeviceHealth.State? { board[id]?.health.state }
        var times: [Double] { polls.texts().compactMap(Double.init) }

        /// Lets the next poll happen, and says after how many seconds it did.
        func next() async -> Double {
            await clock.waitForSleepers(1)
            let before = clock.now
            if let deadline = clock.nextDeadline { await clock.advance(to: deadline, keeping: 1) }
            return clock.now.timeIntervalSince(before)
        }
    }

    @Test func readsAtASteadyPace() async throws {
        let run = try run([""])
        await run.clock.waitForSleepers(1)
        await run.clock.advance(by: 60, keeping: 1)
        let first = try #require(run.times.first)
        #expect(run.times.map { $0 - first } == [0, 10, 20, 30, 40, 50, 60])
        #expect(run.state == .ok)
        #expect(run.log.texts() == ["answers"])
        run.task.cancel()
        await run.task.value
    }

    @Test func oneMissIsNotOfflineAndThreeAre() async throws {
        let run = try run(["", nil, "", nil, nil, nil, nil, ""])
        await run.clock.waitForSleepers(1)
        var states = [run.state]
        for _ in 0..<7 {
            _ = await run.next()
            states.append(run.state)
        }
        #expect(states == [.ok, .degraded, .ok, .degraded, .degraded, .offline, .offline, .ok])
        run.task.cancel()
        await run.task.value
    }

    @Test func anAbsentDeviceIsTriedMoreAndMoreRarely() async throws {
        let run = try run([nil])
        await run.clock.waitForSleepers(1)
        #expect(run.state == .offline)
        var waits: [Double] = []
        for _ in 0..<9 { waits.append(await run.next()) }
        for (wait, ceiling) in zip(waits, [1.0, 2, 4, 8, 16, 30, 30, 30, 30]) {
            #expect(wait >= ceiling * 0.7 - 1e-6 && wait <= ceiling + 1e-6, "\(wait) for \(ceiling)")
        }
        #expect(run.log.lines.count == 1)
        run.task.cancel()
        await run.task.value
    }

    @Test func aDeviceThatComesAndGoesDoesNotFillTheLog() async throws {
        let run = try run((0..<4000).map { $0.isMultiple(of: 2) ? "" : nil })
        await run.clock.waitForSleepers(1)
        let start = run.clock.now
        while run.times.count < 300 { _ = await run.next() }
        #expect(run.clock.now.timeIntervalSince(start) < 3600)
        let said = run.log.texts()
        #expect(said.count == 10, "\(said)")
        #expect(said.last?.contains("comes and goes") == true)
        // The page knows all the same.
        #expect(run.state == .degraded || run.state == .ok)
        await run.clock.advance(by: 3600, keeping: 1)
        #expect(run.log.texts().count > 10, "each hour has its lines")
        run.task.cancel()
        await run.task.value
    }

    @Test func oneLineForEachChangeOfState() async throws {
        let run = try run(["", "", "no power", "no power", "no energy", "", nil, nil, nil, nil, nil, ""])
        await run.clock.waitForSleepers(1)
        for _ in 0..<11 { _ = await run.next() }
        #expect(
            run.log.texts() == [
                "answers", "is not well: no power", "is well again", "is not well: no answer",
                "does not answer: no answer; trying again until it does", "is well again",
            ])
        run.task.cancel()
        await run.task.value
    }

    @Test func whatHappensWhileItEndsIsNoFailure() async throws {
        let clock = ManualClock()
        let log = CollectingLog()
        let board = DeviceBoard()
        let id: DeviceID = "box"
        let task = Task {
            await PollLoop(intervalSeconds: 10, clock: clock, log: log.log).run(DeviceReporter(id: id, board: board)) {
                try? await clock.sleep(seconds: 5)
                throw HubError(.connection, "the request was cancelled")
            }
        }
        await clock.waitForSleepers(1)
        task.cancel()
        await task.value
        #expect(log.lines == [])
    }
}
