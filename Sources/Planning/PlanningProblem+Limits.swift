extension PlanningProblem {
    /// A limit that several vehicles share, such as a circuit's, or one phase's.
    package struct SharedLimit: Sendable, Equatable {
        /// What people call it.
        package var id: String
        /// Most power that counts in each slot, in kilowatts; one value for each slot.
        package var limitKW: [Double]
        /// What part of a vehicle's power counts, 0 to 1, by its name; one that is not named does not count.
        package var shares: [String: Double]

        /// Creates a limit.
        package init(id: String, limitKW: [Double], shares: [String: Double]) {
            self.id = id
            self.limitKW = limitKW
            self.shares = shares
        }
    }

    /// Most power of one vehicle in a slot under the limits it shares, if the others draw nothing.
    func roomKW(for vehicle: String, in slot: Int) -> Double {
        limits.reduce(.infinity) { room, limit in
            guard let share = limit.shares[vehicle], share > 0 else { return room }
            return min(room, max(0, limit.limitKW[slot]) / share)
        }
    }

    func limitFaults() -> [ProblemFault] {
        let known = Set(vehicles.map(\.id))
        return limits.enumerated().flatMap { index, limit in
            var faults: [ProblemFault] = []
            let path = "circuits[\(index)]"
            if let odd = limit.limitKW.first(where: { !($0 >= 0 && $0 <= 1e6) }) {
                faults.append(
                    ProblemFault("\(path).limitKW", "\(odd) is no limit", remedy: "give a number from 0 to 1000000"))
            }
            if limit.limitKW.count != slots.count {
                faults.append(ProblemFault("\(path).limitKW", "does not fit the slots", remedy: "give one for each"))
            }
            for name in limit.shares.keys.sorted() where !known.contains(name) {
                faults.append(
                    ProblemFault(
                        "\(path).vehicles", "there is no vehicle \"\(name)\"", remedy: "name vehicles by their id"))
            }
            return faults
        }
    }
}

extension PlanningProblem.Vehicle {
    /// The most that it can draw within some room, in kilowatts; 0 where that is below its least.
    func mostKW(within room: Double) -> Double {
        let range = ranges.last { $0.lowKW <= room + Evaluation.tolerance }
        return range.map { min($0.highKW, max($0.lowKW, room)) } ?? 0
    }

    /// Whether it may charge throughout an interval.
    func isPresent(in span: GridInterval) -> Bool { arrival <= span.start && span.end <= departure }
}
