package import Foundation

/// A value that SQLite stores.
///
/// A `real` that is not a number is refused when it is bound, because SQLite would store it as null.
package enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Wraps a Swift value; nil becomes null.
    package init(_ value: (some SQLiteStorable)?) {
        self = value?.sqliteValue ?? .null
    }
}

extension SQLiteValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// Null.
    package init(nilLiteral: ()) { self = .null }
    /// An integer.
    package init(integerLiteral value: Int64) { self = .integer(value) }
    /// A real.
    package init(floatLiteral value: Double) { self = .real(value) }
    /// A text.
    package init(stringLiteral value: String) { self = .text(value) }
    /// 1 or 0.
    package init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

/// A Swift type with one form in SQLite.
package protocol SQLiteStorable {
    /// The stored form.
    var sqliteValue: SQLiteValue { get }
}

extension Int64: SQLiteStorable {
    /// An integer.
    package var sqliteValue: SQLiteValue { .integer(self) }
}

extension Int: SQLiteStorable {
    /// An integer.
    package var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Int32: SQLiteStorable {
    /// An integer.
    package var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Bool: SQLiteStorable {
    /// 1 or 0.
    package var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
}

extension Double: SQLiteStorable {
    /// A real.
    package var sqliteValue: SQLiteValue { .real(self) }
}

extension String: SQLiteStorable {
    /// A text.
    package var sqliteValue: SQLiteValue { .text(self) }
}

extension UUID: SQLiteStorable {
    /// The 36 characters in upper case.
    package var sqliteValue: SQLiteValue { .text(text) }

    /// The same as `uuidString` in a tenth of its time: it is on the way of every row.
    private var text: String {
        String(unsafeUninitializedCapacity: 36) { characters in
            write(to: characters)
            return 36
        }
    }

    /// Appends the 36 characters in upper case.
    func appendText(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { characters in
            write(to: characters)
            bytes.append(contentsOf: characters)
        }
    }

    private func write(to characters: UnsafeMutableBufferPointer<UInt8>) {
        withUnsafeBytes(of: uuid) { bytes in
            var place = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    characters[place] = UInt8(ascii: "-")
                    place += 1
                }
                characters[place] = UUID.digit(bytes[index] >> 4)
                characters[place + 1] = UUID.digit(bytes[index] & 15)
                place += 2
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension [UInt8]: SQLiteStorable {
    /// A blob.
    package var sqliteValue: SQLiteValue { .blob(self) }
}
