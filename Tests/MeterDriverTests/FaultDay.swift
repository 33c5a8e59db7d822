import Foundation
import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport

/// A meter whose values are known at every moment of a virtual day, and which is polled once a minute.
///
/// None of its values is ever zero, so that a zero is one that nobody measured.
struct FaultDay {
    static let minutes = 1440
    private static let profile = """
        kind: meter
        vendor: Acme
        modbus: {unit: 1, timeout_ms: 200, maximum_gap: 0}
        poll_seconds: 60
        points:
          power: {holding: 0, type: i32, quantity: powerWatts}
          energy: {holding: 10, type: u32, quantity: importWattHours}
          voltage: {input: 0, type: f32, quantity: voltageL1Volts}
        """

    let server: ModbusServer
    let unit: UInt8
    let clock: ManualClock
    let running: RunningDevice
    private let began: Date

    /// - Parameters:
    ///   - driver: the driver, which several meters share as in a hub.
    ///   - server: the meter, or the gateway that it is behind.
    ///   - unit: which unit it is; each has values of its own.
    ///   - clock: its own, or one that it shares with its neighbours.
    init(_ driver: MeterDriver, at server: ModbusServer, unit: UInt8, clock: ManualClock = ManualClock()) throws {
        self.server = server
        self.unit = unit
        self.clock = clock
        began = clock.now
        let folder = try TemporaryFolder()
        try folder.write(Self.profile, to: "meter/acme.yaml")
        let context = DriverContext(
            venues: VenueRegistry([]), guidance: NoOpGuidance(), events: NoOpEvents(),
            profiles: ProfileLibrary(roots: [folder.url]), clock: clock, log: .silent)
        let configuration = try DeviceConfiguration.forTests(
            "meter", profile: "acme", port: server.port, unit: unit, id: "unit-\(unit)")
        Self.show(0, unit, at: server)
        running = RunningDevice(
            try driver.makeDevice(configuration, in: context), configuration, kind: .meter, clock: clock)
    }

    /// What a unit measures in a minute of the day.
    private static func truth(_ minute: Int, _ unit: UInt8) -> (watts: Int32, wattHours: UInt32, volts: Float) {
        let swing = Int32(minute * 37 % 1000) - 400
        let watts = Int32(unit) * 1000 + (swing == 0 ? 1 : swing)
        return (watts, UInt32(unit) * 100_000 + UInt32(minute) * 30, 220 + Float(minute % 40) / 4)
    }

    private static func show(_ minute: Int, _ unit: UInt8, at server: ModbusServer) {
        let (watts, wattHours, volts) = truth(minute, unit)
        server.update(unit: unit) { bank in
            bank.set(.holding, address: 0, words: words(UInt32(bitPattern: watts)))
            bank.set(.holding, address: 10, words: words(wattHours))
            bank.set(.input, address: 0, words: words(volts.bitPattern))
        }
    }

    static func words(_ value: UInt32) -> [UInt16] {
        [UInt16(truncatingIfNeeded: value >> 16), UInt16(truncatingIfNeeded: value)]
    }

    /// Shows what is measured in a minute.
    func show(_ minute: Int) { Self.show(minute, unit, at: server) }

    /// Lets a minute pass in which the meter shows its next values, or what `change` makes of them.
    func pass(to minute: Int, _ change: @Sendable (inout RegisterBank) -> Void = { _ in }) async {
        await running.settle()
        Self.show(minute, unit, at: server)
        server.update(unit: unit, change)
        await running.pass(60)
    }

    /// Whether the last reading is of this very minute; after a fault the device is polled at another second of it.
    var isFresh: Bool { running.reading.map { isNew($0.at) } ?? false }

    private func isNew(_ time: Date) -> Bool { clock.now.timeIntervalSince(time) < 60 }

    /// What is wrong with what the hub believes: a value that the meter did not measure then, and one that is missing
    /// without a word.
    var wrongs: [String] {
        guard let reading = running.reading else {
            return running.health?.state == .ok ? ["well without a reading"] : []
        }
        var wrongs: [String] = []
        for (quantity, sample) in reading.samples {
            let minute = Int((sample.at.timeIntervalSince(began) / 60).rounded(.up))
            let (watts, wattHours, volts) = Self.truth(minute, unit)
            let true_: Double =
                switch quantity {
                case .powerWatts: Double(watts)
                case .importWattHours: Double(wattHours)
                default: Double(volts)
                }
            if sample.value != true_ { wrongs.append("\(quantity) of minute \(minute): \(sample.value), not \(true_)") }
        }
        let isWhole = reading.samples.count == 3 && reading.samples.values.allSatisfy { isNew($0.at) }
        if !isWhole, running.health?.state == .ok { wrongs.append("\(reading.samples.count) values, and all is well") }
        return wrongs
    }
}

/// What goes wrong in the minutes of a day, the same each time.
struct Mischief {
    private var state: UInt64
    /// What happened, by its kind.
    private(set) var done: [String: Int] = [:]

    init(seed: UInt64) { state = seed }

    mutating func draw(_ count: Int) -> Int {
        // SplitMix64, by Sebastiano Vigna.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(count))
    }

    /// Does something, or nothing, to the coming requests.
    /// - Returns: what the registers are changed to.
    mutating func strike(_ server: ModbusServer) -> @Sendable (inout RegisterBank) -> Void {
        guard draw(5) < 2 else { return { _ in } }
        // Not only the first request of a round is hit.
        for _ in 0..<draw(3) { server.inject(.delay(.zero)) }
        // What lets the hub wait costs real time, and is rarer.
        return draw(12) == 0 ? slow(server) : quick(server)
    }

    private mutating func quick(_ server: ModbusServer) -> @Sendable (inout RegisterBank) -> Void {
        let kind = draw(7)
        let names = ["exception", "unit", "function", "late", "close", "not a number", "ones"]
        done[names[kind], default: 0] += 1
        switch kind {
        case 0: server.inject(.exception(ModbusException(code: UInt8([0, 1, 3, 4, 6, 10, 11][draw(7)]))))
        case 1: server.inject(.foreignUnit(9, thenAnswer: true), times: 1 + draw(2))
        case 2: server.inject(.foreignFunction(thenAnswer: true))
        case 3: server.inject(.lateFrame(thenAnswer: true), times: 1 + draw(2))
        case 4: server.inject(.close)
        case 5: return { $0.set(.input, address: 0, words: [0x7FC0, 0x0000]) }
        default: return { $0.set(.holding, address: 10, words: [0xFFFF, 0xFFFF]) }
        }
        return { _ in }
    }

    private mutating func slow(_ server: ModbusServer) -> @Sendable (inout RegisterBank) -> Void {
        let kind = draw(6)
        let names = ["noise", "half a frame", "silence", "late answer", "another's only", "refused"]
        done[names[kind], default: 0] += 1
        switch kind {
        case 0: server.inject(.babble((0...draw(40)).map { _ in UInt8(draw(256)) }))
        // A header that promises more than comes.
        case 1: server.inject(.babble([0, UInt8(draw(256)), 0, 0, 0, 7, 1, 3, 4, 0x12]))
        case 2: server.inject(.drop, times: 1 + draw(2))
        case 3: server.inject(.delay(.milliseconds(300)))
        case 4: server.inject(.foreignUnit(9, thenAnswer: false))
        default:
            server.refuseConnections(true)
            server.closeConnections()
        }
        return { _ in }
    }
}
