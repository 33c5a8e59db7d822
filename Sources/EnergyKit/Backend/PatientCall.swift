/// Tries again what may well succeed in a moment.
///
/// Only `serviceUnavailable` and `rateLimitExceeded` are tried again, and only where the failure says that waiting makes
/// sense (`retryAfter`): after 2 s, then after 4 s, then the third error is thrown. Both backings of EnergyKit do the same.
package enum PatientCall {
    /// The pauses between the attempts.
    package static let pauses: [Duration] = [.seconds(2), .seconds(4)]

    /// Runs `body`, up to once more for each pause.
    /// - Throws: what the last attempt threw, or `CancellationError`.
    package static func run<Result>(
        pauses: [Duration] = pauses, _ body: () async throws -> Result
    ) async throws -> Result {
        for pause in pauses {
            do {
                return try await body()
            } catch let failure as EnergyKitFailure where isWorthAnotherTry(failure) {
                try await Task.sleep(for: pause)
            }
        }
        return try await body()
    }

    private static func isWorthAnotherTry(_ failure: EnergyKitFailure) -> Bool {
        failure.retryAfter != nil && [.serviceUnavailable, .rateLimitExceeded].contains(failure.error)
    }
}
