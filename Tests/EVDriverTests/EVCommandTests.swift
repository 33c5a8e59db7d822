import EVDriver
import HubKit
import Modbus
import TestSupport
import Testing

/// Each command gives exactly these registers and words, in this order.
@Suite(.timeLimit(.minutes(3))) struct EVCommandTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let profile: String
        let amps: Double
        let writes: [Written]
        var testDescription: String { "\(profile) \(amps) A" }
    }

    static let cases = [
        // The current first, so that the charger never starts with an older one.
        Case(profile: "keba-p30", amps: 10, writes: [Written(5004, [10_000]), Written(5014, [1])]),
        Case(profile: "keba-p30", amps: 10.5, writes: [Written(5004, [10_500]), Written(5014, [1])]),
        Case(profile: "keba-p30", amps: 60, writes: [Written(5004, [32_000]), Written(5014, [1])]),
        Case(profile: "keba-p30", amps: 0, writes: [Written(5014, [0])]),
        Case(profile: "alfen-eve", amps: 13.5, writes: [Written(1210, [0x4158, 0])]),
        Case(profile: "alfen-eve", amps: 6, writes: [Written(1210, [0x40C0, 0])]),
        Case(profile: "alfen-eve", amps: 0, writes: [Written(1210, [0, 0])]),
        Case(profile: "vestel-evc04", amps: 10, writes: [Written(5004, [10])]),
        // Whole amps only, never more than was asked.
        Case(profile: "vestel-evc04", amps: 10.9, writes: [Written(5004, [10])]),
        Case(profile: "vestel-evc04", amps: 0, writes: [Written(5004, [0])]),
    ]

    private static func twin(_ profile: String) throws -> VirtualDevice {
        switch profile {
        case "keba-p30": try .keba()
        case "alfen-eve": try .alfen()
        default: try .vestel()
        }
    }

    @Test(arguments: cases) func aLimitIsWrittenOnce(test: Case) async throws {
        let charger = try ChargerUnderTest(test.profile, try Self.twin(test.profile)) { $0.feedsWatchdog = false }
        await charger.running.settle()
        #expect(try await charger.running.perform(.limitCurrent(amps: test.amps)) == .applied)
        #expect(charger.twin.written == test.writes)
        #expect(try await charger.running.perform(.limitCurrent(amps: test.amps)) == .unchanged)
        // No write storm: an hour of polls writes nothing more.
        await charger.running.pass(3600)
        #expect(charger.twin.written == test.writes)
        #expect(charger.running.health?.state == .ok)
    }

    @Test(arguments: ["keba-p30", "alfen-eve", "vestel-evc04"], [0.001, 1, 5.9, 5.999, -6, -0.001])
    func whatNoCarChargesWithIsRefused(profile: String, amps: Double) async throws {
        let charger = try ChargerUnderTest(profile, try Self.twin(profile)) { $0.feedsWatchdog = false }
        await charger.running.settle()
        guard case .refused(let reason) = try await charger.running.perform(.limitCurrent(amps: amps)) else {
            Issue.record("\(amps) A is not refused")
            return
        }
        #expect(!reason.isEmpty)
        #expect(charger.twin.writes == [])
    }

    @Test func limitsOfTheConfigurationNarrowThoseOfTheCharger() async throws {
        let charger = try ChargerUnderTest("keba-p30", try .keba()) {
            $0.limits = DeviceLimits(minimumAmps: 8, maximumAmps: 16, phases: 1)
        }
        let range = charger.running.device.capabilities.charger?.currentLimit
        #expect(range == CurrentRange(minimumAmps: 8, maximumAmps: 16, stepAmps: 0.001))
        #expect(charger.running.device.capabilities.charger?.phases == [1])
        await charger.running.settle()
        #expect(try await charger.running.perform(.limitCurrent(amps: 32)) == .applied)
        #expect(charger.twin.written == [Written(5004, [16_000]), Written(5014, [1])])
        guard case .refused = try await charger.running.perform(.limitCurrent(amps: 7)) else {
            Issue.record("7 A is below the configured minimum")
            return
        }
    }

    @Test func limitsThatLeaveNothingAreAWrongConfiguration() throws {
        let error = #expect(throws: HubError.self) {
            try ChargerUnderTest("keba-p30", try .keba()) { $0.limits = DeviceLimits(maximumAmps: 5) }
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("raise limits.max_amps") == true)
    }

    @Test func phasesAreSwitchedOnlyWhilePaused() async throws {
        let charger = try ChargerUnderTest("alfen-eve", try .alfen()) { $0.feedsWatchdog = false }
        await charger.running.settle()
        #expect(charger.running.device.capabilities.charger?.phases == [1, 3])
        _ = try await charger.running.perform(.limitCurrent(amps: 16))
        guard case .refused(let reason) = try await charger.running.perform(.usePhases(1)) else {
            Issue.record("phases are switched under load")
            return
        }
        #expect(reason == "phases are switched only while charging is paused")
        _ = try await charger.running.perform(.limitCurrent(amps: 0))
        charger.twin.forgetWrites()
        #expect(try await charger.running.perform(.usePhases(1)) == .applied)
        #expect(try await charger.running.perform(.usePhases(1)) == .unchanged)
        #expect(try await charger.running.perform(.usePhases(3)) == .applied)
        #expect(charger.twin.written == [Written(1215, [1]), Written(1215, [3])])
        guard case .refused = try await charger.running.perform(.usePhases(2)) else {
            Issue.record("two phases are no choice")
            return
        }
    }

    @Test func aChargerThatCannotSwitchRefusesTheOtherCountEachTime() async throws {
        let charger = try ChargerUnderTest("keba-p30", try .keba())
        #expect(try await charger.running.perform(.usePhases(3)) == .unchanged)
        for _ in 0..<2 {
            guard case .refused = try await charger.running.perform(.usePhases(1)) else {
                Issue.record("one phase is not refused")
                return
            }
        }
        #expect(charger.twin.writes == [])
    }
}
