private import ThreadKit

/// The program's choice of what stands behind EnergyKit.
///
/// It is made once, when the program starts, as logging systems do. A program that makes none gets an `EnergyKitClient`
/// as its environment says, at its first call.
public enum EnergyKitSystem {
    private enum Choice {
        case none
        /// The client that the environment describes, because nobody chose before the first call.
        case environment(any EnergyKitBackend)
        case program(any EnergyKitBackend)
    }

    private static let choice = Locked(Choice.none)
    @TaskLocal private static var override: (any EnergyKitBackend)?

    /// Chooses the backend of this program, once, at its start.
    ///
    /// A second call, and one after EnergyKit was used, is a programming error and stops the program, since calls have
    /// already gone elsewhere.
    public static func bootstrap(_ backend: any EnergyKitBackend) {
        let complaint: String? = choice.withLock { choice in
            switch choice {
            case .none:
                choice = .program(backend)
                return nil
            case .environment: return "after EnergyKit was used; call it before anything else of EnergyKit"
            case .program: return "twice; call it once, when the program starts"
            }
        }
        // fatalError and not a precondition: release builds drop a precondition's message.
        if let complaint { fatalError("EnergyKitSystem.bootstrap was called \(complaint)") }
    }

    /// Runs `operation` with another backend for its task and that task's children; for tests.
    @discardableResult
    public static func withBackend<Result>(
        _ backend: any EnergyKitBackend, operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $override.withValue(backend, operation: operation)
    }

    /// The backend in force.
    static var current: any EnergyKitBackend {
        if let override { return override }
        return choice.withLock { choice in
            switch choice {
            case .program(let backend), .environment(let backend): return backend
            case .none:
                let backend = ofEnvironment
                choice = .environment(backend)
                return backend
            }
        }
    }

    private static var ofEnvironment: any EnergyKitBackend {
        do {
            return try EnergyKitClient()
        } catch {
            return UnusableBackend(failure: EnergyKitFailure(wrapping: error))
        }
    }

    /// Calls the backend and turns what it throws into what Apple's surface throws.
    static func call<Result>(
        _ body: (any EnergyKitBackend) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(current)
        } catch {
            throw surfaceError(error)
        }
    }

    /// The plain error that Apple's surface throws for any error; a cancellation stays one.
    static func surfaceError(_ error: any Error) -> any Error {
        error is CancellationError ? error : EnergyKitFailure(wrapping: error).error
    }
}
