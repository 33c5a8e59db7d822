import Foundation
import Planning
import Testing

@Suite struct PlanningProblemTests {
    static let good = """
        {"slots": [
            {"start": "2026-01-31T18:00:00Z", "end": "2026-01-31T19:00:00Z", "importPrice": 0.30, "baseLoadKW": 0.4},
            {"start": "2026-01-31T20:00:00+01:00", "end": "2026-01-31T20:30:00.000Z", "importPrice": -0.05,
             "exportPrice": null, "carbonGPerKWh": 250, "pvKW": 1}],
         "vehicles": [{"id": "car", "arrival": "2026-01-31T18:10:00Z", "departure": "2026-01-31T20:20:00Z",
             "minEnergyKWh": 3, "maxEnergyKWh": 5, "powerRangesKW": [[1.4, 3.7], [4.1, 11]], "efficiency": 0.9}],
         "site": {"importLimitKW": 17.25, "exportAllowed": false, "exportLimitKW": null, "curtailAllowed": true},
         "objective": {"kind": "costPlusCarbon", "carbonPriceEurPerKg": 0.1},
         "description": "members that do not matter are skipped"}
        """

    /// The faults of the good problem with one text replaced.
    private func faults(_ old: String, _ new: String) -> [ProblemFault] {
        let text = PlanningProblemTests.good.replacingOccurrences(of: old, with: new)
        precondition(text != PlanningProblemTests.good)
        do {
            _ = try PlanningProblem.read(Data(text.utf8))
            return []
        } catch {
            guard case .invalid(let faults) = error else { return [] }
            return faults
        }
    }

    @Test func readsEveryMember() throws {
        let problem = try PlanningProblem.read(Data(PlanningProblemTests.good.utf8))
        #expect(problem.slots.count == 2)
        #expect(problem.slots[0].start == 1_769_882_400)
        #expect(problem.slots[1].start == problem.slots[0].end)
        #expect(problem.slots[1].end - problem.slots[1].start == 5400)
        #expect(problem.slots[0].carbonGPerKWh == nil)
        #expect(problem.slots[1].exportPrice == nil)
        #expect(problem.vehicles[0].ranges == [PowerRange(1.4, 3.7), PowerRange(4.1, 11)])
        #expect(problem.vehicles[0].arrival == problem.slots[0].start + 600)
        #expect(problem.site.importLimitKW == 17.25)
        #expect(problem.site.exportLimitKW == nil)
        #expect(problem.site.curtailAllowed)
        #expect(problem.carbonPricePerKg == 0.1)
    }

    @Test(
        "names the place and the remedy",
        arguments: [
            (
                "2026-01-31T19:00:00Z\", \"importPrice\": 0.30", "2026-01-31T18:59:00Z\", \"importPrice\": 0.30",
                "slots[1].start"
            ),
            ("\"end\": \"2026-01-31T19:00:00Z\"", "\"end\": \"2026-01-31T17:00:00Z\"", "slots[0].end"),
            ("\"importPrice\": 0.30", "\"importPrice\": \"NaN\"", "slots[0].importPrice"),
            ("\"importPrice\": 0.30", "\"importPrice\": null", "slots[0].importPrice"),
            ("\"importPrice\": 0.30", "\"importPrice\": 1e300", "slots[0].importPrice"),
            ("\"baseLoadKW\": 0.4", "\"baseLoadKW\": -0.4", "slots[0].baseLoadKW"),
            ("2026-01-31T18:10:00Z", "2026-01-31T18:10:00", "vehicles[0].arrival"),
            ("2026-01-31T18:10:00Z", "2026-02-30T18:10:00Z", "vehicles[0].arrival"),
            ("2026-01-31T18:10:00Z", "2026-01-31T18:10:00.5Z", "vehicles[0].arrival"),
            ("2026-01-31T18:10:00Z", "2026-01-31T20:20:00Z", "vehicles[0].departure"),
            ("\"maxEnergyKWh\": 5", "\"maxEnergyKWh\": 2", "vehicles[0].maxEnergyKWh"),
            ("[[1.4, 3.7], [4.1, 11]]", "[[1.4, 5], [4.1, 11]]", "vehicles[0].powerRangesKW[1]"),
            ("[[1.4, 3.7], [4.1, 11]]", "[[3.7, 1.4]]", "vehicles[0].powerRangesKW[0]"),
            ("[[1.4, 3.7], [4.1, 11]]", "[[1.4, \"x\"]]", "vehicles[0].powerRangesKW[0]"),
            ("[[1.4, 3.7], [4.1, 11]]", "[]", "vehicles[0].powerRangesKW"),
            ("\"efficiency\": 0.9", "\"efficiency\": 90", "vehicles[0].efficiency"),
            ("\"importLimitKW\": 17.25", "\"importLimitKW\": -1", "site.importLimitKW"),
            ("\"exportAllowed\": false", "\"exportAllowed\": \"no\"", "site.exportAllowed"),
            ("costPlusCarbon", "beauty", "objective.kind"),
            ("\"id\": \"car\"", "\"id\": 7", "vehicles[0].id"),
            ("\"vehicles\"", "\"vehicels\"", "vehicels"), ("\"slots\"", "\"slot\"", "slot"),
            ("\"importLimitKW\"", "\"importLimitKw\"", "site.importLimitKw"),
            ("\"baseLoadKW\"", "\"baseLoad\"", "slots[0].baseLoad"),
            ("\"minEnergyKWh\"", "\"minEnergy\"", "vehicles[0].minEnergy"),
            ("\"efficiency\": 0.9", "\"efficiency\": 0.9, \"colour\": 1", "vehicles[0].colour"),
            ("\"carbonPriceEurPerKg\"", "\"carbonPricePerKg\"", "objective.carbonPricePerKg"),
        ])
    func namesThePlaceAndTheRemedy(old: String, new: String, path: String) {
        let faults = faults(old, new)
        #expect(faults.map(\.path) == [path])
        #expect(faults.allSatisfy { !$0.remedy.isEmpty && !$0.problem.isEmpty })
    }

