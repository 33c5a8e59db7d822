import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ChildProcessTests {
    @Test func runsToTheEndAndKeepsTheTwoOutputsApart() async throws {
        let outcome = try await ChildProcess.run("sh", ["-c", "echo one; echo two >&2; printf three; exit 7"])
        #expect(outcome.status == 7)
        #expect(outcome.standardOutput == "one\nthree")
        #expect(outcome.standardError == "two\n")
    }

    @Test func terminatesAChildStartedFromAPoolThread() async throws {
        let child = try ChildProcess("sleep", ["600"])
        child.terminate()
        #expect(await child.waitUntilExit() == 128 + SIGTERM)
        #expect(!child.isRunning)
        child.terminate()
    }

    @Test func killsAChildThatIgnoresTermination() async throws {
        let child = try ChildProcess("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"])
        try await child.waitForLine(containing: "ready")
        child.terminate()
        #expect(child.isRunning)
        child.kill()
        #expect(await child.waitUntilExit() == 128 + SIGKILL)
    }

    @Test func findsALineThatCameBeforeAndOneThatComesLater() async throws {
        let child = try ChildProcess("sh", ["-c", "echo first; sleep 0.1; echo second"])
        #expect(try await child.waitForLine(containing: "fir") == "first")
        #expect(try await child.waitForLine(containing: "second") == "second")
        #expect(child.output == ["first", "second"])
    }

    @Test func saysWhatWasWrittenWhenTheLineNeverComes() async throws {
        let child = try ChildProcess("sh", ["-c", "echo only this"])
        await #expect(throws: ChildProcess.Failure.endedWithout("that", output: ["only this"])) {
            try await child.waitForLine(containing: "that")
        }
        let silent = try ChildProcess("sleep", ["600"])
        await #expect(throws: ChildProcess.Failure.timedOut("that", output: [])) {
            try await silent.waitForLine(containing: "that", timeout: .milliseconds(20))
        }
    }

    @Test func endsWithTheObject() async throws {
        var child: ChildProcess? = try ChildProcess("sleep", ["600"])
        let stream = try #require(child?.lines())
        child = nil
        // The stream ends because the system closed the dead child's pipes.
        for await _ in stream {}
    }

    @Test func passesEnvironmentFolderAndInput() async throws {
        let folder = try TemporaryFolder()
        let input = try folder.write("hello\n", to: "in/put.txt")
        let outcome = try await ChildProcess.run(
            "sh", ["-c", "cat; echo $GREETING; pwd -P; echo ${HOME:-none}"],
            environment: ["GREETING": "good day", "HOME": ""], workingDirectory: folder.url, input: input)
        let here = folder.url.resolvingSymlinksInPath().path
        #expect(outcome.standardOutput == "hello\ngood day\n\(here)\nnone\n")
    }

    @Test func refusesAProgramThatDoesNotExist() {
        #expect(throws: ChildProcess.Failure.self) { try ChildProcess("/no/such/program") }
    }

    @Test func manyAtOnceDoNotHoldEachOthersPipes() async throws {
        let sleeper = try ChildProcess("sleep", ["600"])
        await withThrowingTaskGroup(of: Int32.self) { group in
            for index in 0..<40 {
                group.addTask { try await ChildProcess.run("sh", ["-c", "exit \(index)"]).status }
            }
            var seen: Set<Int32> = []
            while let result = await group.nextResult() {
                if let status = try? result.get() { seen.insert(status) }
            }
            #expect(seen == Set(0..<40))
        }
        #expect(sleeper.isRunning)
    }
}

@Suite struct TemporaryFolderTests {
    @Test func deletesItselfWithItsContent() throws {
        var folder: TemporaryFolder? = try TemporaryFolder()
        let file = try #require(folder).write("x", to: "deep/file")
        #expect(FileManager.default.fileExists(atPath: file.path))
        let path = try #require(folder?.path)
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

@Suite(.timeLimit(.minutes(3)), .enabled(if: MosquittoBroker.isInstalled))
struct MosquittoBrokerTests {
    @Test func carriesAMessageAndForgetsItOnRestart() async throws {
        let broker = try await MosquittoBroker()
        let port = String(broker.port)
        let sent = try await ChildProcess.run("mosquitto_pub", ["-p", port, "-t", "a", "-m", "hello", "-r", "-q", "1"])
        #expect(sent.status == 0)
        let got = try await ChildProcess.run("mosquitto_sub", ["-p", port, "-t", "a", "-C", "1", "-W", "10"])
        #expect(got.standardOutput == "hello\n")
        try await broker.restart()
        let none = try await ChildProcess.run("mosquitto_sub", ["-p", port, "-t", "a", "-C", "1", "-W", "1"])
        #expect(none.standardOutput.isEmpty)
    }

    /// Between its word that it runs and its main loop a broker forgets that it was asked to end.
    @Test func endsEachTimeAlsoWhenItHasJustStarted() async throws {
        let broker = try await MosquittoBroker()
        for _ in 1...40 {
            await broker.stop()
            try await broker.start()
        }
        // One that answers is in its main loop, and says that it ends.
        let sent = try await ChildProcess.run("mosquitto_pub", ["-p", String(broker.port), "-t", "a", "-m", "hello"])
        #expect(sent.status == 0)
        await broker.stop()
        #expect(await broker.log.contains { $0.contains("terminating") })
    }

    @Test func refusesStrangersWhenThereAreUsers() async throws {
        let broker = try await MosquittoBroker(users: ["hub": "secret"])
        let base = ["-p", String(broker.port), "-t", "a", "-m", "x", "-q", "1"]
        #expect(try await ChildProcess.run("mosquitto_pub", base).status != 0)
        #expect(try await ChildProcess.run("mosquitto_pub", base + ["-u", "hub", "-P", "wrong"]).status != 0)
        #expect(try await ChildProcess.run("mosquitto_pub", base + ["-u", "hub", "-P", "secret"]).status == 0)
    }
}
