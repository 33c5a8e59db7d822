import Foundation
import ThreadKit

/// One call of `posix_spawn` with all that it needs.
struct Spawn {
    /// A started process and our ends of its two output pipes.
    struct Started {
        let processID: Int32
        let standardOutput: Int32
        let standardError: Int32
    }

    let path: String
    let arguments: [String]
    let environment: [String: String]
    let directory: String?
    let input: String

    /// A pipe is open and inheritable for a moment before it is marked; two starts at once would leak each other's ends,
    /// and a reader would then wait for the wrong process to end.
    private static let oneAtATime = Locked(())

    func start() throws -> Started {
        try Self.oneAtATime.withLock { _ in
            let output = try pipePair()
            let errors = try pipePair()
            defer {
                close(output.write)
                close(errors.write)
            }
            do {
                let processID = try spawn(output: output.write, errors: errors.write)
                return Started(processID: processID, standardOutput: output.read, standardError: errors.read)
            } catch {
                close(output.read)
                close(errors.read)
                throw error
            }
        }
    }

    private func pipePair() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func spawn(output: Int32, errors: Int32) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let words = command
        var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var processID: pid_t = 0
        let code = posix_spawn(&processID, words[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw failure(code) }
        return processID
    }

    /// The words to start: through `env` when a folder is asked for, since Swift does not see the GNU-only file action.
    private var command: [String] {
        guard let directory else { return [path] + arguments }
        let absolute = URL(fileURLWithPath: path).path
        return ["/usr/bin/env", "--chdir", directory, absolute] + arguments
    }

    private func failure(_ code: Int32) -> ChildProcess.Failure {
        .cannotStart(path, reason: String(cString: strerror(code)))
    }
}
