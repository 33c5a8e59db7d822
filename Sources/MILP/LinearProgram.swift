/// A mixed-integer linear program: columns with bounds and a cost, rows over them; the cost is minimised.
///
/// A value type; nothing is solved until it is handed to `MILPSolver`.
package struct LinearProgram: Sendable {
    /// A column by its place.
    package struct Column: Sendable, Hashable {
        /// Place among the columns, from 0.
        package let index: Int
    }

    /// A coefficient times a column.
    package struct Term: Sendable {
        /// Which column.
        package var column: Column
        /// Its coefficient.
        package var coefficient: Double

        /// Creates a term.
        package init(_ column: Column, _ coefficient: Double) {
            self.column = column
            self.coefficient = coefficient
        }
    }

    struct Row {
        var terms: [Term]
        var range: ClosedRange<Double>
    }

    private(set) var lower: [Double] = []
    private(set) var upper: [Double] = []
    private(set) var costs: [Double] = []
    private(set) var isInteger: [Bool] = []
    private(set) var rows: [Row] = []

    /// Creates a program without columns.
    package init() {}

    /// How many columns there are.
    package var columnCount: Int { costs.count }

    /// Adds a column.
    /// - Parameters:
    ///   - range: Least and most value; `.infinity` is no bound.
    ///   - cost: Cost of one unit.
    ///   - isInteger: Whether only whole numbers are allowed.
    @discardableResult
    package mutating func addColumn(
        _ range: ClosedRange<Double>, cost: Double = 0, isInteger: Bool = false
    ) -> Column {
        lower.append(range.lowerBound)
        upper.append(range.upperBound)
        costs.append(cost)
        self.isInteger.append(isInteger)
        return Column(index: costs.count - 1)
    }

    /// Adds a column that is 0 or 1.
    package mutating func addBinary(cost: Double = 0) -> Column {
        addColumn(0...1, cost: cost, isInteger: true)
    }

    /// Demands that the sum of the terms lies within a range; a column may occur once.
    package mutating func addRow(_ terms: [Term], _ range: ClosedRange<Double>) {
        rows.append(Row(terms: terms, range: range))
    }

    /// Demands a sum of at most a value.
    package mutating func addRow(_ terms: [Term], atMost most: Double) {
        addRow(terms, -Double.infinity...most)
    }

    /// Demands a sum of at least a value.
    package mutating func addRow(_ terms: [Term], atLeast least: Double) {
        addRow(terms, least...Double.infinity)
    }

    /// Demands a sum of exactly a value.
    package mutating func addRow(_ terms: [Term], equals value: Double) {
        addRow(terms, value...value)
    }

    /// Replaces every cost by zero but those named.
    package mutating func setCosts(_ costs: [Column: Double]) {
        for index in self.costs.indices { self.costs[index] = costs[Column(index: index)] ?? 0 }
    }
}