    @Test(
        "an unknown key is refused with the nearest known one, whether that stands there or not",
        arguments: [
            ("\"minEnergyKWh\": 3", "\"minEnergykWh\": 3", "did you mean 'minEnergyKWh'?"),
            (
                "\"minEnergyKWh\": 3", "\"minEnergyKWh\": 3, \"minEnergykWh\": 3",
                "did you mean 'minEnergyKWh', which stands here too?"
            ), ("\"pvKW\": 1", "\"pvKW\": 1, \"pvKw\": 1", "did you mean 'pvKW', which stands here too?"),
        ])
    func namesTheNearestKnownKey(old: String, new: String, remedy: String) {
        #expect(faults(old, new).map(\.remedy) == [remedy])
    }

    @Test func aHouseWithABatteryNeedsNoVehicles() throws {
        let battery = """
            "battery": {"capacityKWh": 10, "initialKWh": 5, "finalKWh": 5, "maxChargeKW": 5, "maxDischargeKW": 5,
            "chargeEfficiency": 0.95, "dischargeEfficiency": 0.95},
            """
        let vehicles = try #require(
            PlanningProblemTests.good.range(of: #"(?s)"vehicles": \[.*0.9\}\],"#, options: [.regularExpression]))
        var text = PlanningProblemTests.good.replacingCharacters(in: vehicles, with: battery)
        let problem = try PlanningProblem.read(Data(text.utf8))
        #expect(problem.vehicles.isEmpty && problem.battery != nil)
        text = PlanningProblemTests.good.replacingCharacters(in: vehicles, with: "")
        #expect(throws: PlanningError.self) { try PlanningProblem.read(Data(text.utf8)) }
    }

    @Test func reportsAllFaultsAtOnce() {
        let text = PlanningProblemTests.good.replacingOccurrences(of: "\"efficiency\": 0.9", with: "\"efficiency\": 0")
            .replacingOccurrences(of: "\"importLimitKW\": 17.25", with: "\"importLimitKW\": -3")
            .replacingOccurrences(of: "\"pvKW\": 1", with: "\"pvKW\": -1")
        #expect {
            try PlanningProblem.read(Data(text.utf8))
        } throws: { error in
            guard case PlanningError.invalid(let faults) = error else { return false }
            return Set(faults.map(\.path)) == ["vehicles[0].efficiency", "site.importLimitKW", "slots[1].pvKW"]
        }
    }

    @Test("text that is no problem", arguments: ["", "{", "[]", "null", "{\"slots\": NaN}", "7", "{}"])
    func refusesTextThatIsNoProblem(text: String) {
        #expect {
            try PlanningProblem.read(Data(text.utf8))
        } throws: { error in
            guard case PlanningError.invalid(let faults) = error else { return false }
            return !faults.isEmpty
        }
    }

    @Test func readsABatteryAndItsFaults() {
        let battery = """
            "battery": {"capacityKWh": 10, "minKWh": 1, "initialKWh": 0.5, "finalKWh": 12, "maxChargeKW": -5,
            "maxDischargeKW": 5, "chargeEfficiency": 0.95, "dischargeEfficiency": 1.2},
            """
        let faults = faults("\"objective\"", battery + "\"objective\"")
        #expect(
            Set(faults.map(\.path)) == [
                "battery.initialKWh", "battery.finalKWh", "battery.maxChargeKW", "battery.dischargeEfficiency",
            ])
    }

    @Test func survivesTextCutOffAnywhere() {
        let bytes = Array(PlanningProblemTests.good.utf8)
        for length in stride(from: 0, to: bytes.count - 1, by: 7) {
            #expect(throws: PlanningError.self) { try PlanningProblem.read(Data(bytes[..<length])) }
        }
    }
}
