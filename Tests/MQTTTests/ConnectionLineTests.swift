import Testing

@testable import MQTT

/// One line for each change of state (field case M-1), a reminder each hour, and no unrounded durations.
@Suite struct ConnectionLineTests {
    private let start = ContinuousClock.now
    private let away = MQTTState.disconnected(.connectionLost("Connection refused"), retryAfter: .seconds(3.7483920))
    private let refused = MQTTState.disconnected(.refused(code: 5, text: "not authorised"), retryAfter: .seconds(1))

    private func lines(_ states: [(Double, MQTTState)]) -> [String] {
        var lines = ConnectionLines()
        return states.compactMap { seconds, state in
            lines.line(for: state, longestWait: .seconds(60), at: start + .seconds(seconds))
        }
    }

    @Test func manyAttemptsAreOneLine() {
        let attempts = (0..<60).flatMap { [(Double($0) * 50, MQTTState.connecting), (Double($0) * 50 + 1, away)] }
        let all: [(Double, MQTTState)] = [(0, .connecting), (0, .connected)] + attempts + [(3000, .connected)]
        #expect(
            lines(all) == [
                "connected",
                "not connected: Connection refused; check that the broker runs, it is tried again at least every 60 s",
                "connected again after 49 min and 60 failed attempts",
            ])
    }

    @Test func theFirstConnectionIsNoReturn() {
        #expect(lines([(0, away), (5, .connected)]).last == "connected after 5 s and one failed attempt")
        #expect(
            lines([(0, .connected), (1, away), (5, .connected)]).last
                == "connected again after 4 s and one failed attempt")
    }

    @Test func aLongOutageIsRecalledEachHour() {
        let all = lines((0..<(5 * 60)).map { (Double($0) * 60, away) })
        #expect(all.count == 5)
        #expect(all[1] == "not connected for 60 min and 61 failed attempts: Connection refused")
    }

    @Test func aRefusalIsAnotherStateThanAnAbsence() {
        let all = lines([(0, away), (1, refused), (2, away), (3, refused), (4, .connected)])
        #expect(all.count == 3)
        #expect(all[1].contains("not authorised; check user, password and access list"))
    }

    @Test(arguments: [
        (0.02, "less than a second"), (3.748392, "3 s"), (119.9, "119 s"), (3599, "59 min"), (90_000, "25 h"),
    ])
    func durationsAreWhole(seconds: Double, text: String) {
        #expect(ConnectionLines.text(.seconds(seconds)) == text)
    }
}
