package import Foundation

/// Energinet's data service (Denmark): `DayAheadPrices`, the older `Elspotprices`, and the CO2 of `CO2EmisProg` and `CO2Emis`.
package struct EnerginetDecoder: PayloadDecoder {
    /// `energinet`.
    package let name = "energinet"
    /// Also the service's own name.
    package let aliases = ["energidataservice", "energi-data-service"]
    /// Depends on the data set.
    package let kind: String? = nil

    /// Makes the decoder.
    package init() {}

    /// Decodes one price area; stamps are UTC without saying so, newest first.
    package func decode(_ bytes: Data, options: PayloadOptions) throws -> EnergySeries {
        let answer = try decodeJSON(Answer.self, bytes)
        guard let set = Self.sets.first(where: { $0.name == answer.dataset }) else {
            throw PayloadError(
                .notASeries, "the data set '\(answer.dataset ?? "?")' holds neither prices nor CO2",
                remedy: "ask for \(Self.sets.map(\.name).joined(separator: ", "))")
        }
        let records = answer.records ?? []
        if records.isEmpty { throw PayloadError.nothing("the data set holds no record for this time") }
        let area = try chooseArea(options.area, among: Set(records.compactMap { $0["PriceArea"]?.text }))
        let field = try chooseField(options.field, usual: Self.usual(set, options), among: set.fields)
        let isPrice = !field.hasPrefix("CO2")
        if isPrice { try refuseVAT(options) }
        let kind: EnergySeries.Kind = isPrice ? .price(currency: String(field.suffix(3))) : .carbon(.average)
        var drafts = SlotDrafts(kind: kind, source: name)
        for record in records where record["PriceArea"]?.text == area {
            guard let stamp = record[set.stamp]?.text else {
                throw PayloadError.malformed("a record has no \(set.stamp)")
            }
            let start = try payloadUTC(stamp)
            let value = try record[field]?.number(field)
            drafts.add(start, start.addingTimeInterval(set.seconds), isPrice ? value.map { $0 / 1000 } : value)
        }
        return try drafts.series()
    }

    private static func usual(_ set: DataSet, _ options: PayloadOptions) -> String {
        set.fields.first { field in options.currency.map { field.hasSuffix($0.uppercased()) } ?? true } ?? set.fields[0]
    }

    private struct DataSet {
        let name: String
        let stamp: String
        let fields: [String]
        let seconds: Double
    }

    private static let sets = [
        DataSet(
            name: "DayAheadPrices", stamp: "TimeUTC", fields: ["DayAheadPriceEUR", "DayAheadPriceDKK"], seconds: 900),
        DataSet(name: "Elspotprices", stamp: "HourUTC", fields: ["SpotPriceEUR", "SpotPriceDKK"], seconds: 3600),
        DataSet(name: "CO2EmisProg", stamp: "Minutes5UTC", fields: ["CO2Emission"], seconds: 300),
        DataSet(name: "CO2Emis", stamp: "Minutes5UTC", fields: ["CO2Emission"], seconds: 300),
    ]

    private struct Answer: Decodable {
        let dataset: String?
        let records: [[String: Cell]]?
    }

    /// A cell of a record, whose type depends on its name.
    private enum Cell: Decodable {
        case text(String)
        case number(Double)
        case none

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .none
            }
        }

        var text: String? {
            guard case .text(let text) = self else { return nil }
            return text
        }

        func number(_ field: String) throws(PayloadError) -> Double? {
            switch self {
            case .number(let number): return number
            case .none: return nil
            case .text: throw .malformed("\(field) is a text, not a number")
            }
        }
    }
}
