import HubKit
import MeterDriver
import Modbus
import TestSupport
import Testing

/// A virtual day beside a unit that lies on the same line: what its neighbours notice of it.
@Suite(.timeLimit(.minutes(5))) struct GatewayDayTests {
    @Test(arguments: GatewayDay.Line.allCases)
    func noNeighbourOnTheLineOfALiarIsWrongOrWaitsForMoreThanOneTry(line: GatewayDay.Line) async throws {
        let day = try GatewayDay(line)
        var mischief = Mischief(seed: line == .gateway ? 3 : 4)
        let outcome = await day.pass(&mischief)
        #expect(outcome.wrongs == [])
        for lie in GatewayDay.Lie.allCases { #expect(outcome.lies[lie, default: 0] >= 3, "\(lie): \(outcome.lies)") }
        // Each neighbour has a reading of every minute.
        #expect(outcome.missed == 0)
        // Between two tries that cost time every neighbour gets in. A machine that stands still for longer than a try
        // keeps it from asking; without the rule it would be most of them.
        #expect(outcome.waited > 0)
        #expect(outcome.waitedLonger * 10 <= outcome.waited, "\(outcome.waitedLonger) beside \(outcome.waited)")
        #expect(outcome.fresh > FaultDay.minutes / 2)
        for meter in day.meters {
            #expect(meter.running.health?.state == .ok, "\(meter.unit): \(meter.running.health?.reason ?? "")")
        }
        day.server.stop()
    }
}
