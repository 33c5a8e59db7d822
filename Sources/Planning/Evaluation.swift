/// What a schedule costs and where it breaks a rule of its problem.
package struct Evaluation: Sendable, Equatable {
    /// Cost in currency, start penalties, battery wear and priced carbon included.
    package var cost = 0.0

    /// Every rule broken, in words; a plan that is given to anyone has none.
    package var faults: [String] = []

    /// Limits that the base load or the sun break by themselves, whatever is planned.
    package var notes: [String] = []

    /// Energy each vehicle lacks of its least energy, only those that lack some.
    package var unmetEnergyKWh: [String: Double] = [:]

    /// Differences of power or energy below this are rounding: kilowatts and kilowatt-hours.
    package static let tolerance = 1e-4
}

extension PlanningProblem {
    /// Prices a schedule and checks every rule, independently of how it was found.
    package func evaluate(_ schedule: Schedule) -> Evaluation {
        var run = EvaluationRun(problem: self)
        for interval in schedule.intervals { run.add(interval) }
        return run.finish()
    }
}

/// Walks a schedule from its first interval to its last.
private struct EvaluationRun {
    let problem: PlanningProblem
    var result = Evaluation()
    var energyKWh: [Double]
    var isOn: [Bool]
    var storedKWh: Double
    var at: Int
    var slot = 0

    let tolerance = Evaluation.tolerance

    init(problem: PlanningProblem) {
        self.problem = problem
        energyKWh = problem.vehicles.map { _ in 0 }
        isOn = problem.vehicles.map(\.initiallyOn)
        storedKWh = problem.battery?.initialKWh ?? 0
        at = problem.slots.first?.start ?? 0
    }

    mutating func add(_ interval: Schedule.Interval) {
        let place = "at \(UTCText.text(interval.start))"
        if interval.start != at { result.faults.append("gap or overlap \(place)") }
        at = interval.end
        while slot < problem.slots.count, problem.slots[slot].end <= interval.start { slot += 1 }
        guard slot < problem.slots.count, interval.end > interval.start,
            problem.slots[slot].start <= interval.start, interval.end <= problem.slots[slot].end
        else {
            result.faults.append("the interval \(place) is not within one slot")
            return
        }
        let hours = Double(interval.end - interval.start) / 3600
        let load = vehicleLoad(interval, hours, place) + batteryLoad(interval, hours, place)
        checkLimits(interval, place)
        settle(problem.slots[slot], load, interval.curtailKW, hours, place)
    }

    private mutating func vehicleLoad(_ interval: Schedule.Interval, _ hours: Double, _ place: String) -> Double {
        var load = 0.0
        for (index, vehicle) in problem.vehicles.enumerated() {
            let power = interval.vehiclesKW[vehicle.id] ?? 0
            let isPresent = vehicle.arrival <= interval.start && interval.end <= vehicle.departure
            let draws = power > tolerance
            if draws, !isPresent { result.faults.append("\(vehicle.id) charges outside its window \(place)") }
            let isAllowed = vehicle.ranges.contains { $0.lowKW - tolerance <= power && power <= $0.highKW + tolerance }
            if power < -tolerance || draws && !isAllowed || power.isNaN {
                result.faults.append("\(vehicle.id) cannot draw \(power.shown) kW \(place)")
            }
            if isPresent {
                if draws, !isOn[index] { result.cost += vehicle.startPenalty }
                isOn[index] = draws
            }
            energyKWh[index] += power * hours * vehicle.efficiency
            load += power
        }
        let known = Set(problem.vehicles.map(\.id))
        for id in interval.vehiclesKW.keys where !known.contains(id) {
            result.faults.append("there is no vehicle \(id) \(place)")
        }
        return load
    }

