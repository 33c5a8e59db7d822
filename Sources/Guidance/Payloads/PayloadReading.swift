import Foundation

/// Decodes JSON; an error carries its path.
func decodeJSON<Form: Decodable>(_ form: Form.Type, _ bytes: Data) throws -> Form {
    try JSONDecoder().decode(form, from: bytes)
}

/// A number that its provider writes as a text.
struct NumberText: Decodable {
    let value: Double

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            value = number
        } else if let number = Double(try container.decode(String.self)), number.isFinite {
            value = number
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "is no number")
        }
    }
}

/// The instant of a text that must have an offset.
func payloadInstant(_ text: String) throws(PayloadError) -> Date {
    guard let instant = InstantText.instant(text) else { throw .malformed("'\(text)' is no time with an offset") }
    return instant
}

/// The instant of a text that is UTC whether it says so or not.
func payloadUTC(_ text: String) throws(PayloadError) -> Date {
    guard let read = InstantText(text) else { throw .malformed("'\(text)' is no time") }
    return read.instant ?? Date(timeIntervalSince1970: read.wallSeconds)
}

/// Seconds of an ISO 8601 duration of hours and minutes such as `PT15M`, `PT1H`; nil for anything else.
func isoDurationSeconds(_ text: String) -> Double? {
    guard text.hasPrefix("PT") else { return nil }
    var seconds = 0.0
    var digits = ""
    for character in text.dropFirst(2) {
        switch character {
        case "0"..."9": digits.append(character)
        case "H", "M", "S":
            guard let number = Double(digits) else { return nil }
            seconds += number * (character == "H" ? 3600 : character == "M" ? 60 : 1)
            digits = ""
        default: return nil
        }
    }
    return digits.isEmpty && seconds > 0 ? seconds : nil
}

/// Chooses one of the areas that a payload holds.
///
/// - Throws: `PayloadError` when the area asked for is not there, or several are and none was asked for.
func chooseArea(_ wanted: String?, among areas: some Sequence<String>) throws(PayloadError) -> String {
    let areas = areas.sorted()
    guard let wanted else {
        if areas.count == 1, let only = areas.first { return only }
        if areas.isEmpty { throw .nothing("the payload holds no area") }
        throw PayloadError(
            .argumentNeeded, "the payload holds several areas", remedy: "give one of \(areas.joined(separator: ", "))")
    }
    if let found = areas.first(where: { $0.lowercased() == wanted.lowercased() }) { return found }
    throw PayloadError(
        .unsupportedRegion, "the payload does not hold the area '\(wanted)'",
        remedy: areas.isEmpty ? "ask the provider for it" : "give one of \(areas.joined(separator: ", "))")
}

/// Refuses to give prices with VAT from a source that has none.
func refuseVAT(_ options: PayloadOptions) throws(PayloadError) {
    guard options.vat == .included else { return }
    throw PayloadError(
        .argumentNeeded, "this source has prices without VAT only",
        remedy: "ask for them without VAT and set vat_percent in the rate plan")
}

/// Chooses one of the figures that a payload holds by its name.
func chooseField(_ wanted: String?, usual: String, among fields: [String]) throws(PayloadError) -> String {
    guard let wanted else { return usual }
    if let found = fields.first(where: { $0.lowercased() == wanted.lowercased() }) { return found }
    throw PayloadError(
        .argumentNeeded, "this source has no field '\(wanted)'",
        remedy: "give one of \(fields.joined(separator: ", "))")
}

/// A table of comma-separated values with a header.
struct CommaTable {
    /// The header's names.
    let header: [String]
    /// The rows, each as long as the header.
    let rows: [[String]]

    init(_ bytes: Data) throws(PayloadError) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }.map(Self.cells)
        guard let first = lines.first else { throw .nothing("the table is empty") }
        header = first.map { $0.trimmingPrefix("\u{FEFF}").description }
        rows = Array(lines.dropFirst())
        if let index = rows.firstIndex(where: { $0.count != first.count }) {
            throw .malformed("line \(index + 2) has \(rows[index].count) cells and not \(first.count)")
        }
    }

    /// The index of the first column whose name satisfies a condition.
    func column(_ what: String, where condition: (String) -> Bool) throws(PayloadError) -> Int {
        guard let index = header.firstIndex(where: condition) else { throw .malformed("there is no column \(what)") }
        return index
    }

    /// A cell as a number, nil when it is empty.
    func number(_ row: Int, _ column: Int) throws(PayloadError) -> Double? {
        let text = rows[row][column].filter { !$0.isWhitespace }
        if text.isEmpty { return nil }
        guard let number = Double(text), number.isFinite else {
            throw .malformed("line \(row + 2): '\(text)' is no number")
        }
        return number
    }

    private static func cells(_ line: Substring) -> [String] {
        var cells = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: cells.append("")
            default: cells[cells.count - 1].append(character)
            }
        }
        return cells
    }
}

extension Data {
    /// Whether the first mark of a payload is `{` or `[`.
    var looksLikeJSON: Bool {
        let first = first { !(9...13).contains($0) && $0 != 32 && !(0xBB...0xBF).contains($0) && $0 != 0xEF }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
