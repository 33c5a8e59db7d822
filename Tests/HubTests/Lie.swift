import EVDriver
import Foundation
import HVACDriver
import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport

/// One way in which a device that answers says what can't be.
struct Lie: Sendable, CustomStringConvertible {
    /// The devices that lie, each a virtual twin on real Modbus TCP behind the real driver and profile.
    enum Liar: String, Sendable, CaseIterable {
        case eastron, alfen, vestel, stiebel, soc
    }

    var liar: Liar
    /// What happens, for the name of the test.
    var what: String
    var quantity: Quantity
    var table: RegisterKind
    var address: UInt16
    var words: [UInt16]
    /// What the reason says beside the quantity.
    var said: String

    init(
        _ liar: Liar, _ what: String, _ quantity: Quantity, _ table: RegisterKind, _ address: UInt16, _ words: [UInt16],
        says said: String
    ) {
        (self.liar, self.what, self.quantity, self.table) = (liar, what, quantity, table)
        (self.address, self.words, self.said) = (address, words, said)
    }

    var description: String { "\(liar.rawValue): \(what)" }

    static func float(_ value: Double) -> [UInt16] {
        let bits = Float(value).bitPattern
        return [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
    }

    static func double(_ value: Double) -> [UInt16] {
        (0..<4).map { UInt16(truncatingIfNeeded: value.bitPattern >> UInt64((3 - $0) * 16)) }
    }

    static let ones: [UInt16] = [0xFFFF, 0xFFFF]

    /// Every kind of lie, for meters, chargers and heat pumps; the home's fuse is 3 × 35 A.
    static let all: [Lie] = meter + chargers + heatPumps

    private static let meter = [
        Lie(.eastron, "power is NaN", .powerWatts, .input, 52, float(.nan), says: "reads NaN, which is no number"),
        Lie(.eastron, "power is infinite", .powerWatts, .input, 52, float(.infinity), says: "reads infinity"),
        Lie(.eastron, "power is minus infinity", .powerL1Watts, .input, 12, float(-.infinity), says: "minus infinity"),
        Lie(
            .eastron, "power of a galaxy", .powerWatts, .input, 52, float(1e30),
            says: "reads 1e30 W, more than the connection can carry"),
        Lie(
            .eastron, "power of three power stations", .powerWatts, .input, 52, float(3e9),
            says: "reads 3e9 W, more than the connection can carry"),
        Lie(
            .eastron, "that power exported", .powerL2Watts, .input, 14, float(-3e9),
            says: "reads -3e9 W, more than the connection can carry"),
        Lie(
            .eastron, "current beyond the fuse", .currentL1Amps, .input, 6, float(65_535),
            says: "reads 65535 A, more than the connection can carry"),
        Lie(.eastron, "no frequency", .frequencyHertz, .input, 70, float(0), says: "reads 0 Hz"),
        Lie(.eastron, "a counter below zero", .importWattHours, .input, 72, float(-1e6), says: "reads -1e9 Wh"),
        Lie(
            .eastron, "a counter that jumps", .exportWattHours, .input, 74, float(6021.25), says: "rose by 1000000 Wh"),
        Lie(.eastron, "ones", .voltageL1Volts, .input, 0, ones, says: "reads NaN"),
        Lie(.eastron, "a voltage of a power line", .voltageL2Volts, .input, 2, float(110_000), says: "reads 110000 V"),
    ]

    private static let chargers = [
        Lie(.alfen, "power is NaN", .powerWatts, .holding, 344, float(.nan), says: "reads NaN"),
        Lie(
            .alfen, "power of a galaxy", .powerWatts, .holding, 344, float(1e30),
            says: "reads 1e30 W, more than such a charger can draw"),
        Lie(
            .alfen, "current no cable carries", .currentL3Amps, .holding, 324, float(3_000),
            says: "reads 3000 A, more than such a charger can draw"),
        Lie(.alfen, "a counter below zero", .importWattHours, .holding, 374, double(-1e9), says: "reads -1e9 Wh"),
        Lie(
            .alfen, "a counter that jumps", .importWattHours, .holding, 374, double(2_234_567.5),
            says: "rose by 1000000 Wh"),
        Lie(.alfen, "a limit no charger offers", .limitAmps, .holding, 1210, float(65_535), says: "reads 65535 A"),
        Lie(.vestel, "power is ones", .powerWatts, .input, 1020, ones, says: "reads FFFF FFFF, which devices send"),
        Lie(.vestel, "voltage is ones", .voltageL1Volts, .input, 1014, [0xFFFF], says: "reads FFFF"),
        Lie(.vestel, "current is ones", .currentL1Amps, .input, 1008, [0xFFFF], says: "reads FFFF"),
        Lie(.soc, "a state of charge beyond full", .stateOfChargePercent, .holding, 0, [65_500], says: "reads 655 %"),
    ]

    private static let heatPumps = [
        Lie(
            .stiebel, "a room like a star", .roomCelsius, .input, 507, [0x7FFF],
            says: "reads 3276.7 °C, and no room is that warm or cold"),
        Lie(.stiebel, "water like steam", .flowCelsius, .input, 542, [0x7FFF], says: "reads 3276.7 °C"),
        Lie(.stiebel, "air below absolute zero", .outdoorCelsius, .input, 506, [0x8001], says: "reads -3276.7 °C"),
        Lie(.stiebel, "a stage beyond full", .stagePercent, .input, 2541, [7], says: "reads 700 %"),
        Lie(.stiebel, "a stage of ones", .stagePercent, .input, 2541, [0xFFFF], says: "reads FFFF"),
    ]
}

extension Lie.Liar {
    /// The virtual device.
    func twin() throws -> VirtualDevice {
        switch self {
        case .eastron: try .atTheConnection()
        case .alfen: try .alfen()
        case .vestel: try .vestel()
        case .soc: try VirtualDevice(unit: 1, holding: [0: [5500, 7000]])
        case .stiebel:
            try VirtualDevice(
                unit: 1, holding: VirtualDevice.stiebelHolding,
                input: VirtualDevice.stiebelInput.merging([
                    506: [0xFFB7, 210] + Array(repeating: 0x8000, count: 13) + [486]
                ]) {
                    $1
                })
        }
    }

