import Foundation
package import HubKit

/// Turns register words into values and back; pure, so that every type and word order is tested without a device.
package enum RegisterCoding {
    /// The value of a point.
    /// - Parameters:
    ///   - words: the point's words as they came.
    ///   - point: how to read them.
    ///   - exponent: what its scale point says; nothing where that is not available.
    /// - Returns: nothing where the device says "not available", or the number is not finite or can't be right.
    package static func value(of words: [UInt16], as point: ProfilePoint, exponent: Double? = nil) -> PointValue? {
        let words = point.byteOrder == .big ? words : words.map(\.byteSwapped)
        if case .text = point.type { return text(words).map { .text($0) } }
        guard words.count == point.type.words else { return nil }
        let raw = rawBits(words, order: point.wordOrder)
        let unavailable = point.whenUnavailable.map { PointValue.number($0) }
        guard !point.unavailable.contains(raw) else { return unavailable }
        let field = part(point.bits, of: raw)
        if !point.values.isEmpty, point.isText { return point.values[field] }
        guard let number = point.values.isEmpty ? number(field, type: point.type) : point.values[field]?.number,
            number.isFinite
        else { return unavailable }
        guard let power = power(of: point, exponent) else { return nil }
        let value = scaled(scaled(number, by: point.scale), by: power) + point.offset
        return point.valid?.contains(value) == false ? nil : .number(value)
    }

    /// Some of the bits of a raw number; all of them where none are named.
    private static func part(_ bits: ClosedRange<Int>?, of raw: UInt64) -> UInt64 {
        guard let bits, bits.count < 64 else { return raw }
        return raw >> UInt64(bits.lowerBound) & (1 << UInt64(bits.count) - 1)
    }

    /// The power of ten of a point's scale factor: 1 without one, nothing for a factor that can't be right.
    ///
    /// A factor that is not available makes the value so (field case D-5).
    private static func power(of point: ProfilePoint, _ exponent: Double?) -> Double? {
        guard point.scalePoint != nil else { return 1 }
        guard let exponent, (-10...10).contains(exponent) else { return nil }
        return pow(10, exponent)
    }

    /// What a point's words are, where they are no value and the profile does not say what they mean: no number, or the
    /// words that devices send for "not available".
    /// - Returns: how it reads, as the end of a sentence; nothing where the words may be a value.
    package static func doubt(of words: [UInt16], as point: ProfilePoint) -> String? {
        guard words.count == point.type.words, point.whenUnavailable == nil, point.valid == nil else { return nil }
        // Bits and codes have meanings of their own, also where all of them are set; so have short numbers of states.
        guard point.bits == nil, point.values.isEmpty else { return nil }
        let isMeasured = point.quantity != nil
        let raw = rawBits(point.byteOrder == .big ? words : words.map(\.byteSwapped), order: point.wordOrder)
        guard !point.unavailable.contains(raw) else { return nil }
        let hex = words.map { hexadecimal($0) }.joined(separator: " ")
        switch point.type {
        case .f32, .f64:
            guard let number = number(raw, type: point.type), !number.isFinite else { return nil }
            return "reads \(number.isNaN ? "NaN" : number > 0 ? "infinity" : "minus infinity"), which is no number"
        case .u16 where isMeasured && raw == 0xFFFF, .u32 where raw == 0xFFFF_FFFF, .u64 where raw == .max:
            return "reads \(hex), which devices send for 'not available'"
        case .i16 where isMeasured && raw == 0x8000, .i32 where raw == 0x8000_0000,
            .i64 where raw == 1 << 63:
            return "reads \(hex), which devices send for 'not available'"
        default:
            return nil
        }
    }

    /// A word as manuals write it.
    static func hexadecimal(_ word: UInt16) -> String {
        let digits = String(word, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The words of a value as a write wants them.
    /// - Returns: nothing where the value does not fit the type.
    package static func words(for value: Double, as write: ProfileWrite) -> [UInt16]? {
        let raw: Double =
            switch write.value {
            case .constant: value
            case .argument, .point: value / write.scale
            }
        guard let bits = bits(of: raw, type: write.type) else { return nil }
        let count = write.type.words
        let big = (0..<count).map { UInt16(truncatingIfNeeded: bits >> (UInt64(count - 1 - $0) * 16)) }
        let ordered = write.wordOrder == .big ? big : big.reversed()
        return write.byteOrder == .big ? ordered : ordered.map(\.byteSwapped)
    }

    /// Multiplies, or divides by the whole number where the scale is one over it: 2305 × 0.1 is then 230.5 exactly.
    static func scaled(_ number: Double, by scale: Double) -> Double {
        let inverse = (1 / scale).rounded()
        guard abs(scale) < 1, abs(inverse) < 1e9, abs(1 / inverse - scale) < 1e-15 else { return number * scale }
        return number / inverse
    }

    private static func rawBits(_ words: [UInt16], order: WordOrder) -> UInt64 {
        (order == .big ? words : words.reversed()).reduce(0) { $0 << 16 | UInt64($1) }
    }

    private static func number(_ raw: UInt64, type: RegisterType) -> Double? {
        switch type {
        case .u16, .u32, .u64, .bit: Double(raw)
        case .i16: Double(Int16(bitPattern: UInt16(raw)))
        case .i32: Double(Int32(bitPattern: UInt32(raw)))
        case .i64: Double(Int64(bitPattern: raw))
        case .f32: Double(Float(bitPattern: UInt32(raw)))
        case .f64: Double(bitPattern: raw)
        case .text: nil
        }
    }

    private static func bits(of raw: Double, type: RegisterType) -> UInt64? {
        let whole = raw.rounded()
        switch type {
        case .f32: return raw.isFinite ? UInt64(Float(raw).bitPattern) : nil
        case .f64: return raw.isFinite ? raw.bitPattern : nil
        case .u16, .bit: return UInt16(exactly: whole).map { UInt64($0) }
        case .i16: return Int16(exactly: whole).map { UInt64(UInt16(bitPattern: $0)) }
        case .u32: return UInt32(exactly: whole).map { UInt64($0) }
        case .i32: return Int32(exactly: whole).map { UInt64(UInt32(bitPattern: $0)) }
        case .u64: return UInt64(exactly: whole)
        case .i64: return Int64(exactly: whole).map { UInt64(bitPattern: $0) }
        case .text: return nil
        }
    }

    /// ASCII, two characters a word, ended by a zero; all zero is "not available".
    ///
    /// A zero may stand before the first
    /// character, where a register holds a single letter.
    private static func text(_ words: [UInt16]) -> String? {
        let bytes: [UInt8] = words.flatMap { word -> [UInt8] in [UInt8(word >> 8), UInt8(word & 0xFF)] }
        let letters: ArraySlice<UInt8> = bytes.drop { $0 == 0 }.prefix { $0 != 0 }
        let text = String(decoding: letters, as: UTF8.self).trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? nil : text
    }
}
