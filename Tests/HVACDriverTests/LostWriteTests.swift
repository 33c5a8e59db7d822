import HubKit
import Modbus
import TestSupport
import Testing

/// A device that acknowledges a command and does not take it is told again, ever more rarely (D-9).
@Suite(.timeLimit(.minutes(2))) struct LostWriteTests {
    @Test func aSetpointThatWasNotTakenIsWrittenAgain() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        #expect(try await pump.running.perform(.setSetpoint(celsius: 20)) == .applied)
        // It says so and stays at what it had.
        pump.twin.set(.holding, 1501, [215])
        await pump.running.pass(60)
        #expect(pump.twin.written.filter { $0 == Written(1501, [200]) }.count == 2)
        // The second time it takes it; nothing is written after that.
        await pump.running.pass(3600)
        #expect(pump.twin.written.filter { $0.address == 1501 }.count == 2)
        #expect(pump.running.reading?[.setpointCelsius] == 20)
        // Somebody turns it back to what it was: that stands.
        pump.twin.set(.holding, 1501, [215])
        await pump.running.pass(3600)
        #expect(pump.twin.written.filter { $0.address == 1501 }.count == 2)
    }

    @Test func oneThatNeverTakesItIsToldLessAndLessOften() async throws {
        let twin = try VirtualDevice.stiebel()
        let pump = try HeatPumpUnderTest("stiebel-isg", twin)
        await pump.running.settle()
        _ = try await pump.running.perform(.setSetpoint(celsius: 20))
        for _ in 0..<(6 * 240) {
            // Before the next reading, 15 s later.
            twin.set(.holding, 1501, [215])
            await pump.running.pass(15)
        }
        let count = pump.twin.written.filter { $0.address == 1501 }.count
        #expect((6...14).contains(count), "\(count) writes")
    }

    @Test(arguments: [ReduceState.reduced, .boosted])
    func aPumpThatDidNotTakeItsReleaseIsReleasedAgain(state: ReduceState) async throws {
        let raw: UInt16 = state == .reduced ? 20 : 30
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe())
        await pump.running.settle()
        _ = try await pump.running.perform(.reduce(state))
        pump.twin.set(.input, 1911, [raw])
        await pump.running.pass(600)
        #expect(try await pump.running.perform(.reduce(.normal)) == .applied)
        let written = pump.twin.writes.count
        await pump.running.pass(300)
        let again = pump.twin.writes.count - written
        #expect(again >= 2 && again <= 4, "\(again) writes")
        #expect(pump.twin.written.last == Written(6008, [1]))
        pump.twin.set(.input, 1911, [10])
        await pump.running.pass(60)
        // It runs as usual now; what it does by itself after that is its own affair.
        let before = pump.twin.writes.count
        pump.twin.set(.input, 1911, [20])
        await pump.running.pass(3600)
        #expect(pump.twin.writes.count == before)
    }
}
