import TestSupport
import Testing

/// A virtual day of a thermostat and of an SG-Ready heat pump under the hub's control, also with the connection lost.
@Suite(.timeLimit(.minutes(3))) struct HeatingDayTests {
    enum Cut: CaseIterable, Sendable {
        case never, whileReduced, aroundTheReduction, everyFewMinutes

        /// Whether the device can't be reached at an hour of the day.
        func isLost(_ hour: Double, _ isReduced: Bool) -> Bool {
            switch self {
            case .never: false
            // From the middle of the evening's reduction on for three hours.
            case .whileReduced: (18.4..<21.4).contains(hour)
            case .aroundTheReduction: (17.5..<18.5).contains(hour)
            // Ten minutes of each half hour.
            case .everyFewMinutes: hour.truncatingRemainder(dividingBy: 0.5) < 1.0 / 6
            }
        }
    }

    private static let bad: [Int: Double] = [7: 0.9, 18: 0.95, 19: 0.93]

    @Test(arguments: Cut.allCases) func aThermostatStaysInItsBandAndHasItsSetpointBack(cut: Cut) async throws {
        let day = try await HeatingDay(.thermostat, bad: Self.bad)
        let outcome = await day.pass(hours: 24, lost: cut.isLost)
        let room = day.twin.room
        #expect(room.coldest >= 21 - HeatingDay.band && room.warmest <= 21 + HeatingDay.band, "\(room)")
        #expect(outcome.reducedSeconds >= 1800, "\(outcome)")
        // Two reductions are four changes, there and back; a lost line may repeat one.
        #expect(outcome.writes <= 6 && outcome.mostInAnHour <= 2, "\(outcome)")
        #expect(day.twin.setpoint == 21)
        await day.end()
        #expect(day.twin.setpoint == 21)
    }

    @Test(arguments: Cut.allCases) func anSGReadyPumpIsNeverReducedForLongerThanItMay(cut: Cut) async throws {
        let day = try await HeatingDay(.stiebel, bad: Self.bad)
        let outcome = await day.pass(hours: 24, lost: cut.isLost)
        let room = day.twin.room
        // The room is measured in tenths, and a pump that was kept off takes a minute to be let go.
        let slack = 0.1
        #expect(room.coldest >= 21 - HeatingDay.band - slack, "\(room)")
        #expect(room.warmest <= 21 + HeatingDay.band + slack, "\(room)")
        #expect(outcome.reducedSeconds >= 1200, "\(outcome)")
        #expect(room.longestLock <= 2 * 3600, "\(room)")
        // While it is reduced or boosted it is told every 30 s, two contacts each, since it forgets; otherwise never.
        #expect(Double(outcome.writes) <= outcome.reducedSeconds / 30 * 2 + 40, "\(outcome)")
        #expect(day.twin.setpoint == 21)
        let before = day.twin.device.writes.count
        let quiet = await day.pass(hours: 2)
        #expect(quiet.writes == 0 && day.twin.device.writes.count == before, "\(quiet)")
        await day.end()
        #expect(!day.isReduced)
    }

    @Test("the hub's end in a reduction gives the device back", arguments: [RoomTwin.Kind.thermostat, .stiebel])
    func end(kind: RoomTwin.Kind) async throws {
        let day = try await HeatingDay(kind, bad: [1: 0.95])
        _ = await day.pass(hours: 1.25)
        #expect(day.isReduced)
        await day.end()
        day.twin.pass(HeatingDay.stepSeconds, writes: 1)
        #expect(!day.isReduced && day.twin.setpoint == 21)
    }
}
