package import Foundation

/// The common form on disk and on the wire: `{source, kind, unit, slots:[{start, end, value}]}`.
extension EnergySeries {
    /// Reads the common form; a value in another unit (`EUR/MWh`, `kW`) is turned into ours.
    ///
    /// - Parameters:
    ///   - json: the bytes.
    ///   - file: the file they came from, for the error.
    /// - Throws: `SeriesFault`, which names the file, the slot, what is wrong and the remedy.
    package init(json: Data, file: String? = nil) throws(SeriesFault) {
        do {
            let form = try JSONDecoder().decode(CommonForm.self, from: json)
            try self.init(form: form)
        } catch let fault as SeriesFault {
            throw fault.inFile(file)
        } catch {
            let index = (error as? DecodingError)?.path.lazy.compactMap(\.intValue).first
            throw SeriesFault(.malformed(jsonReason(error)), index: index, file: file)
        }
    }

    private init(form: CommonForm) throws(SeriesFault) {
        let unit = try SeriesUnit(form.unit, kind: form.kind, method: form.method ?? .average)
        var slots: [Slot] = []
        slots.reserveCapacity(form.slots.count)
        for (index, slot) in form.slots.enumerated() {
            guard let start = InstantText.instant(slot.start), let end = InstantText.instant(slot.end) else {
                let text = InstantText.instant(slot.start) == nil ? slot.start : slot.end
                throw SeriesFault(.malformed("'\(text)' is no time with an offset"), index: index)
            }
            slots.append(Slot(start: start, end: end, value: slot.value * unit.factor))
        }
        try self.init(kind: unit.kind, source: form.source ?? "", slots: slots)
    }

    /// Writes the common form, in our units, times in UTC.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(CommonForm(self))
    }
}

private struct CommonForm: Codable {
    struct Slot: Codable {
        let start: String
        let end: String
        let value: Double
    }

    let source: String?
    let kind: String
    let unit: String
    let method: EnergySeries.CarbonMethod?
    let slots: [Slot]

    init(_ series: EnergySeries) {
        source = series.source
        kind = series.kind.name
        unit = series.kind.unit
        if case .carbon(let how) = series.kind { method = how } else { method = nil }
        slots = series.slots.map {
            Slot(start: InstantText.text($0.start), end: InstantText.text($0.end), value: $0.value)
        }
    }
}
