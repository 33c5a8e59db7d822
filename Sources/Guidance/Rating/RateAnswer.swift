package import Foundation

/// The answer of `offpeak rate`: `{values:[{start, end, rating}]}`.
package struct RateAnswer: Sendable, Equatable, Encodable {
    /// One stretch of time.
    package struct Value: Sendable, Equatable, Encodable {
        /// When it begins, inclusive.
        package let start: Date
        /// When it ends, exclusive.
        package let end: Date
        /// 0 best … 1 worst.
        package let rating: Double

        private enum CodingKeys: String, CodingKey { case start, end, rating }

        /// Writes times as ISO 8601 in UTC.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(InstantText.text(start), forKey: .start)
            try container.encode(InstantText.text(end), forKey: .end)
            try container.encode(rating, forKey: .rating)
        }
    }

    /// The rated stretches, ascending.
    package let values: [Value]

    /// The answer as JSON.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
