package import Foundation
import ThreadKit

/// A program started by a test, which cannot outlive the object that stands for it.
///
/// Started with `posix_spawn`, an empty signal mask and default signal actions: the threads of Swift's pool block nearly
/// every signal, and a child started by Foundation's `Process` would inherit that and ignore `SIGTERM`.
///
/// ## Thread Safety
/// Every member may be used from any task. Nothing here blocks a thread of the cooperative pool.
package final class ChildProcess: Sendable {
    /// What a program that ran to its end left behind.
    package struct Outcome: Sendable {
        /// The exit status, or 128 plus the number of the signal that ended the program.
        package let status: Int32
        /// All that it wrote to standard output.
        package let standardOutput: String
        /// All that it wrote to standard error.
        package let standardError: String
    }

    /// Why a program could not be started, or did not say what was awaited.
    package enum Failure: Error, Equatable {
        /// `posix_spawn` refused; the system's error text.
        case cannotStart(String, reason: String)
        /// The program closed its output without the awaited text; what it wrote until then.
        case endedWithout(String, output: [String])
        /// The text did not appear in time; what the program wrote until then.
        case timedOut(String, output: [String])
    }

    /// The number the system knows the process by.
    package let processID: Int32
    private let state: ChildState

    /// Starts a program.
    /// - Parameters:
    ///   - executable: a path, or a name that is looked up in `PATH` and the system's `sbin` folders.
    ///   - arguments: without the program's own name.
    ///   - environment: added to the test's own environment; an empty value removes the name.
    ///   - workingDirectory: the folder to start in; the test's own when nil.
    ///   - input: a file for standard input; `/dev/null` when nil.
    /// - Throws: `Failure.cannotStart`.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
        workingDirectory: URL? = nil, input: URL? = nil
    ) throws {
        let path = Self.path(of: executable) ?? executable
        let whole = ProcessInfo.processInfo.environment.merging(environment) { $1 }.filter { !$0.value.isEmpty }
        let spawned = try Spawn(
            path: path, arguments: arguments, environment: whole, directory: workingDirectory?.path,
            input: input?.path ?? "/dev/null"
        ).start()
        processID = spawned.processID
        state = ChildState(processID: spawned.processID)
        state.read(spawned.standardOutput, as: .standardOutput)
        state.read(spawned.standardError, as: .standardError)
        state.reap()
    }

    deinit {
        state.signal(SIGKILL)
    }

    /// Starts a program, waits for its end and returns what it wrote.
    ///
    /// Takes the arguments of `init`. Cancelling the task kills the program.
    /// - Throws: `Failure.cannotStart`.
    package static func run(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
        workingDirectory: URL? = nil, input: URL? = nil
    ) async throws -> Outcome {
        let child = try ChildProcess(
            executable, arguments, environment: environment, workingDirectory: workingDirectory, input: input)
        return await withTaskCancellationHandler {
            for await _ in child.lines() {}
            let status = await child.waitUntilExit()
            return Outcome(
                status: status, standardOutput: child.state.text(of: .standardOutput),
                standardError: child.state.text(of: .standardError))
        } onCancel: {
            child.kill()
        }
    }

    /// Where a program is: the path itself if it has a slash, else the first hit in `PATH` and the `sbin` folders.
    package static func path(of executable: String) -> String? {
        if executable.contains("/") { return executable }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/usr/local/sbin", "/sbin"])
            .map { $0 + "/" + executable }
            .first { access($0, X_OK) == 0 }
    }

    /// Every line written so far, standard output and standard error together in order of arrival.
    package var output: [String] { state.lines }

    /// Every line from the program's start on, as they come; ends when the program has closed both outputs.
    package func lines() -> AsyncStream<String> {
        state.stream()
    }

    /// Waits for a line, also among those already written.
    /// - Parameters:
    ///   - text: what the line must contain.
    ///   - timeout: how long to wait at most.
    /// - Returns: the whole line.
    /// - Throws: `Failure.endedWithout`, `Failure.timedOut`, or `CancellationError`.
    @discardableResult
    package func waitForLine(containing text: String, timeout: Duration = .seconds(20)) async throws -> String {
        try await withThrowingTaskGroup(of: String.self) { [state] group in
            group.addTask {
                for await line in state.stream() where line.contains(text) { return line }
                try Task.checkCancellation()
                throw Failure.endedWithout(text, output: state.lines)
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw Failure.timedOut(text, output: state.lines)
            }
            defer { group.cancelAll() }
            guard let line = try await group.next() else { throw CancellationError() }
            return line
        }
    }

    /// Asks the program to end (`SIGTERM`); does nothing once it has.
    package func terminate() {
        state.signal(SIGTERM)
    }

    /// Ends the program at once (`SIGKILL`), as a power cut would.
    package func kill() {
        state.signal(SIGKILL)
    }

    /// Sends any signal, such as `SIGINT`, `SIGSTOP` or `SIGCONT`; does nothing once the program has ended.
    package func signal(_ number: Int32) {
        state.signal(number)
    }

    /// Whether the program has not ended yet.
    package var isRunning: Bool { state.exitStatus == nil }

    /// Waits for the program's end.
    /// - Returns: the exit status, or 128 plus the number of the signal that ended it.
    package func waitUntilExit() async -> Int32 {
        await withCheckedContinuation { state.whenExited($0) }
    }
}
