import Foundation
import Guidance
import Testing

/// Every recorded payload that lies beside this copy, against the series that an independent decoder found in it.
@Suite(.enabled(if: sharedGuidance != nil)) struct RecordedPayloadTests {
    private struct Expected: Decodable {
        struct Slot: Decodable {
            let start: String
            let end: String
            let value: Double
        }

        struct Arguments: Decodable {
            let area: String?
            let zone: String?
            let region: String?
            let geoId: Int?
            let postcode: String?
            let field: String?
            let timeZone: String?
            let vat: String?

            var options: PayloadOptions {
                PayloadOptions(
                    area: area ?? zone ?? region ?? geoId.map(String.init) ?? postcode, field: field,
                    timeZone: timeZone.flatMap { TimeZone(identifier: $0) },
                    vat: vat.flatMap { PayloadOptions.VAT(rawValue: $0) })
            }
        }

        struct Alternative: Decodable {
            let arguments: Arguments
            let values: [Double]?
            let slots: [Slot]?
        }

        let source: String
        let kind: String?
        let unit: String?
        let error: String?
        let arguments: Arguments?
        let slots: [Slot]?
        let alternatives: [Alternative]?
    }

    static let payloads: [String] = {
        let folder = sharedGuidance?.appendingPathComponent("recorded/expected").path ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".expected.json") }.map { String($0.dropLast(14)) }.sorted()
    }()

    @Test(arguments: payloads) func decodesToTheExpectedSeries(file: String) throws {
        let folder = try #require(sharedGuidance).appendingPathComponent("recorded")
        let expected = try JSONDecoder().decode(
            Expected.self, from: Data(contentsOf: folder.appendingPathComponent("expected/\(file).expected.json")))
        guard expected.kind != "other" else { return }
        let bytes = try Data(contentsOf: folder.appendingPathComponent(file))
        let decoder = try PayloadDecoders.named(expected.source)
        let options = expected.arguments?.options ?? PayloadOptions()
        if let kind = expected.error {
            let error = #expect(throws: PayloadError.self) {
                try decoder.series(from: bytes, options: options, file: file)
            }
            #expect(error?.description.contains(kind) == true)
            return
        }
        let series = try decoder.series(from: bytes, options: options, file: file)
        #expect(series.kind.unit == expected.unit)
        try expectSlots(series, try #require(expected.slots), file)
        for alternative in expected.alternatives ?? [] {
            let other = try decoder.series(from: bytes, options: alternative.arguments.options, file: file)
            let slots =
                alternative.slots
                ?? zip(expected.slots ?? [], alternative.values ?? []).map {
                    Expected.Slot(start: $0.start, end: $0.end, value: $1)
                }
            try expectSlots(other, slots, file)
        }
    }

    private func expectSlots(_ series: EnergySeries, _ expected: [Expected.Slot], _ file: String) throws {
        #expect(series.slots.count == expected.count, "\(file)")
        for (slot, wanted) in zip(series.slots, expected) {
            let fits =
                InstantText.text(slot.start) == wanted.start && InstantText.text(slot.end) == wanted.end
                && abs(slot.value - wanted.value) <= 1e-9 * max(1, abs(wanted.value))
            if !fits { Issue.record("\(file): \(slot), expected \(wanted)") }
        }
    }
}
