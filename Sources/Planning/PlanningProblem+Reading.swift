package import Foundation

extension PlanningProblem: Decodable {
    /// Reads a problem from a decoder; use `read(_:)` for JSON text, which also reports text that is not JSON.
    /// - Throws: `PlanningError.invalid` with every fault found.
    package init(from decoder: any Decoder) throws {
        self = try PlanningProblem(JSONValue(from: decoder))
    }

    /// Reads a problem from JSON text.
    /// - Throws: `PlanningError.invalid` with every fault found.
    package static func read(_ json: Data) throws(PlanningError) -> PlanningProblem {
        let document: JSONValue
        do {
            document = try JSONDecoder().decode(JSONValue.self, from: json)
        } catch {
            throw .invalid([
                ProblemFault(
                    "$", "is not JSON (\(reason(error)))",
                    remedy: "check brackets, commas and numbers; NaN and infinity are not JSON")
            ])
        }
        return try PlanningProblem(document)
    }

    private static func reason(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "unreadable" }
        let underlying = context.underlyingError.map { String(describing: ($0 as NSError).userInfo.values.first ?? $0) }
        return underlying ?? context.debugDescription
    }

    private init(_ document: JSONValue) throws(PlanningError) {
        var reader = FieldReader(document, path: "")
        guard reader.faults.isEmpty else { throw .invalid(reader.faults) }
        self.init(slots: Self.slots(&reader))
        if reader.has("appliance") {
            if reader.has("vehicles") {
                reader.fault("appliance", "stands beside vehicles", remedy: "plan an appliance or vehicles, not both")
            }
            appliance = Self.appliance(&reader)
        } else if reader.has("vehicles") || !reader.has("battery") {
            vehicles = Self.vehicles(&reader)
        }
        site = Self.site(&reader)
        limits = Self.circuits(&reader, slots: slots.count)
        battery = Self.battery(&reader)
        carbonPricePerKg = Self.carbonPrice(&reader)
        reader.refuseUnknown(besides: ["id", "class", "timeZone", "description", "source", "optimum"])
        // What the values mean together is looked at only when each could be read, or faults would breed faults.
        let faults = reader.faults.isEmpty ? check() : reader.faults
        guard faults.isEmpty else { throw .invalid(faults) }
    }

    private static func slots(_ reader: inout FieldReader) -> [Slot] {
        reader.list("slots", "the horizon's slots").enumerated().map { index, value in
            var slot = FieldReader(value, path: "slots[\(index)]")
            let result = Slot(
                start: slot.time("start"), end: slot.time("end"),
                importPrice: slot.number("importPrice", "the price per kWh drawn"),
                exportPrice: slot.optionalNumber("exportPrice", "the price per kWh fed in"),
                baseLoadKW: slot.optionalNumber("baseLoadKW", "kilowatts") ?? 0,
                pvKW: slot.optionalNumber("pvKW", "kilowatts") ?? 0,
                carbonGPerKWh: slot.optionalNumber("carbonGPerKWh", "grams per kWh"))
            slot.refuseUnknown()
            reader.add(slot.faults)
            return result
        }
    }

    private static func vehicles(_ reader: inout FieldReader) -> [Vehicle] {
        reader.list("vehicles", "the vehicles").enumerated().map { index, value in
            var vehicle = FieldReader(value, path: "vehicles[\(index)]")
            let result = Vehicle(
                id: vehicle.text("id", "a name"), arrival: vehicle.time("arrival"),
                departure: vehicle.time("departure"),
                minEnergyKWh: vehicle.number("minEnergyKWh", "the least energy needed in kWh"),
                maxEnergyKWh: vehicle.number("maxEnergyKWh", "the most energy taken in kWh"),
                ranges: ranges(&vehicle),
                efficiency: vehicle.number("efficiency", "the share that reaches the car, above 0 up to 1"),
                startPenalty: vehicle.optionalNumber("startPenaltyEur", "the cost of a start") ?? 0,
                initiallyOn: vehicle.flag("initiallyOn"))
            vehicle.refuseUnknown()
            reader.add(vehicle.faults)
            return result
        }
    }

    private static func ranges(_ vehicle: inout FieldReader) -> [PowerRange] {
        var ranges: [PowerRange] = []
        for (index, value) in vehicle.list("powerRangesKW", "the powers it can draw").enumerated() {
            if case .array(let ends) = value, ends.count == 2, case .number(let low) = ends[0],
                case .number(let high) = ends[1]
            {
                ranges.append(PowerRange(low, high))
            } else {
                vehicle.fault(
                    "powerRangesKW[\(index)]", "is not a pair of numbers", remedy: "write [least kW, most kW]")
            }
        }
        return ranges
    }

    private static func appliance(_ reader: inout FieldReader) -> Appliance {
        var appliance = FieldReader(reader.value("appliance") ?? .null, path: "appliance")
        let phases = appliance.list("phases", "the programme's phases").enumerated().map { index, value in
            var phase = FieldReader(value, path: "appliance.phases[\(index)]")
            let minutes = phase.number("minutes", "the phase's length in minutes")
            let seconds = (minutes * 60).rounded()
            if abs(seconds - minutes * 60) > 1e-6 {
                phase.fault("minutes", "\(minutes) is not a whole number of seconds", remedy: "round it to a second")
            }
            let result = Appliance.Phase(seconds: Int(seconds), powerKW: phase.number("powerKW", "kilowatts"))
            phase.refuseUnknown()
            appliance.add(phase.faults)
            return result
        }
        let result = Appliance(
            earliestStart: appliance.time("earliestStart"), latestEnd: appliance.time("latestEnd"), phases: phases)
        appliance.refuseUnknown()
        reader.add(appliance.faults)
        return result
    }

    private static func site(_ reader: inout FieldReader) -> Site {
        guard let value = reader.value("site") else { return Site() }
        var site = FieldReader(value, path: "site")
        let result = Site(
            importLimitKW: site.optionalNumber("importLimitKW", "kilowatts, or null for no limit"),
            exportAllowed: site.flag("exportAllowed"),
            exportLimitKW: site.optionalNumber("exportLimitKW", "kilowatts, or null for no limit"),
            curtailAllowed: site.flag("curtailAllowed"))
        site.refuseUnknown()
        reader.add(site.faults)
        return result
    }

    private static func circuits(_ reader: inout FieldReader, slots: Int) -> [SharedLimit] {
        guard reader.has("circuits") else { return [] }
        return reader.list("circuits", "circuits that vehicles share").enumerated().map { index, value in
            var circuit = FieldReader(value, path: "circuits[\(index)]")
            let id = circuit.text("id", "a name")
            let limit = circuit.number("limitKW", "kilowatts")
            var shares: [String: Double] = [:]
            for (place, name) in circuit.list("vehicles", "the vehicles on it").enumerated() {
                if case .string(let name) = name {
                    shares[name] = 1
                } else {
                    circuit.fault("vehicles[\(place)]", "is no name", remedy: "write a vehicle's id")
                }
            }
            circuit.refuseUnknown()
            reader.add(circuit.faults)
            return SharedLimit(id: id, limitKW: Array(repeating: limit, count: slots), shares: shares)
        }
    }

    private static func battery(_ reader: inout FieldReader) -> Battery? {
        guard let value = reader.value("battery") else { return nil }
        var battery = FieldReader(value, path: "battery")
        let result = Battery(
            capacityKWh: battery.number("capacityKWh", "the capacity in kWh"),
            minKWh: battery.optionalNumber("minKWh", "kilowatt-hours") ?? 0,
            initialKWh: battery.number("initialKWh", "the energy stored at the start in kWh"),
            finalKWh: battery.number("finalKWh", "the least energy stored at the end in kWh"),
            maxChargeKW: battery.number("maxChargeKW", "kilowatts"),
            maxDischargeKW: battery.number("maxDischargeKW", "kilowatts"),
            chargeEfficiency: battery.number("chargeEfficiency", "a share above 0 up to 1"),
            dischargeEfficiency: battery.number("dischargeEfficiency", "a share above 0 up to 1"),
            wearPerKWh: battery.optionalNumber("wearEurPerKWh", "currency per kWh discharged") ?? 0)
        battery.refuseUnknown()
        reader.add(battery.faults)
        return result
    }

    private static func carbonPrice(_ reader: inout FieldReader) -> Double {
        guard let value = reader.value("objective") else { return 0 }
        var objective = FieldReader(value, path: "objective")
        let kind = objective.text("kind", "the objective's kind")
        let kinds = ["cost", "costPlusCarbon", "shortfallThenCost", "contiguousCost"]
        if !kind.isEmpty, !kinds.contains(kind) {
            objective.fault("kind", "\"\(kind)\" is unknown", remedy: "use one of \(kinds.joined(separator: ", "))")
        }
        let price = objective.optionalNumber("carbonPriceEurPerKg", "currency per kilogram") ?? 0
        objective.refuseUnknown()
        reader.add(objective.faults)
        return price
    }
}
