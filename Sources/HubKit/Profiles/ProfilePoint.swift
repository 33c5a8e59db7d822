/// Where a value is kept in a Modbus device; addresses are those on the wire, counted from zero.
public struct RegisterPlace: Sendable, Equatable, Hashable {
    /// The four tables of a Modbus device.
    public enum Table: String, Sendable, CaseIterable {
        case holding, input, coil, discrete
    }

    /// The table.
    public var table: Table
    /// The address on the wire.
    public var address: UInt16

    /// Makes a place.
    public init(_ table: Table, _ address: UInt16) {
        self.table = table
        self.address = address
    }
}

/// How words become a value.
public enum RegisterType: Sendable, Equatable, Hashable {
    case u16, i16, u32, i32, u64, i64, f32, f64
    /// ASCII text in this many words, two characters a word.
    case text(words: Int)
    /// One bit of a coil or discrete input.
    case bit

    /// Words it takes.
    public var words: Int {
        switch self {
        case .u16, .i16, .bit: 1
        case .u32, .i32, .f32: 2
        case .u64, .i64, .f64: 4
        case .text(let words): words
        }
    }

    /// The whole numbers it can hold; nothing for others.
    public var wholeNumbers: ClosedRange<Double>? {
        switch self {
        case .bit: 0...1
        case .u16: 0...65_535
        case .i16: -32_768...32_767
        case .u32: 0...4_294_967_295
        case .i32: -2_147_483_648...2_147_483_647
        case .u64: 0...0x1p64
        case .i64: -0x1p63...0x1p63
        case .f32, .f64, .text: nil
        }
    }

    /// The name a profile uses; `nil` for text, whose length is named apart.
    public static let names: [String: RegisterType] = [
        "u16": .u16, "i16": .i16, "u32": .u32, "i32": .i32, "u64": .u64, "i64": .i64, "f32": .f32, "f64": .f64,
        "bit": .bit,
    ]
}

/// The order of the words of a longer value.
public enum WordOrder: String, Sendable, CaseIterable {
    /// The highest word comes first, as the Modbus standard has it.
    case big
    /// The lowest word comes first.
    case little
}

/// The order of the two bytes within each word.
public enum ByteOrder: String, Sendable, CaseIterable {
    /// The high byte comes first, as the Modbus standard has it.
    case big
    /// The low byte comes first.
    case little
}

/// One value of a device that can be read.
public struct ProfilePoint: Sendable, Equatable {
    /// Its name within the profile.
    public var name: String
    /// Where it is kept.
    public var place: RegisterPlace
    /// How its words become a value.
    public var type: RegisterType
    /// The order of its words.
    public var wordOrder: WordOrder
    /// The order of the bytes in each word.
    public var byteOrder: ByteOrder = .big
    /// The bits that are the number, the lowest being 0; absent for all.
    public var bits: ClosedRange<Int>?
    /// What raw numbers mean, where the device sends codes; any other code is not available.
    public var values: [UInt64: PointValue] = [:]
    /// The factor from the raw number to the unit of `quantity`; negative where the device's sign is the other way.
    public var scale: Double
    /// The point whose value is the power of ten to multiply by; read together with this one.
    public var scalePoint: String?
    /// Added after scaling.
    public var offset: Double
    /// Raw words that mean "not available"; compared before any scaling (field case D-5).
    public var unavailable: [UInt64]
    /// The value to take while it is not available; only by the profile's explicit word, for solar at night (D-4).
    public var whenUnavailable: Double?
    /// The values, after scaling, that can be right; anything else is not available.
    public var valid: ClosedRange<Double>?
    /// The quantity it gives, where it is one that the hub knows.
    public var quantity: Quantity?
    /// Whether the device gives only something near the quantity, such as apparent power.
    public var isEstimated = false

    /// Whether its value is a text.
    public var isText: Bool {
        if case .text = type { return true }
        return values.values.contains { $0.number == nil }
    }

    /// Makes a point.
    public init(
        name: String, place: RegisterPlace, type: RegisterType, wordOrder: WordOrder = .big, scale: Double = 1,
        offset: Double = 0, unavailable: [UInt64] = [], whenUnavailable: Double? = nil, quantity: Quantity? = nil
    ) {
        self.name = name
        self.place = place
        self.type = type
        self.wordOrder = wordOrder
        self.scale = scale
        self.offset = offset
        self.unavailable = unavailable
        self.whenUnavailable = whenUnavailable
        self.quantity = quantity
    }
}

/// The value of a point.
public enum PointValue: Sendable, Equatable {
    case number(Double)
    case text(String)

    /// The number, where it is one.
    public var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The text, where it is one.
    public var text: String? {
        if case .text(let value) = self { value } else { nil }
    }
}
