extension PlanningProblem {
    /// Every fault in what the values mean together; empty if the problem can be planned.
    package func check() -> [ProblemFault] {
        var faults = slotFaults() + siteFaults() + limitFaults()
        if appliance == nil, vehicles.isEmpty, battery == nil {
            faults.append(
                ProblemFault("vehicles", "is empty", remedy: "give at least one vehicle, a battery, or an appliance"))
        }
        var seen: Set<String> = []
        for (index, vehicle) in vehicles.enumerated() {
            let path = "vehicles[\(index)]"
            if !seen.insert(vehicle.id).inserted {
                faults.append(
                    ProblemFault("\(path).id", "\"\(vehicle.id)\" is used twice", remedy: "give each its own name"))
            }
            faults += vehicle.faults(at: path)
        }
        faults += battery?.faults() ?? []
        faults += appliance?.faults() ?? []
        return faults
    }

    private func slotFaults() -> [ProblemFault] {
        var faults: [ProblemFault] = []
        if slots.isEmpty {
            faults.append(ProblemFault("slots", "is empty", remedy: "give at least one slot with a price"))
        }
        for (index, slot) in slots.enumerated() {
            let path = "slots[\(index)]"
            if slot.end <= slot.start {
                faults.append(
                    ProblemFault("\(path).end", "is not after the start", remedy: "let each slot end after it starts"))
            }
            // A slot that ends too early is one fault, not another at the slot after it.
            if index > 0, slot.start != slots[index - 1].end, slots[index - 1].end > slots[index - 1].start {
                let word = slot.start > slots[index - 1].end ? "leaves a gap after" : "overlaps"
                faults.append(
                    ProblemFault(
                        "\(path).start", "\(UTCText.text(slot.start)) \(word) the slot before",
                        remedy: "start where the slot before ends, at \(UTCText.text(slots[index - 1].end))"))
            }
            faults += FaultFinder(path: path).notNegative([
                ("baseLoadKW", slot.baseLoadKW), ("pvKW", slot.pvKW), ("carbonGPerKWh", slot.carbonGPerKWh),
            ])
            faults += FaultFinder(path: path).prices([
                ("importPrice", slot.importPrice), ("exportPrice", slot.exportPrice),
            ])
        }
        return faults
    }

    private func siteFaults() -> [ProblemFault] {
        FaultFinder(path: "site").notNegative([
            ("importLimitKW", site.importLimitKW), ("exportLimitKW", site.exportLimitKW),
        ]) + FaultFinder(path: "objective").notNegative([("carbonPriceEurPerKg", carbonPricePerKg)])
    }
}

extension PlanningProblem.Vehicle {
    fileprivate func faults(at path: String) -> [ProblemFault] {
        let finder = FaultFinder(path: path)
        var faults = finder.notNegative([
            ("minEnergyKWh", minEnergyKWh), ("maxEnergyKWh", maxEnergyKWh), ("startPenaltyEur", startPenalty),
        ])
        if departure <= arrival {
            faults.append(
                ProblemFault("\(path).departure", "is not after the arrival", remedy: "let it depart after it arrives"))
        }
        if maxEnergyKWh < minEnergyKWh {
            faults.append(
                ProblemFault(
                    "\(path).maxEnergyKWh", "\(maxEnergyKWh) is below minEnergyKWh \(minEnergyKWh)",
                    remedy: "give at least the least energy"))
        }
        faults += finder.share("efficiency", efficiency)
        return faults + finder.ranges(ranges)
    }
}

extension PlanningProblem.Battery {
    fileprivate func faults() -> [ProblemFault] {
        let finder = FaultFinder(path: "battery")
        var faults = finder.notNegative([
            ("minKWh", minKWh), ("maxChargeKW", maxChargeKW), ("maxDischargeKW", maxDischargeKW),
            ("wearEurPerKWh", wearPerKWh), ("capacityKWh", capacityKWh),
        ])
        faults += finder.share("chargeEfficiency", chargeEfficiency)
        faults += finder.share("dischargeEfficiency", dischargeEfficiency)
        for (name, stored) in [("initialKWh", initialKWh), ("finalKWh", finalKWh)]
        where !(minKWh <= stored && stored <= capacityKWh) {
            faults.append(
                ProblemFault(
                    "battery.\(name)", "\(stored) is not within \(minKWh)…\(capacityKWh)",
                    remedy: "give an energy between minKWh and capacityKWh"))
        }
        return faults
    }
}

extension PlanningProblem.Appliance {
    fileprivate func faults() -> [ProblemFault] {
        var faults: [ProblemFault] = []
        if phases.isEmpty {
            faults.append(ProblemFault("appliance.phases", "is empty", remedy: "give at least one phase"))
        }
        for (index, phase) in phases.enumerated() {
            let path = "appliance.phases[\(index)]"
            if phase.seconds <= 0 {
                faults.append(ProblemFault("\(path).minutes", "is not above 0", remedy: "give its length in minutes"))
            }
            faults += FaultFinder(path: path).notNegative([("powerKW", phase.powerKW)])
        }
        if latestEnd - earliestStart < totalSeconds {
            faults.append(
                ProblemFault(
                    "appliance.latestEnd", "leaves \(latestEnd - earliestStart) s for a programme of \(totalSeconds) s",
                    remedy: "start earlier or end later"))
        }
        return faults
    }
}

/// Finds faults of single members of one object.
private struct FaultFinder {
    let path: String

    func prices(_ members: [(String, Double?)]) -> [ProblemFault] {
        members.compactMap { name, value in
            guard let value, !(value.magnitude <= 1e5) else { return nil }
            return ProblemFault("\(path).\(name)", "\(value) is no price per kWh", remedy: "give at most 100000")
        }
    }

    func notNegative(_ members: [(String, Double?)]) -> [ProblemFault] {
        members.compactMap { name, value in
            guard let value, !(value >= 0 && value <= 1e6) else { return nil }
            return ProblemFault(
                "\(path).\(name)", "\(value) is negative or out of range", remedy: "give a number from 0 to 1000000")
        }
    }

    func share(_ name: String, _ value: Double) -> [ProblemFault] {
        guard !(value > 0 && value <= 1) else { return [] }
        return [ProblemFault("\(path).\(name)", "\(value) is not a share", remedy: "give a number above 0 up to 1")]
    }

    func ranges(_ ranges: [PowerRange]) -> [ProblemFault] {
        guard !ranges.isEmpty else {
            return [ProblemFault("\(path).powerRangesKW", "is empty", remedy: "give at least one range [least, most]")]
        }
        var faults: [ProblemFault] = []
        for (index, range) in ranges.enumerated() {
            let place = "\(path).powerRangesKW[\(index)]"
            if !(range.lowKW >= 0 && range.highKW > 0 && range.lowKW <= range.highKW && range.highKW <= 1e6) {
                faults.append(
                    ProblemFault(
                        place, "[\(range.lowKW), \(range.highKW)] is not a range of powers",
                        remedy: "write [least, most] with 0 ≤ least ≤ most and most above 0"))
            }
            if index > 0, !(range.lowKW > ranges[index - 1].highKW) {
                faults.append(
                    ProblemFault(
                        place, "does not lie above the range before it",
                        remedy: "sort the ranges and join those that overlap"))
            }
        }
        return faults
    }
}
