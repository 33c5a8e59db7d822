import MILP

/// A planning problem as a mixed-integer program: several vehicles under one limit, starts that cost, a battery.
struct MixedIntegerModel {
    typealias Column = LinearProgram.Column
    typealias Term = LinearProgram.Term

    /// What counts as being on where a range begins at zero: well above what is rounding.
    private static let leastPowerKW = 0.001

    let problem: PlanningProblem
    let grid: [GridInterval]
    private(set) var program = LinearProgram()

    /// Power of each vehicle by interval, one column a range; empty outside its window.
    private var powers: [[[Column]]] = []
    /// Whether each range is in use; `nil` where a range from zero needs no such column.
    private var uses: [[[Column]]] = []
    private var unmet: [Column] = []
    private var charges: [Column] = []
    private var discharges: [Column] = []

    /// Builds the program.
    /// - Parameters:
    ///   - problem: A checked problem with vehicles, a battery, or both.
    ///   - allowsUnmet: Whether least energies may be missed.
    init(_ problem: PlanningProblem, allowsUnmet: Bool) {
        self.problem = problem
        grid = problem.grid()
        for vehicle in problem.vehicles { add(vehicle, allowsUnmet) }
        if let battery = problem.battery { add(battery) }
        for limit in problem.limits { add(limit) }
        for index in grid.indices { addBalance(index) }
    }

    /// Makes the unmet energy the only cost.
    mutating func minimiseUnmet() {
        program.setCosts(Dictionary(uniqueKeysWithValues: unmet.map { ($0, 1) }))
    }

    /// Allows at most this unmet energy in all.
    mutating func limitUnmet(_ kilowattHours: Double) {
        program.addRow(unmet.map { Term($0, 1) }, atMost: kilowattHours)
    }

    /// The schedule of a solution, cleaned of the solver's rounding.
    func schedule(_ solution: MILPSolution) -> Schedule {
        Schedule(
            intervals: grid.indices.map { index in
                let span = grid[index], slot = problem.slots[span.slot]
                var interval = Schedule.Interval(start: span.start, end: span.end)
                for (place, vehicle) in problem.vehicles.enumerated() {
                    let power = power(place, index, vehicle, solution)
                    if power > 0 { interval.vehiclesKW[vehicle.id] = power }
                }
                if !charges.isEmpty {
                    let flows = (solution[charges[index]], solution[discharges[index]])
                    interval.batteryChargeKW = flows.0 < 1e-7 ? 0 : flows.0
                    interval.batteryDischargeKW = flows.1 < 1e-7 ? 0 : flows.1
                }
                let load =
                    interval.vehiclesKW.values.reduce(0, +) + interval.batteryChargeKW - interval.batteryDischargeKW
                interval.curtailKW = problem.curtailment(slot, netKW: slot.baseLoadKW - slot.pvKW + load)
                return interval
            })
    }

    private func power(
        _ place: Int, _ index: Int, _ vehicle: PlanningProblem.Vehicle, _ solution: MILPSolution
    ) -> Double {
        for (range, column) in powers[place][index].enumerated() {
            let limits = vehicle.ranges[range]
            let isUsed =
                uses[place][index].isEmpty ? solution[column] > 1e-7 : solution[uses[place][index][range]] > 0.5
            if isUsed { return min(max(solution[column], limits.lowKW), limits.highKW) }
        }
        return 0
    }

    private mutating func add(_ vehicle: PlanningProblem.Vehicle, _ allowsUnmet: Bool) {
        let needsUse = vehicle.startPenalty > 0 || vehicle.ranges.count > 1 || (vehicle.ranges.first?.lowKW ?? 0) > 0
        var columns: [[Column]] = [], switches: [[Column]] = []
        var energy: [Term] = []
        var before: [Column]?
        for span in grid {
            guard vehicle.arrival <= span.start, span.end <= vehicle.departure else {
                columns.append([])
                switches.append([])
                continue
            }
            let power = vehicle.ranges.map { program.addColumn(0...$0.highKW) }
            let use = needsUse ? vehicle.ranges.map { _ in program.addBinary() } : []
            for (range, (power, use)) in zip(vehicle.ranges, zip(power, use)) {
                program.addRow([Term(power, 1), Term(use, -range.highKW)], atMost: 0)
                // A load that draws nothing is off: staying on without power must not save the cost of a start.
                let least = max(range.lowKW, min(MixedIntegerModel.leastPowerKW, range.highKW))
                program.addRow([Term(power, 1), Term(use, -least)], atLeast: 0)
            }
            if use.count > 1 { program.addRow(use.map { Term($0, 1) }, atMost: 1) }
            if vehicle.startPenalty > 0 { addStart(vehicle, use, before) }
            before = use
            energy += power.map { Term($0, span.hours * vehicle.efficiency) }
            columns.append(power)
            switches.append(use)
        }
        powers.append(columns)
        uses.append(switches)
        addNeed(vehicle, energy, allowsUnmet)
    }

