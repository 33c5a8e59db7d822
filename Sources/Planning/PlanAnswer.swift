/// The answer to a planning problem, encoded as `offpeak plan --json` prints it.
package struct PlanAnswer: Sendable, Equatable {
    /// The powers; empty for an appliance.
    package var schedule: Schedule

    /// Every best start of an appliance's programme, in seconds since 1970, earliest first; empty for vehicles.
    package var starts: [Int]

    /// Cost of the schedule in currency, computed from the schedule itself.
    package var cost: Double

    /// No schedule with as little unmet energy costs less than this; equal to the cost where that is proven best,
    /// `nil` where nothing is proven.
    package var bound: Double?

    /// Energy each vehicle lacks at its departure, only those that lack some.
    package var unmetEnergyKWh: [String: Double]

    /// What stands in the way or breaks a limit, in words; empty where everything is met.
    package var notes: [String]

    /// Limits that the base load or the sun break by themselves, so that no schedule keeps them; also among the notes.
    package var overloads: [String] = []

    /// Whether a schedule that keeps these limits may exist, which was not found in the time allowed.
    package var isOverloadDoubtful = false

    /// Time it took to solve; `nil` where the caller did not measure it.
    package var seconds: Double?

    /// Whether the answer is proven best, but for rounding of prices to micro-units.
    package var isProvenOptimal: Bool { bound.map { cost - $0 <= max(2e-5, 1e-6 * cost.magnitude) } ?? false }
}

extension PlanAnswer: Encodable {
    private enum CodingKeys: String, CodingKey {
        case schedule, starts, cost, bound, unmetEnergyKWh, seconds, notes
    }

    /// Writes the contract's members; those that do not apply are left out.
    package func encode(to encoder: any Encoder) throws {
        var answer = encoder.container(keyedBy: CodingKeys.self)
        try answer.encode(cost, forKey: .cost)
        try answer.encodeIfPresent(bound, forKey: .bound)
        try answer.encodeIfPresent(seconds, forKey: .seconds)
        if !notes.isEmpty { try answer.encode(notes, forKey: .notes) }
        guard starts.isEmpty else {
            return try answer.encode(starts.map(UTCText.text), forKey: .starts)
        }
        try answer.encode(schedule.intervals, forKey: .schedule)
        try answer.encode(unmetEnergyKWh, forKey: .unmetEnergyKWh)
    }
}

extension Schedule.Interval: Encodable {
    private enum CodingKeys: String, CodingKey {
        case start, end, vehicles, batteryChargeKW, batteryDischargeKW, curtailKW
    }

    /// Writes times as UTC text and leaves out powers that are zero.
    package func encode(to encoder: any Encoder) throws {
        var interval = encoder.container(keyedBy: CodingKeys.self)
        try interval.encode(UTCText.text(start), forKey: .start)
        try interval.encode(UTCText.text(end), forKey: .end)
        try interval.encode(vehiclesKW, forKey: .vehicles)
        for (key, power) in [
            (CodingKeys.batteryChargeKW, batteryChargeKW), (.batteryDischargeKW, batteryDischargeKW),
            (.curtailKW, curtailKW),
        ] where power != 0 {
            try interval.encode(power, forKey: key)
        }
    }
}
