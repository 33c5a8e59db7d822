import Foundation
import Guidance
import Testing

/// An instant from its text.
func at(_ text: String) throws -> Date { try #require(InstantText.instant(text)) }

/// The interval between two texts.
func span(_ start: String, _ end: String) throws -> Range<Date> { try at(start)..<at(end) }

let euros = EnergySeries.Kind.price(currency: "EUR")
let grams = EnergySeries.Kind.carbon(.average)

/// A price series of equal slots.
func series(
    from start: String = "2026-01-05T00:00:00Z", minutes: Int = 60, _ values: [Double?]
) throws -> EnergySeries { try series(euros, from: start, minutes: minutes, values) }

/// A series of equal slots; nil is a gap.
func series(
    _ kind: EnergySeries.Kind, from start: String = "2026-01-05T00:00:00Z", minutes: Int = 60, _ values: [Double?]
) throws -> EnergySeries {
    let first = try at(start)
    return try EnergySeries(
        kind: kind, source: "test",
        slots: values.enumerated().compactMap { index, value in
            value.map {
                EnergySeries.Slot(
                    start: first.addingTimeInterval(Double(index * minutes) * 60),
                    end: first.addingTimeInterval(Double((index + 1) * minutes) * 60), value: $0)
            }
        })
}

/// A slot as text, for comparing at a glance.
func text(_ slots: [EnergySeries.Slot]) -> [String] {
    slots.map {
        "\(InstantText.text($0.start).dropFirst(11).prefix(5))-\(InstantText.text($0.end).dropFirst(11).prefix(5)) \($0.value)"
    }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The folder of shared cases, when this copy lies beside one.
let sharedGuidance: URL? = {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
        folder.deleteLastPathComponent()
        let candidate = folder.appendingPathComponent("shared/data/guidance")
        if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
    }
    return nil
}()
