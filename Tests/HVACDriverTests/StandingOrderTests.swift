import Foundation
import HubKit
import Modbus
import TestSupport
import Testing

/// Surplus, limits and shifts are written when they change, and again only as the device forgets them.
@Suite(.timeLimit(.minutes(3))) struct StandingOrderTests {
    private func rod(_ seconds: Double = 0) async throws -> HeatPumpUnderTest {
        let twin = try VirtualDevice(unit: 1, holding: [1000: [0, 486, 600, 2], 1014: [3000], 1077: [0]])
        let rod = try HeatPumpUnderTest("my-pv-ac-thor", twin)
        await rod.running.settle()
        return rod
    }

    @Test func surplusIsWrittenAgainAsOftenAsARodForgetsIt() async throws {
        let rod = try await rod()
        #expect(try await rod.running.perform(.offerSurplus(watts: 1500)) == .applied)
        #expect(try await rod.running.perform(.offerSurplus(watts: 1500)) == .unchanged)
        await rod.running.pass(600)
        #expect(rod.twin.written == Array(repeating: Written(1000, [1500]), count: 21))
    }

    @Test func noSurplusNeedsNoRepeat() async throws {
        let rod = try await rod()
        #expect(try await rod.running.perform(.offerSurplus(watts: 0)) == .applied)
        await rod.running.pass(3600)
        #expect(rod.twin.written == [Written(1000, [0])])
    }

    @Test(arguments: [-1, 3001, Double.nan, .infinity]) func surplusOutOfRangeIsRefused(watts: Double) async throws {
        let rod = try await rod()
        guard case .refused = try await rod.running.perform(.offerSurplus(watts: watts)) else {
            Issue.record("\(watts) W is not refused")
            return
        }
        #expect(rod.twin.writes == [])
    }

    @Test func anOfferThatFailedIsMadeInFullTheNextTime() async throws {
        let rod = try await rod()
        _ = try await rod.running.perform(.offerSurplus(watts: 1500))
        rod.twin.server.inject(.exception(.illegalDataValue))
        await #expect(throws: ModbusError.self) { try await rod.running.perform(.offerSurplus(watts: 900)) }
        rod.twin.forgetWrites()
        // Nobody knows what it has, so the earlier offer is written again too.
        #expect(try await rod.running.perform(.offerSurplus(watts: 1500)) == .applied)
        #expect(rod.twin.written == [Written(1000, [1500])])
    }

    @Test func aBiggerRodTakesWhatItsOwnerSays() async throws {
        let twin = try VirtualDevice(unit: 1, holding: [1000: [0, 486, 600, 2], 1014: [9000], 1077: [0]])
        let rod = try HeatPumpUnderTest("my-pv-ac-thor", twin, watts: 9000)
        await rod.running.settle()
        #expect(try await rod.running.perform(.offerSurplus(watts: 9000)) == .applied)
        #expect(twin.written == [Written(1000, [9000])])
    }

    @Test(arguments: [(4200.0, UInt16(42)), (4299, 42), (4300, 43), (1000, 10)])
    func aLimitIsNeverRoundedUp(watts: Double, word: UInt16) async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe())
        await pump.running.settle()
        #expect(try await pump.running.perform(.limitPower(watts: watts)) == .applied)
        #expect(pump.twin.written == [Written(6007, [word]), Written(2741, [1])])
        pump.twin.forgetWrites()
        await pump.running.pass(3600)
        #expect(pump.twin.written == [], "a Nibe keeps its limit")
        #expect(try await pump.running.perform(.limitPower(watts: nil)) == .applied)
        #expect(pump.twin.written == [Written(2741, [0])])
    }

    @Test func aLimitIsWrittenAgainAfterThePumpWasAway() async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe())
        await pump.running.settle()
        _ = try await pump.running.perform(.limitPower(watts: 4200))
        pump.twin.forgetWrites()
        pump.twin.server.inject(.close, times: 8)
        await pump.running.pass(120)
        #expect(pump.twin.written == [Written(6007, [42]), Written(2741, [1])])
    }

    @Test func aShiftOfTheSetpointIsWrittenOnce() async throws {
        let twin = try VirtualDevice(
            unit: 1, holding: [10000: [0], 10002: [0], 10040: [0]],
            input: [10100: [291], 10120: [486], 10301: [23], 10311: [1, 0x40E1]])
        let pump = try HeatPumpUnderTest("luxtronik", twin)
        await pump.running.settle()
        #expect(try await pump.running.perform(.shiftSetpoint(kelvin: 1.5)) == .applied)
        await pump.running.pass(3600)
        #expect(twin.written == [Written(10002, [15]), Written(10000, [2])])
        guard case .refused = try await pump.running.perform(.shiftSetpoint(kelvin: 5.1)) else {
            Issue.record("5.1 K is not refused")
            return
        }
    }

    @Test func forcedPassesThroughNormal() async throws {
        let twin = try VirtualDevice(
            unit: 1, holding: [55: [0]], input: [42: [4862], 49: [0xFF6A], 50: [225]])
        let pump = try HeatPumpUnderTest("daikin-homehub", twin)
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(.reduced))
        await pump.running.pass(600)
        twin.forgetWrites()
        #expect(try await pump.running.perform(.reduce(.forced)) == .applied)
        #expect(twin.written == [Written(55, [0]), Written(55, [3])])
    }

    @Test("a lock from outside is not held up by the dwell time", arguments: [ReduceState.boosted, .normal])
    func lockedAtOnce(before: ReduceState) async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(.reduced))
        await pump.running.pass(600)
        _ = try await pump.running.perform(.reduce(before))
        await pump.running.pass(5)
        #expect(try await pump.running.perform(.lock) == .applied)
        #expect(try await pump.running.perform(.lock) == .unchanged)
        #expect(try await pump.running.perform(.release) == .applied)
    }
}
