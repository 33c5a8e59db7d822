import MQTT
import Testing

@Suite struct BackoffTests {
    private let backoff = MQTTBackoff(initial: .seconds(1), maximum: .seconds(60))

    @Test(arguments: [(1, 1.0), (2, 2), (3, 4), (6, 32), (7, 60), (1_000_000, 60)])
    func doublesUpToTheLimit(failures: Int, seconds: Double) {
        #expect(backoff.wait(afterFailures: failures, chance: 1) == .seconds(seconds))
        #expect(backoff.wait(afterFailures: failures, chance: 0) == .seconds(seconds / 2))
    }

    @Test func dependsOnChance() {
        let waits = Set((0..<50).map { _ in backoff.wait(afterFailures: 3) })
        #expect(waits.count > 1)
        #expect(waits.allSatisfy { .seconds(2) <= $0 && $0 <= .seconds(4) })
    }
}
