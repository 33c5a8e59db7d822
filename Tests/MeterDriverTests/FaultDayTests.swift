import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport
import Testing

/// A virtual day beside devices that lie: noise, other units, half frames, exceptions, late answers, broken connections.
@Suite(.timeLimit(.minutes(5))) struct FaultDayTests {
    /// Two meters behind one gateway that does all of it, and a neighbour with a connection of its own.
    @Test(arguments: [1, 2] as [UInt64]) func noReadingIsWrongNoneIsZeroAndNoNeighbourIsDelayed(seed: UInt64)
        async throws
    {
        let driver = MeterDriver(buses: ModbusBuses())
        let gateway = try ModbusServer(units: [:])
        let liars = [
            try FaultDay(driver, at: gateway, unit: 1), try FaultDay(driver, at: gateway, unit: 2),
        ]
        let quiet = try ModbusServer(units: [:])
        let neighbour = try FaultDay(driver, at: quiet, unit: 3)
        async let undisturbed = Self.day(of: neighbour)
        let (wrongs, fresh, done) = await Self.day(of: liars, at: gateway, Mischief(seed: seed))
        #expect(wrongs == [])
        let kinds = [
            "exception", "unit", "function", "late", "close", "not a number", "ones", "noise", "half a frame",
            "silence",
            "late answer", "another's only", "refused",
        ]
        // All of it happened, and most of the day was measured all the same.
        for kind in kinds { #expect(done[kind, default: 0] >= 3, "\(kind): \(done)") }
        #expect(fresh > FaultDay.minutes, "\(fresh) of \(FaultDay.minutes * liars.count)")
        for liar in liars {
            #expect(liar.running.health?.state == .ok, "\(String(describing: liar.running.health?.reason))")
        }
        // The neighbour shares the driver and nothing else: it has a reading of every minute.
        let (missed, others) = await undisturbed
        #expect(missed == 0)
        #expect(others == [])
        gateway.stop()
        quiet.stop()
    }

    private static func day(of liars: [FaultDay], at gateway: ModbusServer, _ mischief: Mischief) async
        -> (wrongs: [String], fresh: Int, done: [String: Int])
    {
        var mischief = mischief
        var (wrongs, fresh): ([String], Int) = ([], 0)
        for minute in 1...FaultDay.minutes {
            // The day ends in peace, to see that everything is forgiven.
            let isPeace = minute > FaultDay.minutes - 10
            for liar in liars {
                gateway.refuseConnections(false)
                let change = isPeace ? { @Sendable _ in } : mischief.strike(gateway)
                await liar.pass(to: minute, change)
                wrongs += liar.wrongs.map { "unit \(liar.unit): \($0)" }
                if liar.isFresh { fresh += 1 }
            }
            if wrongs.count > 20 { break }
        }
        return (wrongs, fresh, mischief.done)
    }

    private static func day(of neighbour: FaultDay) async -> (missed: Int, wrongs: [String]) {
        var (missed, wrongs): (Int, [String]) = (0, [])
        for minute in 1...FaultDay.minutes {
            await neighbour.pass(to: minute)
            if !neighbour.isFresh { missed += 1 }
            wrongs += neighbour.wrongs
        }
        return (missed, wrongs)
    }
}
