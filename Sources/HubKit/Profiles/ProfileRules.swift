/// A condition on one point.
public struct ProfileCondition: Sendable, Equatable {
    /// How the point's value is compared.
    public enum Test: Sendable, Equatable {
        case equals(Double)
        case atLeast(Double)
        case below(Double)
        case startsWith(String)
        /// One of these numbers or texts.
        case anyOf([PointValue])
    }

    /// The point.
    public var point: String
    /// The comparison.
    public var test: Test

    /// Makes a condition.
    public init(point: String, test: Test) {
        self.point = point
        self.test = test
    }

    /// Whether it holds; `nil` when the point's value is unknown or of another sort.
    public func holds(_ values: [String: PointValue]) -> Bool? {
        switch (test, values[point]) {
        case (.equals(let wanted), .number(let value)): value == wanted
        case (.atLeast(let least), .number(let value)): value >= least
        case (.below(let bound), .number(let value)): value < bound
        case (.startsWith(let prefix), .text(let value)): value.hasPrefix(prefix)
        case (.anyOf(let wanted), .some(let value)): wanted.contains(value)
        default: nil
        }
    }
}

/// One line of a table that turns points into a state: the first line whose conditions all hold wins.
public struct ProfileRule<State: Sendable & Equatable>: Sendable, Equatable {
    /// Conditions that must all hold; none means "else".
    public var when: [ProfileCondition]
    /// The state.
    public var state: State

    /// Makes a rule.
    public init(when: [ProfileCondition], state: State) {
        self.when = when
        self.state = state
    }
}

extension [ProfileCondition] {
    /// Whether all hold: one that fails decides, else one that can't be judged leaves it unknown.
    public func hold(_ values: [String: PointValue]) -> Bool? {
        let answers = map { $0.holds(values) }
        if answers.contains(false) { return false }
        return answers.contains(nil) ? nil : true
    }
}

extension Array {
    /// The state of the first rule that holds; unknown when a rule before it can't be judged, so that a missing register
    /// never turns into "unplugged".
    public func state<State>(_ values: [String: PointValue]) -> State? where Element == ProfileRule<State> {
        for rule in self {
            guard let holds = rule.when.hold(values) else { return nil }
            if holds { return rule.state }
        }
        return nil
    }
}

/// The tables of a profile that turn points into states.
public struct ProfileStates: Sendable, Equatable {
    /// Whether a car is plugged in.
    public var plug: [ProfileRule<PlugState>] = []
    /// What the charger does.
    public var charging: [ProfileRule<ChargingState>] = []
    /// What heating or cooling does.
    public var mode: [ProfileRule<HVACMode>] = []
    /// The load state in force.
    public var reduce: [ProfileRule<ReduceState>] = []

    /// No tables.
    public init() {}
}
