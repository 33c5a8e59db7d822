import EVDriver
import HubKit
import Modbus
import TestSupport
import Testing

/// A limit is written again when the charger lost it, and only then.
@Suite(.timeLimit(.minutes(3))) struct EVReassertionTests {
    @Test func aChargerThatWasAwayIsToldAgain() async throws {
        let charger = try ChargerUnderTest("keba-p30", try .keba())
        try await charger.charging(at: 10)
        charger.twin.server.refuseConnections(true)
        charger.twin.server.closeConnections()
        await charger.running.pass(60)
        #expect(charger.running.health?.state == .offline)
        #expect(charger.twin.writes == [])
        charger.twin.server.refuseConnections(false)
        await charger.running.pass(60)
        #expect(charger.running.health?.state == .ok)
        #expect(charger.twin.written == [Written(5004, [10_000]), Written(5014, [1])])
    }

    @Test func aPausedChargerThatWasAwayIsPausedAgain() async throws {
        let charger = try ChargerUnderTest("keba-p30", try .keba())
        try await charger.charging(at: 0)
        charger.twin.server.inject(.close, times: 8)
        await charger.running.pass(120)
        #expect(charger.running.health?.state == .ok)
        #expect(charger.twin.written == [Written(5014, [0])])
    }

    @Test func aLimitThatSomeoneElseChangedIsPutBack() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel()) { $0.feedsWatchdog = false }
        try await charger.charging(at: 10)
        charger.twin.set(.holding, 5004, [32])
        await charger.running.pass(10)
        #expect(charger.twin.written == [Written(5004, [10])])
        await charger.running.pass(600)
        #expect(charger.twin.written == [Written(5004, [10])])
    }

    @Test func aChargerWithALowerLimitOfItsOwnIsNotWrittenToAtEveryPoll() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel()) { $0.feedsWatchdog = false }
        await charger.running.settle()
        _ = try await charger.running.perform(.limitCurrent(amps: 32))
        for _ in 0..<720 {
            // It takes 32 A and goes on to say 20 A.
            charger.twin.set(.holding, 5004, [20])
            await charger.running.pass(10)
        }
        // Two hours of polls; each time it is told, the wait doubles.
        #expect((8...13).contains(charger.twin.writes.count), "\(charger.twin.writes.count) writes")
        #expect(charger.twin.written.allSatisfy { $0 == Written(5004, [32]) })
    }

    @Test func aWriteThatFailedLeavesNothingToBeTakenForGranted() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel()) { $0.feedsWatchdog = false }
        try await charger.charging(at: 16)
        charger.twin.server.inject(.drop, times: 1)
        await #expect(throws: ModbusError.self) { try await charger.running.perform(.limitCurrent(amps: 10)) }
        // The lost write may have been carried out: going back to 16 A has to be written.
        #expect(try await charger.running.perform(.limitCurrent(amps: 16)) == .applied)
        #expect(charger.twin.written.last == Written(5004, [16]))
    }

    @Test func aRefusedRepeatIsSaidAndTheReadingsGoOn() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel()) { $0.feedsWatchdog = false }
        try await charger.charging(at: 16)
        charger.twin.server.onWrite { _ in .illegalDataValue }
        charger.twin.set(.holding, 5004, [6])
        charger.twin.set(.input, 1020, [0, 1380])
        await charger.running.pass(10)
        #expect(charger.running.reading?.powerWatts == 1380)
        #expect(charger.running.health?.state == .degraded)
        #expect(charger.running.health?.reason?.hasPrefix("the limit of 16.0 A could not be written again") == true)
    }

    @Test func oneMissIsNotOffline() async throws {
        let charger = try ChargerUnderTest("alfen-eve", try .alfen())
        await charger.running.settle()
        charger.twin.server.inject(.drop, times: 2)
        await charger.running.pass(10)
        #expect(charger.running.health?.state == .degraded)
        await charger.running.pass(10)
        #expect(charger.running.health?.state == .ok)
    }

    @Test func aChargerThatIsOffAtStartIsPickedUpWhenItComes() async throws {
        let twin = try VirtualDevice.keba()
        twin.server.refuseConnections(true)
        let charger = try ChargerUnderTest("keba-p30", twin)
        await charger.running.wait { $0.health.state == .offline }
        await #expect(throws: ModbusError.self) { try await charger.running.perform(.limitCurrent(amps: 10)) }
        await charger.running.pass(300)
        twin.server.refuseConnections(false)
        await charger.running.pass(40)
        #expect(charger.running.health?.state == .ok)
        // What was wanted meanwhile holds.
        #expect(twin.written == [Written(5004, [10_000]), Written(5014, [1])])
        #expect(charger.log.texts().count == 2, "\(charger.log.texts())")
    }
}
