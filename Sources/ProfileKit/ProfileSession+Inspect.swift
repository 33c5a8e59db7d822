import Foundation
package import HubKit

extension ProfileSession {
    /// Every point with its raw words, for `offpeak read`.
    /// - Throws: `ModbusError` when the device does not answer.
    package func inspect() async throws -> [InspectedPoint] {
        let values = try await read()
        let inspected = points.map { point in
            let words = values.words[point.name]
            let raw = words.map { $0.map { RegisterCoding.hexadecimal($0) }.joined(separator: " ") }
            return InspectedPoint(
                name: point.name, value: values.points[point.name].map { text(of: $0, point.quantity) },
                raw: raw ?? "refused", place: "\(point.place.table.rawValue) \(point.place.address)")
        }
        return inspected
            + profile.sums.map { sum in
                InspectedPoint(
                    name: sum.name, value: values.points[sum.name].map { text(of: $0, sum.quantity) }, raw: "computed",
                    place: sum.formula)
            }
    }

    private func text(of value: PointValue, _ quantity: Quantity?) -> String {
        switch value {
        case .text(let text): text
        case .number(let number):
            [plain(number), quantity?.unit ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    /// At most three decimals, none of them a zero at the end: a counter must not lose its last watt-hours.
    private func plain(_ number: Double) -> String {
        // Adding zero takes the sign from a zero.
        let text = String(format: "%.3f", (number * 1000).rounded() / 1000 + 0)
        let digits = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(digits.reversed())
    }
}

extension ProfileSum {
    /// What is added up, as a person writes it.
    fileprivate var formula: String {
        let parts = terms.enumerated().map { index, term in
            let sign = term.isNegative ? (index == 0 ? "-" : " - ") : (index == 0 ? "" : " + ")
            return sign + term.factors.joined(separator: " * ")
        }
        return parts.joined()
    }
}
