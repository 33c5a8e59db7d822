import Foundation
import Testing

@testable import Planning

@Suite struct PlanExplanationTests {
    private let wording: PlanWording

    init() throws {
        wording = PlanWording(
            timeZone: try #require(TimeZone(secondsFromGMT: 3600)), currencyCode: "EUR", now: evening)
    }

    @Test func saysWhenWhyAndWhatItSaves() throws {
        // 19:00 local and five hours on.
        let plan = try ChargingPlanner.plan(task(slots([0.40, 0.40, 0.20, 0.20, 0.30]), need: 22))
        #expect(
            PlanExplanation.sentence(plan, wording)
                == "charging 21:00–23:00 because those are the cheapest hours before 00:00; "
                + "4.40 € instead of 8.80 € if started now")
    }

    @Test func saysWhatWillBeMissing() throws {
        let plan = try ChargingPlanner.plan(task(slots([0.40, 0.20]), need: 30))
        #expect(
            PlanExplanation.sentence(plan, wording)
                == "charging 19:00–21:00 without a pause because 21:00 is too soon; 6.60 €; "
                + "8.0 kWh will still be missing at 21:00")
    }

    @Test func statesTheTieBreakOnAFlatDay() throws {
        let plan = try ChargingPlanner.plan(task(slots([0.30, 0.30, 0.30]), need: 11))
        #expect(PlanExplanation.sentence(plan, wording).contains("every price before 22:00 is the same"))
    }

    @Test func namesTheDayOfAFarDeadlineAndTheSunAndPaidPower() throws {
        let far = try ChargingPlanner.plan(task(slots(Array(repeating: 0.3, count: 60)), need: 11))
        #expect(PlanExplanation.sentence(far, wording).contains("before Tue 07:00"))
        let sunny = slots([0.3, 0.3]) { index, slot in slot.surplusKW = index == 1 ? 8 : 0 }
        let sun = try ChargingPlanner.plan(task(sunny, need: 5))
        #expect(PlanExplanation.sentence(sun, wording).contains("the sun gives more than the house uses"))
        let paid = try ChargingPlanner.plan(task(slots([0.3, -0.1]), need: 5))
        #expect(PlanExplanation.sentence(paid, wording).contains("using power is paid for"))
    }

    @Test(
        arguments: [
            // 18:28 on the first evening: a span of tomorrow's noon, and of the night.
            (18.47, 42.0, "tomorrow 18:00–20:00"), (18.47, 37, "tomorrow 13:00–15:00"), (18.47, 25, "01:00–03:00"),
            (18.47, 23, "23:00–01:00"), (10, 31, "tomorrow 07:00–09:00"), (1, 20, "20:00–22:00"),
            (1, -1, "23:00–01:00"), (18.47, 61, "Tue 13:00–15:00"),
        ])
    func namesTheDayWhereAPersonWouldTakeItForAnother(now: Double, start: Double, text: String) throws {
        // Midnight of Sunday, 2026-01-04, where the wording's clock shows it.
        let midnight = try Date("2026-01-03T23:00:00Z", strategy: .iso8601)
        var wording = wording
        wording.now = midnight + now * 3600
        let from = midnight + start * 3600
        #expect(wording.spans([(from, from + 7200)]) == text)
    }

    @Test func aSpanOfMoreThanADayNamesBothDays() {
        #expect(wording.spans([(evening, evening + 26 * 3600)]) == "19:00–tomorrow 21:00")
    }

    @Test func aSpanOfSecondsIsNoSpanOfNothing() {
        #expect(wording.spans([(evening, evening + 5)]) == "19:00 for less than a minute")
    }

    @Test func saysNothingIsNeeded() throws {
        let plan = try ChargingPlanner.plan(task(slots([0.3]), need: 0))
        #expect(PlanExplanation.sentence(plan, wording) == "nothing needs to be charged before 20:00")
    }

    @Test func explainsAReductionAndItsAbsence() {
        var reduction = ReductionTask(
            slots: [
                RatedSlot(start: evening, end: evening + 3600, rating: 0.9, outdoorCelsius: 0),
                RatedSlot(start: evening + 3600, end: evening + 36_000, rating: 0.1, outdoorCelsius: 0),
            ], now: evening, roomCelsius: 21, setpointCelsius: 21, comfortBandKelvin: 1)
        #expect(
            PlanExplanation.sentence(HVACReduction.plan(reduction), wording)
                == "reducing heating 19:00–20:00, the worst-rated time; the room stays at 20.5 °C or above")
        reduction.ratingThreshold = 0.95
        #expect(
            PlanExplanation.sentence(HVACReduction.plan(reduction), wording)
                == "heating runs as usual: no time is rated worse than 0.95")
    }
}
