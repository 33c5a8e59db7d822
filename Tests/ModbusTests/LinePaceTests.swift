import Testing

@testable import Modbus

/// How long units that were silent keep a line waiting (D-3): counted, not measured.
@Suite struct LinePaceTests {
    private static let whole = Duration.seconds(2)

    /// A line with a good unit 1.
    private static func line() -> LinePace {
        var pace = LinePace()
        pace.heard(1, after: .milliseconds(20), isSlow: false)
        return pace
    }

    private static func waits(of pace: inout LinePace, tries: Int) -> [Duration] {
        (0..<tries).map { _ in
            let patience = pace.patience(with: 2, whole: whole)
            pace.missed(2, wasCutShort: patience < whole)
            return patience
        }
    }

    @Test func aUnitThatNeverAnsweredIsTriedForAQuarterOfTheTimeAndEveryFourthTimeForAllOfIt() {
        var pace = Self.line()
        let short = Duration.milliseconds(500)
        let expected = [Self.whole, short, short, short, Self.whole, short, short, short, Self.whole]
        #expect(Self.waits(of: &pace, tries: 9) == expected)
    }

    @Test(
        "a unit that answered before gets three times what it needed",
        arguments: [
            (.milliseconds(20), .milliseconds(250)), (.milliseconds(150), .milliseconds(450)),
            (.milliseconds(900), .seconds(2)),
        ] as [(Duration, Duration)])
    func knownPace(needed: Duration, trial: Duration) {
        var pace = Self.line()
        pace.heard(2, after: needed, isSlow: needed >= .milliseconds(500))
        let waits = Self.waits(of: &pace, tries: 33)
        #expect(waits[0] == Self.whole)
        for (index, wait) in waits.enumerated().dropFirst() {
            #expect(wait == (index.isMultiple(of: 16) ? Self.whole : trial), "try \(index)")
        }
    }

    @Test func aUnitThatAnswersAgainHasTheWholeTimeAgain() {
        var pace = Self.line()
        _ = Self.waits(of: &pace, tries: 6)
        pace.heard(2, after: .milliseconds(300), isSlow: false)
        #expect(pace.patience(with: 2, whole: Self.whole) == Self.whole)
        #expect(!pace.mayDelay(2))
    }

    @Test func oneBadMomentIsForgotten() {
        var pace = Self.line()
        pace.heard(2, after: .milliseconds(1800), isSlow: true)
        for _ in 0..<100 { pace.heard(2, after: .milliseconds(30), isSlow: false) }
        pace.missed(2, wasCutShort: false)
        #expect(pace.patience(with: 2, whole: Self.whole) == .milliseconds(250))
    }

    @Test func whoIsAloneOnItsLineIsWaitedForAsLongAsTheSettingsSay() {
        var alone = LinePace()
        #expect(Self.waits(of: &alone, tries: 9) == Array(repeating: Self.whole, count: 9))
        // A line where nobody answers is no line with a dead unit.
        alone.missed(3, wasCutShort: false)
        #expect(alone.patience(with: 2, whole: Self.whole) == Self.whole)
    }

    @Test func noTrialIsLongerThanTheWholeTimeOrTooShortForASerialLine() {
        var pace = Self.line()
        pace.missed(2, wasCutShort: false)
        #expect(pace.patience(with: 2, whole: .milliseconds(200)) == .milliseconds(200))
        #expect(pace.patience(with: 2, whole: .milliseconds(400)) == .milliseconds(250))
        #expect(pace.patience(with: 2, whole: .seconds(10)) == .milliseconds(2500))
    }

    @Test func aGoodUnitIsNotBlamedForAGatewayThatStillWaitsForABadOne() {
        var pace = Self.line()
        pace.missed(2, wasCutShort: true)
        pace.heard(1, after: .milliseconds(800), isSlow: true)
        #expect(!pace.mayDelay(1))
        // The next slow answer is its own.
        pace.heard(1, after: .milliseconds(800), isSlow: true)
        #expect(pace.mayDelay(1))
    }

    /// Its own time may be longer than ours: a neighbour must not pay for a try that was given up early.
    @Test(arguments: [true, false]) func aGatewayThatWaitsAllTheSameIsGivenAllTheTime(neighbourMisses: Bool) {
        var pace = Self.line()
        pace.missed(2, wasCutShort: false)
        for _ in 0..<2 {
            #expect(pace.patience(with: 2, whole: Self.whole) < Self.whole)
            pace.missed(2, wasCutShort: true)
            if neighbourMisses {
                pace.missed(1, wasCutShort: false)
            } else {
                pace.heard(1, after: .milliseconds(1400), isSlow: true)
            }
            #expect(!pace.mayDelay(1) && !pace.isSilent(1))
            pace.heard(1, after: .milliseconds(20), isSlow: false)
        }
        #expect(Self.waits(of: &pace, tries: 20) == Array(repeating: Self.whole, count: 20))
    }

    @Test func aDeadUnitCostsItsNeighboursLittleOfADay() {
        // The pauses between the tries of a device that is away, without their jitter.
        var pace = Self.line()
        var (seconds, waited): (Double, Duration) = (0, .zero)
        var tries = 0
        while seconds < 86_400 {
            waited += Self.waits(of: &pace, tries: 1).reduce(.zero, +)
            seconds += min(30, Double(1 << min(tries, 5)))
            tries += 1
        }
        // 2880 tries of 2 s each would be 6.7 % of the day.
        #expect(waited < .seconds(86_400 * 0.03), "\(waited)")
    }
}
