import Modbus

/// Twins of devices that the virtual house does not have; their words are what the makers' documents say the device
/// sends, not what our own coding makes of a number.
extension VirtualDevice {
    /// An Alfen Eve with a car that draws 11.5 A on three phases; 6 to 32 A or 0 are taken, by function 16 only.
    package static func alfen() throws -> VirtualDevice {
        try VirtualDevice(unit: 1, holding: alfenRegisters) { write in
            switch (write.address, write.values.count) {
            case (1210, 2): nil
            case (1215, 1): [1, 3].contains(write.values.first) ? nil : .illegalDataValue
            default: .illegalDataAddress
            }
        }
    }

    /// An Alfen's registers, by first address.
    package static let alfenRegisters: [UInt16: [UInt16]] = [
        // 231.5 V, 229.75 V, 230.25 V
        306: [0x4367, 0x8000, 0x4365, 0xC000, 0x4366, 0x4000],
        // 11.5 A each
        320: [0x4138, 0x0000, 0x4138, 0x0000, 0x4138, 0x0000],
        // 7951.5 W
        344: [0x45F8, 0x7C00],
        // 1234567.5 Wh as a 64-bit float
        374: [0x4132, 0xD687, 0x8000, 0x0000],
        // "C2"
        1201: [0x4332, 0, 0, 0, 0],
        // 16.0 A
        1210: [0x4180, 0x0000],
        1215: [3],
    ]

    /// A Vestel EVC04 with a car that charges.
    package static func vestel() throws -> VirtualDevice {
        try VirtualDevice(unit: 255, holding: vestelHolding, input: vestelInput) { write in
            switch (write.address, write.values.count) {
            case (5004, 1): write.values[0] <= 32 ? nil : .illegalDataValue
            case (6000, 1): write.values[0] == 1 ? nil : .illegalDataValue
            default: .illegalDataAddress
            }
        }
    }

    /// A Vestel's writable registers, by first address: a watchdog of 20 s, 13 A, alive.
    package static let vestelHolding: [UInt16: [UInt16]] = [2002: [20], 5004: [13], 6000: [0]]

    /// A Vestel's measurements, by first address.
    package static let vestelInput: [UInt16: [UInt16]] = [
        1000: [2, 1], 1004: [2],
        1008: [12_840], 1010: [12_910], 1012: [12_875],
        1014: [229], 1016: [231], 1018: [230],
        // 8886 W
        1020: [0x0000, 0x22B6],
        // 70012 tenths of a kilowatt-hour
        1036: [0x0001, 0x117C],
        // 15320 Wh
        1502: [0x0000, 0x3BD8],
    ]

    /// A Stiebel Eltron ISG whose pump heats.
    package static func stiebel() throws -> VirtualDevice {
        try VirtualDevice(unit: 1, holding: stiebelHolding, input: stiebelInput) { write in
            switch write.address {
            case 1501 where write.values.count == 1: (50...300).contains(write.values[0]) ? nil : .illegalDataValue
            case 4000...4002 where write.values.count == 1: write.values[0] <= 1 ? nil : .illegalDataValue
            default: .illegalDataAddress
            }
        }
    }

    /// An ISG's writable registers, by first address: 21.5 °C, and the SG-Ready interface off.
    package static let stiebelHolding: [UInt16: [UInt16]] = [1501: [215], 4000: [0, 0, 0]]

    /// An ISG's measurements, by first address; the registers between exist and say nothing.
    ///
    /// Outdoors −7.3 °C, no room sensor, hot water 48.6 °C, 29.1 °C back, 34.2 °C out, the compressor on, load state
    /// normal.
    package static let stiebelInput: [UInt16: [UInt16]] = [
        506: [0xFFB7, 0x8000] + Array(repeating: 0x8000, count: 13) + [486],
        541: [291, 342], 2505: [0], 2541: [1], 5000: [2],
    ]
}