    /// The profile's name.
    var profile: String {
        switch self {
        case .eastron: "eastron-sdm630"
        case .alfen: "alfen-eve"
        case .vestel: "vestel-evc04"
        case .stiebel: "stiebel-isg"
        case .soc: "soc-box"
        }
    }

    /// The profiles it needs.
    func profiles(_ folder: TemporaryFolder) throws -> ProfileLibrary {
        guard self == .soc else { return .shipped }
        // No shipped profile reads the car's charge yet.
        try folder.write(
            """
            kind: ev
            vendor: Acme
            models: [Box]
            sources: ["a box of this test's own"]
            modbus: {unit: 1}
            points:
              charge: {holding: 0, scale: 0.01, quantity: stateOfChargePercent}
              power: {holding: 1, quantity: powerWatts}
            charger: {minimum_amps: 6, maximum_amps: 16, phases: [3]}

            """, to: "profiles/ev/soc-box.yaml")
        return ProfileLibrary(roots: [folder.file("profiles")])
    }

    var driver: any DeviceDriver {
        switch self {
        case .eastron: MeterDriver(buses: ModbusBuses())
        case .alfen, .vestel, .soc: EVDriver(buses: ModbusBuses())
        case .stiebel: HVACDriver(buses: ModbusBuses())
        }
    }

    /// Tasks of the device that wait for the clock: a watchdog is fed by one of its own.
    var sleepers: Int { self == .alfen || self == .vestel ? 2 : 1 }
}

extension VirtualDevice {
    /// An SDM630 at a connection that imports 3450 W, the phases even.
    static func atTheConnection() throws -> VirtualDevice {
        let phases = Lie.float(230) + Lie.float(230) + Lie.float(230) + Lie.float(5) + Lie.float(5) + Lie.float(5)
        let powers = Lie.float(1150) + Lie.float(1150) + Lie.float(1150)
        return try VirtualDevice(
            unit: 1,
            input: [
                0: phases + powers + Array(repeating: 0, count: 34),
                52: Lie.float(3450) + Array(repeating: 0, count: 16),
                70: Lie.float(50) + Lie.float(8214.5) + Lie.float(5021.25),
            ])
    }
}
