/// A value that is computed from points: a signed sum, such as import less export, or volts by amps.
public struct ProfileSum: Sendable, Equatable {
    /// One term: a point, or the product of several.
    public struct Term: Sendable, Equatable {
        /// The points whose values are multiplied.
        public var factors: [String]
        /// Whether it is subtracted.
        public var isNegative: Bool

        /// Makes a term.
        public init(_ factors: [String], isNegative: Bool = false) {
            self.factors = factors
            self.isNegative = isNegative
        }

        /// Reads `import`, `-export` or `voltage * current`; nothing where a name is missing.
        public init?(_ text: String) {
            let isNegative = text.hasPrefix("-")
            let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: "*", omittingEmptySubsequences: false)
            let names = parts.map { part in String(part.filter { $0 != " " }) }
            guard !names.contains("") else { return nil }
            self.init(names, isNegative: isNegative)
        }
    }

    /// Its name within the profile.
    public var name: String
    /// What is added up.
    public var terms: [Term]
    /// When the sum counts; always where empty.
    public var when: [ProfileCondition] = []
    /// The value while `when` does not hold; unknown where absent.
    public var otherwise: Double?
    /// Whether terms that are not available are left out; otherwise they make the sum unknown.
    public var skipsUnavailable = false
    /// The quantity it gives, where it is one that the hub knows.
    public var quantity: Quantity?

    /// Makes a sum.
    public init(name: String, terms: [Term], quantity: Quantity? = nil) {
        self.name = name
        self.terms = terms
        self.quantity = quantity
    }

    /// Whether it is computed from other quantities, and so only an estimate.
    public var isEstimated: Bool { terms.contains { $0.factors.count > 1 } }

    /// The value for the values of points; nothing where it is unknown.
    public func value(_ values: [String: PointValue]) -> Double? {
        guard let holds = when.hold(values) else { return nil }
        guard holds else { return otherwise }
        let parts = terms.map { term -> Double? in
            let factors = term.factors.map { values[$0]?.number }
            guard !factors.contains(nil) else { return nil }
            return factors.compactMap(\.self).reduce(term.isNegative ? -1 : 1, *)
        }
        let known = parts.compactMap(\.self)
        guard skipsUnavailable ? !known.isEmpty : known.count == parts.count else { return nil }
        return known.reduce(0, +)
    }
}
