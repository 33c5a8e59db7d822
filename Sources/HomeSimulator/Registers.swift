/// How numbers become register words, highest word first.
enum Registers {
    static func u32(_ value: Double) -> [UInt16] {
        let raw = UInt32(clamping: Int64(max(0, value).rounded()))
        return [UInt16(raw >> 16), UInt16(raw & 0xFFFF)]
    }

    static func i32(_ value: Double) -> [UInt16] {
        let raw = UInt32(bitPattern: Int32(clamping: Int64(value.rounded())))
        return [UInt16(raw >> 16), UInt16(raw & 0xFFFF)]
    }

    static func u64(_ value: Double) -> [UInt16] {
        let raw = UInt64(max(0, value).rounded())
        return (0..<4).map { UInt16(truncatingIfNeeded: raw >> (UInt64(3 - $0) * 16)) }
    }

    static func i16(_ value: Double) -> UInt16 {
        UInt16(bitPattern: Int16(clamping: Int(value.rounded())))
    }

    static func f32(_ value: Double) -> [UInt16] {
        let raw = Float(value).bitPattern
        return [UInt16(raw >> 16), UInt16(raw & 0xFFFF)]
    }
}
