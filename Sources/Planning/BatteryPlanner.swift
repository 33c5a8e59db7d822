import Foundation

/// Plans a home battery: the cheapest course beside loads and sun, told in orders that the battery takes.
///
/// The course is that of `BatteryCourse`. What it gives is what the battery gives by itself when it follows the house, so
/// only two things have to be ordered: to charge from the grid, and to keep the charge for dearer hours.
package enum BatteryPlanner {
    /// The plan; without intervals where following the house is as good, but for the task's threshold.
    package static func plan(_ task: BatteryTask) -> BatteryPlan {
        let follows = plan(task, [])
        guard let course = course(task) else { return follows }
        var actions = actions(task, course.powersKW)
        if !task.canHold { actions = actions.map { $0 == .hold ? nil : $0 } }
        let planned = plan(task, actions)
        return planned.costFollowing - planned.cost >= task.threshold ? planned : follows
    }

    /// The cheapest powers in kilowatts into the battery, slot by slot, for someone who knows what comes.
    ///
    /// It feeds nothing in.
    /// - Returns: `nil` where a limit can't be kept.
    package static func bestPowersKW(_ task: BatteryTask) -> [Double]? { course(task)?.powersKW }

    /// What a battery that follows the house does beside a net load, in kilowatts into it.
    static func following(_ battery: PlanningProblem.Battery, netKW: Double, heldKWh: Double, hours: Double) -> Double {
        if netKW < 0 {
            let room = max(0, battery.capacityKWh - heldKWh) / battery.chargeEfficiency / hours
            return min(-netKW, battery.maxChargeKW, room)
        }
        let there = max(0, heldKWh - battery.minKWh) * battery.dischargeEfficiency / hours
        return -min(netKW, battery.maxDischargeKW, there)
    }

    private static func course(_ task: BatteryTask) -> BatteryCourse? {
        var problem = PlanningProblem(
            slots: task.slots.map { slot in
                PlanningProblem.Slot(
                    start: Int(slot.start.timeIntervalSince1970), end: Int(slot.end.timeIntervalSince1970),
                    importPrice: slot.importPrice, exportPrice: slot.feedPrice, baseLoadKW: max(0, slot.netKW),
                    pvKW: max(0, -slot.netKW))
            }, site: PlanningProblem.Site(importLimitKW: task.importLimitKW, exportAllowed: true))
        problem.toleratesOverload = true
        return BatteryCourse(
            problem, task.battery, besideKW: task.slots.map { _ in 0 }, endValue: endValue(task), feedsIn: false,
            drawsFromGrid: task.chargesFromGrid)
    }

    /// What is left at the end saves buying it at a low price the day after.
    private static func endValue(_ task: BatteryTask) -> Double {
        let prices = task.slots.map(\.importPrice).sorted()
        guard !prices.isEmpty else { return 0 }
        return max(0, prices[prices.count / 4]) * task.battery.dischargeEfficiency
    }

    private static let leastKW = 0.1

    private static func actions(_ task: BatteryTask, _ powersKW: [Double]) -> [BatteryPlan.Action?] {
        var held = task.battery.initialKWh
        return zip(task.slots, powersKW).map { slot, power in
            let hours = slot.end.timeIntervalSince(slot.start) / 3600
            let own = following(task.battery, netKW: slot.netKW, heldKWh: held, hours: hours)
            defer { held += stored(task.battery, power, hours) }
            if power > max(0, -slot.netKW) + leastKW { return .charge(power) }
            return own < -leastKW && power > own / 4 ? .hold : nil
        }
    }

    private static func stored(_ battery: PlanningProblem.Battery, _ power: Double, _ hours: Double) -> Double {
        power > 0 ? power * hours * battery.chargeEfficiency : power * hours / battery.dischargeEfficiency
    }

    /// What comes of orders, slot by slot, with the house as expected.
    private static func plan(_ task: BatteryTask, _ actions: [BatteryPlan.Action?]) -> BatteryPlan {
        var plan = BatteryPlan(
            intervals: [], cost: 0, costFollowing: 0, end: task.slots.last?.end ?? .distantPast)
        var held = task.battery.initialKWh, alone = held
        var bought = (kWh: 0.0, money: 0.0)
        for (index, slot) in task.slots.enumerated() {
            let hours = slot.end.timeIntervalSince(slot.start) / 3600
            let action = index < actions.count ? actions[index] : nil
            let own = following(task.battery, netKW: slot.netKW, heldKWh: held, hours: hours)
            var power = own
            switch action {
            case .hold: power = max(0, own)
            case .charge(let wanted):
                let room = max(0, task.battery.capacityKWh - held) / task.battery.chargeEfficiency / hours
                power = max(min(wanted, room), max(0, own))
                let grid = max(0, power - max(0, -slot.netKW)) * hours
                bought = (bought.kWh + grid, bought.money + grid * slot.importPrice)
            case nil:
                if power < -leastKW { plan.highestPrice = max(plan.highestPrice ?? -.infinity, slot.importPrice) }
            }
            held += stored(task.battery, power, hours)
            plan.cost += cost(task, slot, power, hours)
            let usual = following(task.battery, netKW: slot.netKW, heldKWh: alone, hours: hours)
            alone += stored(task.battery, usual, hours)
            plan.costFollowing += cost(task, slot, usual, hours)
            if let action { append(&plan.intervals, slot, action) }
        }
        plan.cost -= held * endValue(task)
        plan.costFollowing -= alone * endValue(task)
        if bought.kWh > 0.01 { plan.chargingPrice = bought.money / bought.kWh }
        return plan
    }

    private static func cost(_ task: BatteryTask, _ slot: BatteryTask.Slot, _ power: Double, _ hours: Double) -> Double
    {
        let net = slot.netKW + power
        let wear = max(0, -power) * task.battery.wearPerKWh
        return (net > 0 ? net * slot.importPrice : net * slot.feedPrice) * hours + wear * hours
    }

    private static func append(
        _ intervals: inout [BatteryPlan.Interval], _ slot: BatteryTask.Slot, _ action: BatteryPlan.Action
    ) {
        if let last = intervals.last, last.end == slot.start, last.action == action {
            intervals[intervals.count - 1].end = slot.end
        } else {
            intervals.append(BatteryPlan.Interval(start: slot.start, end: slot.end, action: action))
        }
    }
}
