import EnergyKit

/// A program as someone outside would write it: it imports EnergyKit alone and sets nothing up.
///
/// It uses every symbol of Apple's surface. Tests run it against a hub over each way to one, and restart the hub while
/// it runs.
///
/// It says what it sees, a line each, and ends with status 0 only if all of it was as documented.
@main struct Tour {
    static func main() async {
        do {
            let home = try await VenueTour.run()
            let guidance = try await GuidanceTour.first(at: home)
            let follower = Task { try await GuidanceTour.second(at: home, after: guidance.guidanceToken) }
            var session = VehicleSession(at: home, by: guidance)
            try await session.begin()
            // The hub goes away and comes back here; the sequence delivers its next guidance as if nothing had been.
            say("ready for a restart")
            let next = try await follower.value
            say("guidance \(next.guidanceToken) after \(guidance.guidanceToken)")
            try await session.end(by: next)
            try await HeatingSession(at: home, by: next).run()
            try await StatusTour.run(at: home, session: session.id, now: next.interval.start)
            try await InsightTour.run(at: home, day: guidance.interval)
            try await ErrorTour.run(at: home, by: next)
            say("the tour is complete")
        } catch {
            say("the tour ended early: \(error) \(error.localizedDescription)")
            exit(1)
        }
    }
}

/// Writes a line at once, also into a pipe.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Something was not as documented.
struct Surprise: Error, CustomStringConvertible {
    let description: String
}

/// Ends the tour unless `condition` holds.
func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Surprise(description: what) }
}

/// Ends the tour unless the value survives its JSON.
func expectSame<Value: Codable>(_ value: Value, _ isSame: (Value, Value) -> Bool) throws {
    let copy = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    try expect(isSame(value, copy), "\(Value.self) changes in JSON")
}
