import TestSupport
import Testing

/// A program whose hub is not there says so, says what to do, and ends.
@Suite(.timeLimit(.minutes(5))) struct WithoutAHubTests {
    @Test(arguments: Example.allCases) func programSaysWhatToDo(_ example: Example) async throws {
        let outcome = try await ChildProcess.run(
            example.program, [example == .insightChart ? "--days" : "--run", "1"],
            environment: ["OFFPEAK_URL": "http://127.0.0.1:9"])
        #expect(outcome.status == (example == .chargerApp ? 75 : 1))
        #expect(outcome.standardOutput.contains("error: The energy hub cannot be reached."))
        #expect(outcome.standardOutput.contains("See that the hub runs"))
    }
}
