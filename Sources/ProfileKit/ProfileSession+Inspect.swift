import Foundation
package import HubKit

extension ProfileSession {
    /// Every point with what the device really sent, for `offpeak read`.
    /// - Throws: why the device gives nothing.
    package func inspect() async throws -> [InspectedPoint] { await inspected(try await read()) }

    /// Every point of one round of reading.
    func inspected(_ values: Values) async -> [InspectedPoint] {
        await wire.inspected(values)
            + profile.sums.map { sum in
                InspectedPoint(
                    name: sum.name, value: values.text(of: sum.name, sum.quantity), raw: "computed",
                    place: sum.formula)
            }
    }
}

extension ProfileSession.Values {
    /// A value as a person reads it, with its unit.
    func text(of name: String, _ quantity: Quantity?) -> String? {
        points[name].map { value in
            switch value {
            case .text(let text): text
            case .number(let number):
                [Self.plain(number), quantity?.unit ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
            }
        }
    }

    /// At most three decimals, none of them a zero at the end: a counter must not lose its last watt-hours.
    private static func plain(_ number: Double) -> String { PlainNumber.text(number, decimals: 3) }
}

/// Numbers as people and devices write them.
enum PlainNumber {
    /// At most so many decimals, none of them a zero at the end.
    static func text(_ number: Double, decimals: Int) -> String {
        let power = pow(10, Double(decimals))
        // Adding zero takes the sign from a zero.
        let text = String(format: "%.\(decimals)f", (number * power).rounded() / power + 0)
        guard text.contains(".") else { return text }
        let digits = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        let plain = String(digits.reversed())
        return plain == "-0" ? "0" : plain
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
