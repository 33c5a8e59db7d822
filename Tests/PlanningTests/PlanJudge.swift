import Foundation

/// Judges an answer as JSON against a problem as JSON, sharing no code with the planner: the rules are written again
/// from their definition.
struct PlanJudge {
    let problem: [String: Any]
    let answer: [String: Any]

    struct Verdict {
        var cost = 0.0
        var unmet = 0.0
        var faults: [String] = []
    }

    init(problem: Data, answer: Data) throws {
        self.problem = try JSONSerialization.jsonObject(with: problem) as? [String: Any] ?? [:]
        self.answer = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
    }

    func verdict() -> Verdict { problem["appliance"] == nil ? scheduleVerdict() : applianceVerdict() }

    private func number(_ object: [String: Any], _ name: String) -> Double {
        (object[name] as? NSNumber)?.doubleValue ?? 0
    }

    private func limit(_ object: [String: Any], _ name: String) -> Double {
        (object[name] as? NSNumber)?.doubleValue ?? .infinity
    }

    private func time(_ object: [String: Any], _ name: String) -> Double {
        let formatter = ISO8601DateFormatter()
        return (object[name] as? String).flatMap(formatter.date(from:))?.timeIntervalSince1970 ?? .nan
    }

    private func list(_ object: [String: Any], _ name: String) -> [[String: Any]] {
        object[name] as? [[String: Any]] ?? []
    }

    private func scheduleVerdict() -> Verdict {
        var verdict = Verdict()
        let slots = list(problem, "slots"), vehicles = list(problem, "vehicles")
        let bounds = slots.map { (time($0, "start"), time($0, "end")) }
        let windows = vehicles.map { (time($0, "arrival"), time($0, "departure")) }
        let site = problem["site"] as? [String: Any] ?? [:], battery = problem["battery"] as? [String: Any]
        let carbonPrice = number(problem["objective"] as? [String: Any] ?? [:], "carbonPriceEurPerKg")
        var energy = vehicles.map { _ in 0.0 }, on = vehicles.map { ($0["initiallyOn"] as? Bool) ?? false }
        var stored = battery.map { number($0, "initialKWh") } ?? 0
        var at = bounds.first?.0 ?? 0
        func fault(_ text: String) { verdict.faults.append("\(text) at \(at)") }
        for step in list(answer, "schedule") {
            let start = time(step, "start"), end = time(step, "end"), hours = (end - start) / 3600
            if start != at { fault("gap") }
            at = end
            guard let place = bounds.firstIndex(where: { $0.0 <= start && end <= $0.1 }), hours > 0 else {
                fault("not within a slot")
                continue
            }
            var net = number(slots[place], "baseLoadKW") - number(slots[place], "pvKW")
            let powers = step["vehicles"] as? [String: Any] ?? [:]
            for (index, vehicle) in vehicles.enumerated() {
                let power = number(powers, vehicle["id"] as? String ?? "")
                let present = windows[index].0 <= start && end <= windows[index].1
                let ranges = vehicle["powerRangesKW"] as? [[Double]] ?? []
                if power > 1e-4, !present { fault("absent") }
                if power != 0, !ranges.contains(where: { $0[0] - 1e-4 <= power && power <= $0[1] + 1e-4 }) {
                    fault("power \(power)")
                }
                if present {
                    if power > 1e-4, !on[index] { verdict.cost += number(vehicle, "startPenaltyEur") }
                    on[index] = power > 1e-4
                }
                energy[index] += power * hours * number(vehicle, "efficiency")
                net += power
            }
            let charge = number(step, "batteryChargeKW"), discharge = number(step, "batteryDischargeKW")
            if let battery {
                if charge < 0 || discharge < 0 || min(charge, discharge) > 1e-4 { fault("battery") }
                if charge > number(battery, "maxChargeKW") + 1e-4
                    || discharge > number(battery, "maxDischargeKW") + 1e-4
                {
                    fault("battery power")
                }
                stored +=
                    charge * hours * number(battery, "chargeEfficiency") - discharge * hours
                    / number(battery, "dischargeEfficiency")
                if stored < number(battery, "minKWh") - 1e-3 || stored > number(battery, "capacityKWh") + 1e-3 {
                    fault("stored \(stored)")
                }
                verdict.cost += discharge * hours * number(battery, "wearEurPerKWh")
            } else if charge != 0 || discharge != 0 {
                fault("no battery")
            }
            let curtail = number(step, "curtailKW")
            if curtail < 0
                || curtail > 1e-4
                    && (site["curtailAllowed"] as? Bool != true || curtail > number(slots[place], "pvKW") + 1e-4)
            {
                fault("curtailment \(curtail)")
            }
            net += charge - discharge + curtail
            let exports = site["exportAllowed"] as? Bool ?? false
            if net > limit(site, "importLimitKW") + 1e-4 { fault("import \(net)") }
            if -net > (exports ? limit(site, "exportLimitKW") : 0) + 1e-4 { fault("export \(-net)") }
            let price = number(slots[place], "importPrice") + carbonPrice * number(slots[place], "carbonGPerKWh") / 1000
            verdict.cost += hours * (net > 0 ? net * price : exports ? net * number(slots[place], "exportPrice") : 0)
        }
        if at != bounds.last?.1 { fault("ends early") }
        for (index, vehicle) in vehicles.enumerated() {
            if energy[index] > number(vehicle, "maxEnergyKWh") + 1e-4 { fault("too much energy") }
            let missing = number(vehicle, "minEnergyKWh") - energy[index]
            if missing > 1e-4 { verdict.unmet += missing }
        }
        if let battery, stored < number(battery, "finalKWh") - 1e-3 { fault("battery ends low") }
        return verdict
    }

    private func applianceVerdict() -> Verdict {
        var verdict = Verdict()
        let appliance = problem["appliance"] as? [String: Any] ?? [:]
        let starts = (answer["starts"] as? [String] ?? []).map { time(["at": $0], "at") }
        if starts.isEmpty { verdict.faults.append("no start") }
        for (index, start) in starts.enumerated() {
            var at = start, cost = 0.0, covered = 0.0
            for phase in list(appliance, "phases") {
                let end = at + number(phase, "minutes") * 60
                for slot in list(problem, "slots") {
                    let hours = max(0, min(end, time(slot, "end")) - max(at, time(slot, "start"))) / 3600
                    cost += hours * number(phase, "powerKW") * number(slot, "importPrice")
                    covered += hours * 3600
                }
                at = end
            }
            if start < time(appliance, "earliestStart") || at > time(appliance, "latestEnd") {
                verdict.faults.append("window")
            }
            if abs(covered - (at - start)) > 1e-6 { verdict.faults.append("outside the slots") }
            if index > 0, abs(cost - verdict.cost) > 1e-9 { verdict.faults.append("starts differ in cost") }
            verdict.cost = cost
        }
        return verdict
    }
}