    private mutating func addNeed(_ vehicle: PlanningProblem.Vehicle, _ energy: [Term], _ allowsUnmet: Bool) {
        let missing = program.addColumn(0...(allowsUnmet ? vehicle.minEnergyKWh : 0))
        unmet.append(missing)
        program.addRow(energy + [Term(missing, 1)], atLeast: vehicle.minEnergyKWh)
        if !energy.isEmpty { program.addRow(energy, atMost: vehicle.maxEnergyKWh) }
    }

    /// A start is a use now without a use before.
    private mutating func addStart(_ vehicle: PlanningProblem.Vehicle, _ use: [Column], _ before: [Column]?) {
        if before == nil, vehicle.initiallyOn { return }
        let start = program.addColumn(0...1, cost: vehicle.startPenalty)
        let earlier = (before ?? []).map { Term($0, 1) }
        program.addRow([Term(start, 1)] + use.map { Term($0, -1) } + earlier, atLeast: 0)
    }

    private mutating func add(_ limit: PlanningProblem.SharedLimit) {
        for (index, span) in grid.enumerated() {
            var drawn: [Term] = []
            for (place, vehicle) in problem.vehicles.enumerated() {
                guard let share = limit.shares[vehicle.id], share > 0 else { continue }
                drawn += powers[place][index].map { Term($0, share) }
            }
            if !drawn.isEmpty { program.addRow(drawn, atMost: max(0, limit.limitKW[span.slot])) }
        }
    }

    private mutating func add(_ battery: PlanningProblem.Battery) {
        var before: Column?
        for (index, span) in grid.enumerated() {
            let charge = program.addColumn(0...battery.maxChargeKW)
            let discharge = program.addColumn(0...battery.maxDischargeKW, cost: span.hours * battery.wearPerKWh)
            let isLast = index == grid.count - 1
            let least = isLast ? max(battery.minKWh, battery.finalKWh) : battery.minKWh
            let stored = program.addColumn(least...battery.capacityKWh)
            let flow = [
                Term(stored, 1), Term(charge, -span.hours * battery.chargeEfficiency),
                Term(discharge, span.hours / battery.dischargeEfficiency),
            ]
            if let before {
                program.addRow(flow + [Term(before, -1)], equals: 0)
            } else {
                program.addRow(flow, equals: battery.initialKWh)
            }
            let isCharging = program.addBinary()
            program.addRow([Term(charge, 1), Term(isCharging, -battery.maxChargeKW)], atMost: 0)
            program.addRow(
                [Term(discharge, 1), Term(isCharging, battery.maxDischargeKW)], atMost: battery.maxDischargeKW)
            charges.append(charge)
            discharges.append(discharge)
            before = stored
        }
    }

    /// Import less export equals the net load; where feeding in pays more than drawing costs, only one at a time.
    private mutating func addBalance(_ index: Int) {
        let span = grid[index], slot = problem.slots[span.slot]
        let price = problem.price(of: slot), feedPrice = problem.feedPrice(of: slot)
        let load = problem.vehicles.reduce(slot.baseLoadKW) { $0 + ($1.ranges.last?.highKW ?? 0) }
        let mostDrawn = min(problem.importLimitKW(of: slot) ?? .infinity, load + (problem.battery?.maxChargeKW ?? 0))
        let mostFed = min(
            problem.feedLimitKW(of: slot) ?? .infinity, slot.pvKW + (problem.battery?.maxDischargeKW ?? 0))
        let drawn = program.addColumn(0...mostDrawn, cost: span.hours * price)
        let fed = program.addColumn(0...mostFed, cost: -span.hours * feedPrice)
        if feedPrice > price, mostFed > 0 {
            let isDrawing = program.addBinary()
            program.addRow([Term(drawn, 1), Term(isDrawing, -mostDrawn)], atMost: 0)
            program.addRow([Term(fed, 1), Term(isDrawing, mostFed)], atMost: mostFed)
        }
        var balance = [Term(drawn, 1), Term(fed, -1)]
        for vehicle in powers { balance += vehicle[index].map { Term($0, -1) } }
        if !charges.isEmpty { balance += [Term(charges[index], -1), Term(discharges[index], 1)] }
        if problem.site.curtailAllowed, slot.pvKW > 0 {
            balance.append(Term(program.addColumn(0...slot.pvKW), -1))
        }
        program.addRow(balance, equals: slot.baseLoadKW - slot.pvKW)
    }
}
