import EVDriver
import HubKit
import Modbus
import TestSupport
import Testing

/// Fail-safe watchdogs are fed in time and never switched on (field case D-8).
@Suite(.timeLimit(.minutes(3))) struct EVWatchdogTests {
    @Test func anAlfensLimitIsRenewedBeforeItExpires() async throws {
        let charger = try ChargerUnderTest("alfen-eve", try .alfen())
        try await charger.charging(at: 13.5)
        let seconds = await charger.secondsWithWrites(of: 240)
        #expect(charger.twin.written.allSatisfy { $0 == Written(1210, [0x4158, 0]) })
        let gaps = zip(seconds, seconds.dropFirst()).map { $1 - $0 }
        #expect(gaps.allSatisfy { $0 <= 25 } && (seconds.first ?? 99) <= 25, "\(seconds)")
        #expect(seconds.count <= 12, "no write storm: \(seconds)")
    }

    @Test func theRenewalKeepsItsTimeWhenReadingIsSlow() async throws {
        let charger = try ChargerUnderTest("alfen-eve", try .alfen()) { $0.pollSeconds = 300 }
        await charger.running.settle()
        _ = try await charger.running.perform(.limitCurrent(amps: 6))
        await charger.running.pass(300)
        charger.twin.forgetWrites()
        let seconds = await charger.secondsWithWrites(of: 250)
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 <= 25 } && seconds.count >= 10, "\(seconds)")
    }

    @Test func aVestelIsFedFourTimesInItsPeriod() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel())
        try await charger.charging(at: 10)
        let seconds = await charger.secondsWithWrites(of: 60)
        #expect(charger.twin.written.allSatisfy { $0 == Written(6000, [1]) })
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 == 5 } && seconds.count == 12, "\(seconds)")
    }

    @Test func newLimitsDoNotPutOffTheFeeding() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel())
        try await charger.charging(at: 10)
        for step in 0..<30 {
            _ = try await charger.running.perform(.limitCurrent(amps: Double(6 + step % 20)))
            await charger.running.pass(2)
        }
        #expect(charger.twin.written.filter { $0 == Written(6000, [1]) }.count >= 12)
    }

    @Test func aKEBAsWatchdogIsFedWithItsOwnPeriod() async throws {
        let charger = try ChargerUnderTest("keba-p30", try .keba(failsafeSeconds: 30))
        try await charger.charging(at: 10)
        let seconds = await charger.secondsWithWrites(of: 60)
        #expect(charger.twin.written == Array(repeating: Written(5018, [30]), count: 4))
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $1 - $0 == 15 }, "\(seconds)")
    }

    @Test(arguments: ["keba-p30", "vestel-evc04"]) func offStaysOff(profile: String) async throws {
        let twin = profile == "keba-p30" ? try VirtualDevice.keba() : try VirtualDevice.vestel()
        twin.set(.holding, profile == "keba-p30" ? 1602 : 2002, profile == "keba-p30" ? [0, 0] : [0])
        let charger = try ChargerUnderTest(profile, twin)
        try await charger.charging(at: 10)
        await charger.running.pass(3600)
        #expect(twin.writes == [])
    }

    @Test func aWatchdogThatSomeoneSwitchesOnIsFedFromThenOn() async throws {
        let charger = try ChargerUnderTest("keba-p30", try .keba())
        try await charger.charging(at: 10)
        await charger.running.pass(600)
        #expect(charger.twin.writes == [])
        charger.twin.set(.holding, 1602, [0, 60])
        await charger.running.pass(30)
        #expect(charger.twin.written.first == Written(5018, [60]))
        charger.twin.set(.holding, 1602, [0, 0])
        await charger.running.pass(30)
        charger.twin.forgetWrites()
        await charger.running.pass(600)
        #expect(charger.twin.writes == [])
    }

    @Test func aChargerNobodyUsesIsNotFed() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel())
        await charger.running.pass(600)
        #expect(charger.twin.writes == [])
    }

    @Test func nothingIsFedWhereThePersonForbidsIt() async throws {
        let charger = try ChargerUnderTest("vestel-evc04", try .vestel()) { $0.feedsWatchdog = false }
        try await charger.charging(at: 10)
        await charger.running.pass(600)
        #expect(charger.twin.writes == [])
    }
}
