import Modbus

/// A KEBA P30's registers; addresses from the makers' guide, see `etc/profiles/ev/keba-p30.yaml`.
enum VirtualKEBA {
    static let unit: UInt8 = 255

    static func registers(of house: House) -> [(UInt16, [UInt16])] {
        let charger = house.charger
        let isCharging = charger.amps > 0
        let state: Double = isCharging ? 3 : charger.isEnabled ? 2 : 5
        let milliamps = Registers.u32(charger.amps * 1000)
        return [
            (1000, Registers.u32(state)), (1004, Registers.u32(house.car.isPlugged ? 7 : 3)),
            (1008, milliamps), (1010, milliamps), (1012, milliamps),
            (1020, Registers.u32(charger.watts * 1000)),
            // Tenths of a watt-hour; the counter of a real one is cut, not rounded.
            (1036, Registers.u32((charger.countedWattHours * 10).rounded(.down))),
            (1040, Registers.u32(House.volts)), (1042, Registers.u32(House.volts)), (1044, Registers.u32(House.volts)),
            (1502, Registers.u32((charger.sessionWattHours * 10).rounded(.down))),
            (1602, Registers.u32(0)),
        ]
    }

    /// The registers that take orders, as they are before the first.
    static let orders: [(UInt16, [UInt16])] = [(5004, [0]), (5014, [0]), (5018, [0])]

    /// Carries out a write; anything else than the three known registers is refused.
    static func apply(_ write: ModbusWrite, to house: inout House) -> ModbusException? {
        guard let value = write.values.first, write.values.count == 1 else { return .illegalDataAddress }
        switch write.address {
        case 5004:
            guard value == 0 || (6000...32_000).contains(value) else { return .illegalDataValue }
            house.charger.limitAmps = Double(value) / 1000
        case 5014:
            guard value <= 1 else { return .illegalDataValue }
            house.charger.isEnabled = value == 1
        case 5018:
            break
        default:
            return .illegalDataAddress
        }
        return nil
    }
}

/// A Nibe S-series pump's registers; see `etc/profiles/hvac/nibe-s.yaml`.
enum VirtualNibe {
    static let unit: UInt8 = 1

    static func registers(of house: House) -> [(UInt16, [UInt16])] {
        let heating = house.heating
        let power = Registers.u32(heating.watts)
        let gridState: UInt16 =
            switch heating.order {
            case .normal: 10
            case .blocked: 20
            case .boosted: 30
            }
        return [
            (1, [Registers.i16(heating.outdoorCelsius * 10)]), (5, [Registers.i16(heating.flowCelsius * 10)]),
            (7, [Registers.i16((heating.flowCelsius - 5) * 10)]), (8, [Registers.i16(480)]),
            (116, [Registers.i16(heating.roomCelsius * 10)]), (1028, [heating.isRunning ? 30 : 10]),
            (1100, [heating.isRunning ? 1 : 0]), (1911, [gridState]),
            // The low word comes first.
            (2166, [power[1], power[0]]),
        ]
    }

    /// The registers that take orders, as they are before the first.
    static let orders: [(UInt16, [UInt16])] = [(2741, [0]), (6007, [0]), (6008, [1])]

    static func apply(_ write: ModbusWrite, to house: inout House) -> ModbusException? {
        guard let value = write.values.first, write.values.count == 1 else { return .illegalDataAddress }
        switch write.address {
        case 2741: house.heating.isLimited = value != 0
        case 6007: house.heating.limitWatts = Double(value) * 100
        case 6008: return order(value, house: &house)
        default: return .illegalDataAddress
        }
        return nil
    }

    private static func order(_ value: UInt16, house: inout House) -> ModbusException? {
        switch value {
        case 0: house.heating.order = .blocked
        case 1: house.heating.order = .normal
        case 3: house.heating.order = .boosted
        default: return .illegalDataValue
        }
        return nil
    }
}

/// An Eastron SDM630's registers at the grid connection; see `etc/profiles/meter/eastron-sdm630.yaml`.
enum VirtualGridMeter {
    static let unit: UInt8 = 1

    static func registers(of house: House) -> [(UInt16, [UInt16])] {
        // The car and the pump load the phases evenly; the house and the sun do not.
        let even = (house.charger.watts + house.heating.watts) / 3
        let shares = [(0.5, 1.0 / 3), (0.3, 1.0 / 3), (0.2, 1.0 / 3)]
        let watts = shares.map { even + house.baseWatts * $0.0 - house.solarWatts * $0.1 }
        var block: [UInt16] = []
        for _ in 0..<3 { block += Registers.f32(House.volts) }
        for phase in watts { block += Registers.f32(phase.magnitude / House.volts) }
        for phase in watts { block += Registers.f32(phase) }
        return [
            (0, block), (52, Registers.f32(house.gridWatts)), (70, Registers.f32(50)),
            (72, Registers.f32(house.importedWattHours / 1000) + Registers.f32(house.exportedWattHours / 1000)),
        ]
    }
}

/// An SMA inverter's registers; see `etc/profiles/meter/sma-inverter.yaml`.
enum VirtualInverter {
    static let unit: UInt8 = 3

    static func registers(of house: House) -> [(UInt16, [UInt16])] {
        // It sleeps at night: every live value is then "not a number".
        let power: [UInt16] = house.solarWatts > 0 ? Registers.i32(house.solarWatts) : [0x8000, 0]
        return [(30_775, power), (30_513, Registers.u64(house.producedWattHours.rounded(.down)))]
    }
}
