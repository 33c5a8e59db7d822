private import ThreadKit

/// The program's choice of what stands behind EnergyKit.
///
/// Without a choice every call fails with `EnergyKitError.serviceUnavailable`.
public enum EnergyKitSystem {
    private static let chosen = Locked<(any EnergyKitBackend)?>(nil)
    @TaskLocal private static var override: (any EnergyKitBackend)?

    /// Chooses the backend of this program, once, at its start.
    ///
    /// A second call is a programming error and stops the program, since calls may already have gone to the first.
    public static func bootstrap(_ backend: any EnergyKitBackend) {
        let isFirst = chosen.withLock { chosen in
            guard chosen == nil else { return false }
            chosen = backend
            return true
        }
        // fatalError and not a precondition: release builds drop a precondition's message.
        if !isFirst { fatalError("EnergyKitSystem.bootstrap was called twice; call it once, when the program starts") }
    }

    /// Runs `operation` with another backend for its task and that task's children; for tests.
    @discardableResult
    public static func withBackend<Result>(
        _ backend: any EnergyKitBackend, operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $override.withValue(backend, operation: operation)
    }

    /// The backend in force, if any.
    static var current: (any EnergyKitBackend)? {
        override ?? chosen.current
    }

    /// Calls the backend and turns what it throws into what Apple's surface throws.
    static func call<Result>(
        _ body: (any EnergyKitBackend) async throws -> Result
    ) async throws -> Result {
        guard let current else { throw EnergyKitError.serviceUnavailable }
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
