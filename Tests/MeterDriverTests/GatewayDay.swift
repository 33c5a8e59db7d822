import Foundation
import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport
import ThreadKit

/// A virtual day of four meters on one line, of which one does everything that such devices do wrong.
///
/// All are due at the same second of each minute, so that they want the line at the same time.
struct GatewayDay {
    /// What the line is.
    enum Line: String, CaseIterable, Sendable {
        /// A gateway that passes every request on at once.
        case gateway
        /// One with a serial line behind it, which asks one unit after the other and refuses for the one that is silent.
        case serialBehindGateway
    }

    /// What the unit does to one request.
    enum Lie: String, CaseIterable, Sendable {
        case exception, foreignUnit, foreignFunction, late, close, notANumber, ones
        case noise, halfAFrame, silence, tooLate, anothersOnly

        /// Whether the line is kept waiting by it.
        var costsTime: Bool {
            switch self {
            case .halfAFrame, .silence, .tooLate, .anothersOnly: true
            default: false
            }
        }
    }

    /// What happened on the line since the meters were due last, in its order.
    fileprivate struct Step: Sendable {
        var lies: [Lie] = []
        /// How many of the neighbours' requests came, by unit.
        var requests: [UInt8: Int] = [:]
        /// How many lies had kept the line waiting when the last request of a neighbour came.
        var waits: [UInt8: Int] = [:]
        var delays = 0
    }

    static let liar: UInt8 = 1
    static let neighbours: [UInt8] = [2, 3, 4]

    let line: Line
    let server: ModbusServer
    let meters: [FaultDay]
    private let clock = ManualClock()
    private let step = Locked(Step())

    init(_ line: Line) throws {
        self.line = line
        let server = try ModbusServer(units: [:])
        self.server = server
        let (driver, clock) = (MeterDriver(buses: ModbusBuses()), clock)
        meters = try ([Self.liar] + Self.neighbours).map {
            try FaultDay(driver, at: server, unit: $0, clock: clock)
        }
        let step = step
        server.onRequest { unit in
            let lie = step.withLock { $0.take(unit) }
            guard let lie else { return nil }
            return Self.fault(lie, on: line)
        }
    }

    /// What the server is to do; on its own thread.
    private static func fault(_ lie: Lie, on line: Line) -> ModbusFault? {
        if line == .serialBehindGateway, lie.costsTime {
            // Nobody else is asked while the gateway waits.
            Thread.sleep(forTimeInterval: 0.12)
            if lie == .silence { return .exception(.gatewayTargetFailed) }
        }
        switch lie {
        case .exception: return .exception(.deviceFailure)
        case .foreignUnit: return .foreignUnit(neighbours[0], thenAnswer: true)
        case .foreignFunction: return .foreignFunction(thenAnswer: true)
        case .late: return .lateFrame(thenAnswer: true)
        case .close: return .close
        case .notANumber, .ones: return nil
        case .noise: return .babble([0x55, 0xAA, 0xFF, 0x00, 0x17])
        case .halfAFrame: return .babble([0, 1, 0, 0, 0, 7, 1, 3, 4, 0x12])
        case .silence: return .drop
        case .tooLate: return .delay(.milliseconds(300))
        case .anothersOnly: return .foreignUnit(neighbours[0], thenAnswer: false)
        }
    }

    /// What a day brought.
    struct Outcome {
        var wrongs: [String] = []
        /// Minutes of which a neighbour has no reading.
        var missed = 0
        /// Readings of neighbours that waited for one lie, and for more than one.
        var waited = 0
        var waitedLonger = 0
        /// How often each lie was told.
        var lies: [Lie: Int] = [:]
        /// Minutes of which the liar has a reading all the same.
        var fresh = 0
    }

    /// Lets a day pass.
    func pass(_ mischief: inout Mischief) async -> Outcome {
        var outcome = Outcome()
        await clock.waitForSleepers(meters.count)
        for minute in 1...FaultDay.minutes {
            for meter in meters { meter.show(minute) }
            // The day ends in peace, to see that everything is forgiven.
            if minute <= FaultDay.minutes - 10, let lie = mischief.lie(in: minute) { tell(lie, times: 1 + minute % 2) }
            await passMinute(into: &outcome)
            for meter in meters {
                outcome.wrongs += meter.wrongs.map { "minute \(minute), unit \(meter.unit): \($0)" }
                if meter.unit == Self.liar {
                    outcome.fresh += meter.isFresh ? 1 : 0
                } else if !meter.isFresh {
                    outcome.missed += 1
                }
            }
            if outcome.wrongs.count > 20 { break }
        }
        return outcome
    }

    private func tell(_ lie: Lie, times: Int) {
        switch lie {
        case .notANumber:
            server.update(unit: Self.liar) { $0.set(.input, address: 0, words: [0x7FC0, 0x0000]) }
        case .ones:
            server.update(unit: Self.liar) { $0.set(.holding, address: 10, words: [0xFFFF, 0xFFFF]) }
        default: break
        }
        step.withLock { $0.lies += Array(repeating: lie, count: times) }
    }

    /// Lets a minute pass; whoever is due in it asks at once, so that the neighbours come while the liar is asked.
    private func passMinute(into outcome: inout Outcome) async {
        let before = step.current.lies
        await clock.advance(by: 60)
        await clock.waitForSleepers(meters.count)
        let passed = step.withLock { step in
            defer { step = Step(lies: step.lies) }
            return step
        }
        for lie in before.prefix(before.count - passed.lies.count) { outcome.lies[lie, default: 0] += 1 }
        for unit in Self.neighbours where passed.requests[unit] ?? 0 > 0 {
            let waits = passed.waits[unit] ?? 0
            if waits == 1 { outcome.waited += 1 }
            if waits > 1 { outcome.waitedLonger += 1 }
        }
    }
}

extension GatewayDay.Step {
    /// Takes in a request, and gives what is wrong with its answer.
    mutating func take(_ unit: UInt8) -> GatewayDay.Lie? {
        guard unit == GatewayDay.liar else {
            requests[unit, default: 0] += 1
            waits[unit] = delays
            return nil
        }
        guard !lies.isEmpty else { return nil }
        let lie = lies.removeFirst()
        if lie.costsTime { delays += 1 }
        return lie
    }
}

extension Mischief {
    /// What the liar does in a minute: nothing, or one thing; rarely, and each in its turn, what costs real time.
    mutating func lie(in minute: Int) -> GatewayDay.Lie? {
        let costly = GatewayDay.Lie.allCases.filter(\.costsTime)
        if minute % 45 == 0 { return costly[minute / 45 % costly.count] }
        guard draw(3) == 0 else { return nil }
        let quick = GatewayDay.Lie.allCases.filter { !$0.costsTime }
        return quick[draw(quick.count)]
    }
}
