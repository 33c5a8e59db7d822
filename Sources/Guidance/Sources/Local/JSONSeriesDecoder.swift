package import Foundation
import HubKit

/// Reads any JSON document by the paths of a shape: a Home Assistant entity, an MQTT payload, a small program's answer.
package struct JSONSeriesDecoder: PayloadDecoder {
    /// `url`.
    package let name: String
    /// As the shape's unit says.
    package let kind: String? = nil
    private let shape: JSONSeriesShape
    private let side: SourceSettings.Side

    /// Makes a decoder for a shape.
    package init(name: String = "url", shape: JSONSeriesShape, side: SourceSettings.Side) {
        self.name = name
        self.shape = shape
        self.side = side
    }

    /// Decodes rows or parallel lists; a value that is null, missing or a word such as `unknown` is a gap.
    ///
    /// Numbers in quotes are taken from Home Assistant, whose templates know texts only; anywhere else they are a sign that something else is
    /// meant (G-8).
    ///
    /// Times may be texts with an offset, texts without one (the zone must be told), or seconds or milliseconds since 1970.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let document = try decodeJSON(JSONDocument.self, bytes)
        let unit = try SeriesUnit(shape.unit, kind: side.rawValue)
        let rows = try rows(in: document)
        guard !rows.isEmpty else { throw PayloadError.nothing("there are no rows") }
        let reader = JSONTimeReader(zone: options.timeZone)
        var times: [(start: Date, end: Date?, value: Double?)] = []
        for row in rows {
            let start = try reader.instant(row.time, notBefore: shape.stamp == .start ? times.last?.start : nil)
            let end = try row.end.map { time throws(PayloadError) in
                try reader.instant(time, notBefore: start.addingTimeInterval(1))
            }
            times.append((start, end, try number(row.value).map { $0 * unit.factor }))
        }
        var drafts = SlotDrafts(kind: unit.kind, source: name)
        let last = (shape.minutes ?? 60) * 60
        if shape.stamp == .end {
            // A row lasts from the stamp before it to its own.
            let sorted = times.sorted { $0.start < $1.start }
            let first = sorted.count > 1 ? sorted[1].start.timeIntervalSince(sorted[0].start) : last
            for (index, row) in sorted.enumerated() {
                let before = index > 0 ? sorted[index - 1].start : row.start.addingTimeInterval(-first)
                drafts.add(max(before, row.start.addingTimeInterval(-3600)), row.start, row.value)
            }
        } else if times.allSatisfy({ $0.end != nil }) {
            for row in times { drafts.add(row.start, row.end ?? row.start, row.value) }
        } else {
            drafts.add(points: times.map { ($0.start, $0.value) }, lastSeconds: last)
        }
        return try drafts.series()
    }

    private struct Row {
        var time: JSONDocument
        var end: JSONDocument?
        var value: JSONDocument?
    }

    private func rows(in document: JSONDocument) throws(PayloadError) -> [Row] {
        if shape.rows.isEmpty { return try parallel(document) }
        var found: [Row] = []
        var isThere = false
        for path in shape.rows {
            switch document.value(at: path) {
            case .list(let items):
                isThere = true
                for item in items { found.append(try row(item)) }
            case .object(let members):
                isThere = true
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    let cell = shape.value == "$value" ? value : value.value(at: shape.value)
                    found.append(Row(time: .text(name), value: cell))
                }
            case .null: isThere = true
            default: continue
            }
        }
        guard isThere else {
            throw .malformed("there is nothing at \(shape.rows.joined(separator: " or "))")
        }
        return found
    }

    private func row(_ item: JSONDocument) throws(PayloadError) -> Row {
        guard let time = item.value(at: shape.start) else { throw .malformed("a row has no '\(shape.start)'") }
        return Row(time: time, end: shape.end.flatMap { item.value(at: $0) }, value: item.value(at: shape.value))
    }

    private func parallel(_ document: JSONDocument) throws(PayloadError) -> [Row] {
        guard case .list(let times) = document.value(at: shape.start),
            case .list(let values) = document.value(at: shape.value)
        else { throw .malformed("there are no lists at '\(shape.start)' and '\(shape.value)'") }
        guard times.count == values.count else {
            throw .malformed("there are \(times.count) times but \(values.count) values")
        }
        return zip(times, values).map { Row(time: $0, value: $1) }
    }

    private func number(_ value: JSONDocument?) throws(PayloadError) -> Double? {
        switch value {
        case .number(let number): return number
        case .text(let text):
            if let number = Double(text), number.isFinite {
                if name.lowercased() == HomeAssistantProvider.name { return number }
                throw .malformed("the value '\(text)' is a text, not a number")
            }
            if ["unknown", "unavailable", "none", "null", ""].contains(text.lowercased()) { return nil }
            throw .malformed("'\(text)' is no number")
        case .null, nil: return nil
        default: throw .malformed("a value is no number")
        }
    }
}

/// Reads the times of a free JSON document.
private struct JSONTimeReader {
    let zone: TimeZone?

    /// - Parameter earliest: a local time that comes twice is the first of the two not before it.
    func instant(_ value: JSONDocument, notBefore earliest: Date?) throws(PayloadError) -> Date {
        switch value {
        case .number(let number):
            let seconds = abs(number) > 1e11 ? number / 1000 : number
            return Date(timeIntervalSince1970: seconds)
        case .text(let text):
            guard let read = InstantText(text) else {
                if let number = Double(text) { return try instant(.number(number), notBefore: earliest) }
                throw .malformed("'\(text)' is no time")
            }
            if let instant = read.instant { return instant }
            guard let zone else {
                throw PayloadError(
                    .argumentNeeded, "the time '\(text)' has no offset", remedy: "tell its zone with time_zone")
            }
            let candidates = LocalClock(zone: zone).instants(showing: read.wallSeconds)
            guard let found = candidates.first(where: { $0 >= earliest ?? .distantPast }) ?? candidates.last else {
                throw .malformed("the clocks of \(zone.identifier) never show \(text)")
            }
            return found
        default: throw .malformed("a row's time is neither text nor number")
        }
    }
}
