import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

@Suite(.timeLimit(.minutes(3))) struct CommandMailboxTests {
    let clock = ManualClock()
    let log = CollectingLog()

    private func make(_ answers: [FakeDevice.Answer]) -> (CommandMailbox, FakeDevice) {
        let device = FakeDevice(ControllerLab.chargerCapabilities, clock: clock, answers: answers)
        return (CommandMailbox(id: "wallbox", device: device, clock: clock, log: log.log), device)
    }

    private let broken = HubError(.connection, "the line is down", retry: .transient)

    @Test func theNewestWishWins() async throws {
        let gate = Gate()
        let (mailbox, device) = make([.hangs(gate)])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.limitCurrent(amps: 6))
        _ = await arrivals.next()
        for amps in [7.0, 8, 9, 10] { mailbox.post(.limitCurrent(amps: amps)) }
        gate.open()
        #expect(await arrivals.next() == .limitCurrent(amps: 10))
        _ = try await mailbox.close(with: [])
        #expect(await device.commands == [.limitCurrent(amps: 6), .limitCurrent(amps: 10)])
        #expect(await device.mostAtOnce == 1)
    }

    @Test func theSameWishAgainIsNotWrittenAgain() async throws {
        let (mailbox, device) = make([])
        var arrivals = device.arrivals.makeAsyncIterator()
        for _ in 0..<5 { mailbox.post(.limitCurrent(amps: 6)) }
        mailbox.post(.setSetpoint(celsius: 20))
        _ = await arrivals.next()
        _ = await arrivals.next()
        for _ in 0..<5 { mailbox.post(.limitCurrent(amps: 6)) }
        mailbox.post(.limitCurrent(amps: 7))
        _ = await arrivals.next()
        _ = try await mailbox.close(with: [])
        #expect(await device.commands.filter { $0 == .limitCurrent(amps: 6) }.count == 1)
    }

    @Test func aFailureIsTriedAgainWithGrowingPausesAndSaidOnce() async throws {
        let (mailbox, device) = make([FakeDevice.Answer](repeating: .fails(broken), count: 6))
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.limitCurrent(amps: 6))
        for attempt in 1...6 {
            _ = await arrivals.next()
            await clock.waitForSleepers(1)
            // It waits for the clock, and does nothing meanwhile.
            #expect(await device.commands.count == attempt)
            let wait = try #require(clock.nextDeadline).timeIntervalSince(clock.now)
            #expect(wait >= 0.5 && wait <= min(30, pow(2, Double(attempt))))
            await clock.advance(by: wait)
        }
        #expect(await arrivals.next() == .limitCurrent(amps: 6))
        _ = try await mailbox.close(with: [])
        #expect(log.texts(from: .warning).count == 1)
        #expect(await mailbox.receipts[.current]?.outcome == .applied)
    }

    @Test(
        "what the device says it can't do is tried again more and more rarely, said once, and holds up no other (D-6)")
    func refusedForGood() async throws {
        let refused = HubError(.refused, "there is no such register")
        let (mailbox, device) = make([FakeDevice.Answer](repeating: .fails(refused), count: 9) + [.applied])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.limitCurrent(amps: 6))
        for attempt in 1...8 {
            _ = await arrivals.next()
            await clock.waitForSleepers(1)
            #expect(mailbox.trouble == "the device does not take 'offers 6.0 A'")
            let wait = try #require(clock.nextDeadline).timeIntervalSince(clock.now)
            #expect(wait == min(3600, 30 * pow(2, Double(attempt))))
            await clock.advance(by: wait)
        }
        _ = await arrivals.next()
        mailbox.post(.limitCurrent(amps: 7))
        #expect(await arrivals.next() == .limitCurrent(amps: 7))
        _ = try await mailbox.close(with: [])
        #expect(clock.sleeperCount == 0 && mailbox.trouble == nil)
        // Said at first, and once an hour after that.
        #expect((1...5).contains(log.texts(from: .warning).count))
    }

    @Test func aRefusalIsSaidOnce() async throws {
        let (mailbox, device) = make([.refused("a car is charging"), .refused("a car is charging"), .applied])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.usePhases(1))
        _ = await arrivals.next()
        mailbox.post(.usePhases(1))
        mailbox.post(.usePhases(3))
        _ = await arrivals.next()
        mailbox.post(.usePhases(1))
        _ = await arrivals.next()
        _ = try await mailbox.close(with: [])
        #expect(await device.commands == [.usePhases(1), .usePhases(3), .usePhases(1)])
        #expect(log.texts(from: .warning).filter { $0.contains("1 phases") }.count == 1)
    }

    @Test func aDeferredWishIsTriedAgainAtItsTimeAndHoldsUpNoOther() async throws {
        let until = clock.now.addingTimeInterval(600)
        let (mailbox, device) = make([.deferred(until: until)])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.reduce(.reduced))
        _ = await arrivals.next()
        await clock.waitForSleepers(1)
        #expect(clock.nextDeadline == until)
        mailbox.post(.setSetpoint(celsius: 20))
        #expect(await arrivals.next() == .setSetpoint(celsius: 20))
        await clock.waitForSleepers(1)
        #expect(await device.commands.count == 2)
        await clock.advance(to: until)
        #expect(await arrivals.next() == .reduce(.reduced))
        _ = try await mailbox.close(with: [])
    }

    @Test func aDeferredWishThatIsTakenBackIsNotCarriedOut() async throws {
        let (mailbox, device) = make([.deferred(until: clock.now.addingTimeInterval(600)), .unchanged])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.reduce(.reduced))
        _ = await arrivals.next()
        await clock.waitForSleepers(1)
        mailbox.post(.reduce(.normal))
        #expect(await arrivals.next() == .reduce(.normal))
        _ = try await mailbox.close(with: [])
        await clock.advance(by: 900)
        #expect(await device.commands == [.reduce(.reduced), .reduce(.normal)])
    }

    @Test func theLastCommandWaitsForTheOneThatRuns() async throws {
        let gate = Gate()
        let (mailbox, device) = make([.hangs(gate)])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.limitCurrent(amps: 16))
        _ = await arrivals.next()
        async let receipt = mailbox.close(with: [.limitCurrent(amps: 10)])
        gate.open()
        #expect(try await receipt.map(\.outcome) == [.applied])
        mailbox.post(.limitCurrent(amps: 16))
        #expect(await device.commands == [.limitCurrent(amps: 16), .limitCurrent(amps: 10)])
        #expect(await device.mostAtOnce == 1)
    }

    @Test func aWishThatWaitsForItsDeviceIsDroppedAtTheEnd() async throws {
        let (mailbox, device) = make([.fails(broken)])
        var arrivals = device.arrivals.makeAsyncIterator()
        mailbox.post(.limitCurrent(amps: 16))
        _ = await arrivals.next()
        await clock.waitForSleepers(1)
        _ = try await mailbox.close(with: [])
        #expect(clock.sleeperCount == 0)
    }
}
