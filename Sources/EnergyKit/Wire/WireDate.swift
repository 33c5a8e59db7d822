import Foundation

/// A date as it stands in JSON: a string of ISO 8601, whatever the coder's own date strategy is.
struct WireDate: Codable {
    let date: Date

    init(_ date: Date) {
        self.date = date
    }

    init(from decoder: any Decoder) throws {
        let json = try decoder.singleValueContainer()
        let text = try json.decode(String.self)
        guard let date = ISO8601Text.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                in: json,
                debugDescription: "\"\(text)\" is not a time of ISO 8601 with offset, such as 2026-03-29T00:00:00Z")
        }
        self.date = date
    }

    func encode(to encoder: any Encoder) throws {
        guard let text = ISO8601Text.string(from: date) else {
            // The number and not the date: Foundation traps where it describes a date that is none.
            throw EncodingError.invalidValue(
                date.timeIntervalSinceReferenceDate,
                .init(codingPath: encoder.codingPath, debugDescription: "The date lies outside the years 0 to 9999"))
        }
        var json = encoder.singleValueContainer()
        try json.encode(text)
    }
}

/// An interval as it stands in JSON: `{start, end}`, half-open.
struct WireInterval: Codable {
    let interval: DateInterval

    private enum Key: String, CodingKey {
        case start, end
    }

    init(_ interval: DateInterval) {
        self.interval = interval
    }

    init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        let start = try json.decode(WireDate.self, forKey: .start).date
        let end = try json.decode(WireDate.self, forKey: .end).date
        guard start <= end else {
            throw DecodingError.dataCorruptedError(
                forKey: .end, in: json, debugDescription: "The interval ends before it starts")
        }
        interval = DateInterval(start: start, end: end)
    }

    func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(WireDate(interval.start), forKey: .start)
        try json.encode(WireDate(interval.end), forKey: .end)
    }
}