    private mutating func checkLimits(_ interval: Schedule.Interval, _ place: String) {
        for limit in problem.limits {
            let drawn = limit.shares.reduce(0) { $0 + $1.value * (interval.vehiclesKW[$1.key] ?? 0) }
            guard drawn > limit.limitKW[slot] + tolerance else { continue }
            result.faults.append(
                "draws \(drawn.shown) kW on \(limit.id), the limit is \(limit.limitKW[slot].shown) kW, \(place)")
        }
    }

    private mutating func batteryLoad(_ interval: Schedule.Interval, _ hours: Double, _ place: String) -> Double {
        let charge = interval.batteryChargeKW, discharge = interval.batteryDischargeKW
        guard let battery = problem.battery else {
            if charge != 0 || discharge != 0 { result.faults.append("there is no battery \(place)") }
            return 0
        }
        if min(charge, discharge) < -tolerance || charge > battery.maxChargeKW + tolerance
            || discharge > battery.maxDischargeKW + tolerance || min(charge, discharge) > tolerance
        {
            result.faults.append(
                "the battery cannot charge \(charge.shown) kW and discharge \(discharge.shown) kW \(place)")
        }
        storedKWh += hours * (charge * battery.chargeEfficiency - discharge / battery.dischargeEfficiency)
        if storedKWh < battery.minKWh - tolerance || storedKWh > battery.capacityKWh + tolerance {
            result.faults.append("the battery holds \(storedKWh.shown) kWh after the interval \(place)")
        }
        result.cost += discharge * hours * battery.wearPerKWh
        return charge - discharge
    }

    private mutating func settle(
        _ slot: PlanningProblem.Slot, _ load: Double, _ curtail: Double, _ hours: Double, _ place: String
    ) {
        let site = problem.site
        if curtail < -tolerance || curtail > slot.pvKW + tolerance || curtail > tolerance && !site.curtailAllowed {
            result.faults.append("cannot give up \(curtail.shown) kW of solar production \(place)")
        }
        let net = slot.baseLoadKW + load - (slot.pvKW - curtail)
        let drawn = max(net, 0), fed = max(-net, 0)
        if let limit = site.importLimitKW, drawn > limit + tolerance {
            let text = "draws \(drawn.shown) kW, the limit is \(limit.shown) kW, \(place)"
            if drawn > (problem.importLimitKW(of: slot) ?? .infinity) + tolerance {
                result.faults.append(text)
            } else {
                // A battery or a car beside it changes the figure.
                let isAlone = abs(drawn - (slot.baseLoadKW - slot.pvKW)) < tolerance
                result.notes.append((isAlone ? "the base load alone " : "the house ") + text)
            }
        }
        if let limit = site.feedLimitKW, fed > limit + tolerance {
            let text = "feeds in \(fed.shown) kW, the limit is \(limit.shown) kW, \(place)"
            if fed > (problem.feedLimitKW(of: slot) ?? .infinity) + tolerance {
                result.faults.append(text)
            } else {
                let isAlone = abs(fed - (slot.pvKW - slot.baseLoadKW)) < tolerance
                result.notes.append((isAlone ? "the sun alone " : "the house ") + text)
            }
        }
        result.cost += drawn * hours * problem.price(of: slot)
        if site.exportAllowed { result.cost -= fed * hours * (slot.exportPrice ?? 0) }
    }

    mutating func finish() -> Evaluation {
        if at != problem.slots.last?.end { result.faults.append("the schedule does not cover the horizon") }
        for (index, vehicle) in problem.vehicles.enumerated() {
            if energyKWh[index] > vehicle.maxEnergyKWh + tolerance {
                result.faults.append(
                    "\(vehicle.id) gets \(energyKWh[index].shown) kWh, its most is \(vehicle.maxEnergyKWh.shown)")
            }
            let missing = vehicle.minEnergyKWh - energyKWh[index]
            if missing > tolerance { result.unmetEnergyKWh[vehicle.id] = missing }
        }
        if let battery = problem.battery, storedKWh < battery.finalKWh - tolerance {
            result.faults.append("the battery ends at \(storedKWh.shown) kWh, it must hold \(battery.finalKWh.shown)")
        }
        return result
    }
}
