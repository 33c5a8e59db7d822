import Foundation
import Testing

@testable import Control

@Suite("Whether a charger does as decided")
struct ObedienceTests {
    private let start = Date(timeIntervalSince1970: 1_772_452_800)

    /// One minute of the same, looked at every ten seconds: what the last look says.
    private func afterAMinute(amps: Double?, watts: Double?) -> Bool {
        var obedience = Obedience()
        var answer = true
        for seconds in stride(from: 0.0, through: 60, by: 10) {
            answer = obedience.judge(amps: amps, watts: watts, grace: 60, at: start.addingTimeInterval(seconds))
        }
        return answer
    }

    @Test(
        "power that was not decided counts after a minute; less than decided, little and unknown never do",
        arguments: [
            (0.0, 7_000.0, false), (0, 501, false), (0, 499, true), (0, 0, true), (16, 11_040, true), (16, 3_000, true),
            (6, 11_040, false), (6, 4_140, true),
        ] as [(Double?, Double?, Bool)])
    func judges(amps: Double?, watts: Double?, obeys: Bool) {
        #expect(afterAMinute(amps: amps, watts: watts) == obeys)
    }

    @Test("without a decision or a reading nobody disobeys")
    func unknown() {
        #expect(afterAMinute(amps: nil, watts: 7_000))
        #expect(afterAMinute(amps: 0, watts: nil))
    }

    @Test("a command has its time to arrive, and who does as decided again follows again")
    func grace() {
        var obedience = Obedience()
        let looks: [(seconds: Double, watts: Double)] = [
            (0, 7_000), (59, 7_000), (61, 7_000), (70, 0), (80, 7_000),
            // A clock that is set back starts the grace anew, and does not stop it for ever.
            (-3_600, 7_000), (-3_530, 7_000),
        ]
        let answers = looks.map { look in
            obedience.judge(amps: 0, watts: look.watts, grace: 60, at: start.addingTimeInterval(look.seconds))
        }
        #expect(answers == [true, true, false, true, true, true, false])
    }
}
