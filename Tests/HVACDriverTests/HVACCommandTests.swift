import Foundation
import HubKit
import Modbus
import TestSupport
import Testing

/// Each command gives exactly these registers and words, in this order (field case D-9).
@Suite(.timeLimit(.minutes(3))) struct HVACCommandTests {
    private let normal = [Written(4000, [1]), Written(4002, [0]), Written(4001, [0])]
    private let reduced = [Written(4001, [0]), Written(4002, [1])]
    private let boosted = [Written(4002, [0]), Written(4001, [1])]

    @Test func aStiebelPassesThroughNormalBetweenBoostedAndReduced() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        #expect(try await pump.running.perform(.reduce(.normal)) == .applied)
        #expect(pump.twin.written == normal)
        pump.twin.forgetWrites()
        #expect(try await pump.running.perform(.reduce(.boosted)) == .applied)
        #expect(pump.twin.written == boosted)
        await pump.running.pass(600)
        pump.twin.forgetWrites()
        #expect(try await pump.running.perform(.reduce(.reduced)) == .applied)
        #expect(pump.twin.written == normal + reduced)
        await pump.running.pass(600)
        pump.twin.forgetWrites()
        #expect(try await pump.running.perform(.reduce(.boosted)) == .applied)
        #expect(pump.twin.written == normal + boosted)
        await pump.running.pass(600)
        pump.twin.forgetWrites()
        #expect(try await pump.running.perform(.reduce(.normal)) == .applied)
        #expect(pump.twin.written == normal)
    }

    @Test func bothContactsAreNeverClosedAtOnce() async throws {
        let twin = try VirtualDevice.stiebel()
        let bothClosed = CollectingLog()
        twin.server.onWrite { [weak twin] write in
            guard let twin, var contacts = twin.server.words(.holding, unit: 1, address: 4000, count: 3) else {
                return nil
            }
            if (4000...4002).contains(write.address) { contacts[Int(write.address) - 4000] = write.values[0] }
            if contacts[1] == 1, contacts[2] == 1 { bothClosed.log.error("forced on") }
            return nil
        }
        let pump = try HeatPumpUnderTest("stiebel-isg", twin)
        for state in [ReduceState.boosted, .reduced, .normal, .reduced, .boosted, .normal] {
            _ = try await pump.running.perform(.reduce(state))
            await pump.running.pass(620)
        }
        #expect(bothClosed.lines == [])
    }

    @Test func aStateLastsAtLeastItsDwellTime() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(.normal))
        // The first word to the device at start does not have to dwell.
        #expect(try await pump.running.perform(.reduce(.reduced)) == .applied)
        let changed = pump.clock.now
        await pump.running.pass(599)
        let outcome = try await pump.running.perform(.reduce(.normal))
        #expect(
            outcome == .deferred(until: changed.addingTimeInterval(600), reason: "each state lasts at least 10 min"))
        #expect(try await pump.running.perform(.reduce(.reduced)) == .unchanged)
        await pump.running.pass(1)
        #expect(try await pump.running.perform(.reduce(.normal)) == .applied)
    }

    @Test(arguments: [(ReduceState.reduced, 0.0), (.reduced, 599), (.boosted, 1)])
    func aReleaseIsNotHeldUpByTheDwellTime(state: ReduceState, seconds: Double) async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(state))
        if seconds > 0 { await pump.running.pass(seconds) }
        pump.twin.forgetWrites()
        #expect(try await pump.running.perform(.release) == .applied)
        #expect(pump.twin.written == normal)
        #expect(try await pump.running.perform(.release) == .unchanged)
        // The next state waits for its turn as ever.
        guard case .deferred = try await pump.running.perform(.reduce(.reduced)) else {
            Issue.record("the state after a release does not dwell")
            return
        }
        await pump.running.pass(600)
        #expect(try await pump.running.perform(.reduce(.reduced)) == .applied)
    }

    @Test func aStiebelsStateIsWrittenAgainOnlyAsOftenAsItForgets() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(.normal))
        pump.twin.forgetWrites()
        await pump.running.pass(3600)
        #expect(pump.twin.writes == [], "what it does by itself needs no repeat")
        _ = try await pump.running.perform(.reduce(.reduced))
        pump.twin.forgetWrites()
        await pump.running.pass(600)
        #expect(pump.twin.written == Array(repeating: reduced, count: 20).flatMap { $0 })
    }

    @Test func aNibesStateIsWrittenOnce() async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe())
        await pump.running.settle()
        #expect(try await pump.running.perform(.reduce(.normal)) == .applied)
        #expect(try await pump.running.perform(.reduce(.reduced)) == .applied)
        pump.twin.set(.input, 1911, [20])
        #expect(pump.twin.written == [Written(6008, [1]), Written(6008, [0])])
        await pump.running.pass(600)
        #expect(try await pump.running.perform(.reduce(.boosted)) == .applied)
        pump.twin.set(.input, 1911, [30])
        await pump.running.pass(24 * 3600)
        #expect(pump.twin.written == [1, 0, 1, 3].map { Written(6008, [$0]) })
    }

    @Test func aNibeThatDoesNotFollowIsToldLessAndLessOften() async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(.reduced))
        pump.twin.forgetWrites()
        await pump.running.pass(12 * 3600)
        #expect((8...20).contains(pump.twin.writes.count), "\(pump.twin.writes.count) writes")
        #expect(pump.twin.written.allSatisfy { $0 == Written(6008, [0]) })
    }

    @Test func aWriteThatFailedIsDoneInFullTheNextTime() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(.normal))
        pump.twin.server.inject(.exception(.illegalDataValue))
        await #expect(throws: ModbusError.self) { try await pump.running.perform(.reduce(.reduced)) }
        pump.twin.forgetWrites()
        #expect(try await pump.running.perform(.reduce(.reduced)) == .applied)
        #expect(pump.twin.written == normal + reduced)
    }

    @Test(arguments: [(5.0, [50]), (22.5, [225]), (21.37, [214]), (30, [300])] as [(Double, [UInt16])])
    func aSetpointIsWrittenInTenths(celsius: Double, words: [UInt16]) async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        #expect(try await pump.running.perform(.setSetpoint(celsius: celsius)) == .applied)
        await pump.running.pass(600)
        #expect(try await pump.running.perform(.setSetpoint(celsius: celsius)) == .unchanged)
        #expect(pump.twin.written == [Written(1501, words)])
    }

    @Test(arguments: [(22.0, true), (22.04, true), (21.96, true), (22.1, false), (20.0, false)])
    func aSetpointThatStandsAtThePumpSinceBeforeTheStartIsNotWrittenAgain(celsius: Double, stands: Bool) async throws {
        let twin = try VirtualDevice.stiebel()
        twin.set(.holding, 1501, [220])
        let pump = try HeatPumpUnderTest("stiebel-isg", twin)
        await pump.running.settle()
        #expect(try await pump.running.perform(.setSetpoint(celsius: celsius)) == (stands ? .unchanged : .applied))
        #expect(pump.twin.writes.isEmpty == stands)
        await pump.running.pass(600)
        #expect(try await pump.running.perform(.setSetpoint(celsius: celsius)) == .unchanged)
        // Another wish, and back again before the pump was read: what it told of before counts no more.
        #expect(try await pump.running.perform(.setSetpoint(celsius: 25)) == .applied)
        #expect(try await pump.running.perform(.setSetpoint(celsius: celsius)) == .applied)
    }

    @Test func aSetpointThatMayHaveBeenTakenIsWrittenAgain() async throws {
        let twin = try VirtualDevice.stiebel()
        twin.set(.holding, 1501, [220])
        let pump = try HeatPumpUnderTest("stiebel-isg", twin)
        await pump.running.settle()
        twin.server.inject(.exception(.illegalDataValue))
        await #expect(throws: ModbusError.self) { try await pump.running.perform(.setSetpoint(celsius: 25)) }
        #expect(try await pump.running.perform(.setSetpoint(celsius: 22)) == .applied)
    }

    @Test func aSetpointTurnedAtThePumpStandsUntilTheHubWantsOneAgain() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        _ = try await pump.running.perform(.setSetpoint(celsius: 20))
        pump.twin.set(.holding, 1501, [230])
        await pump.running.pass(3600)
        #expect(pump.twin.written == [Written(1501, [200])])
        #expect(pump.running.reading?[.setpointCelsius] == 23)
        #expect(try await pump.running.perform(.setSetpoint(celsius: 20)) == .applied)
    }

    @Test(arguments: [4.9, 30.1, -1, .nan]) func aSetpointOutOfRangeIsRefused(celsius: Double) async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        guard case .refused = try await pump.running.perform(.setSetpoint(celsius: celsius)) else {
            Issue.record("\(celsius) °C is not refused")
            return
        }
        #expect(pump.twin.writes == [])
    }
}
