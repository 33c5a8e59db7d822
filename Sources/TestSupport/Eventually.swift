/// Asks again and again until something holds, for what another process does and can only be asked about.
/// - Parameters:
///   - limit: how long to ask at most, in real time.
///   - pause: between two questions.
///   - condition: what is to hold; an error counts as "not yet".
/// - Returns: whether it held in time.
package func eventually(
    within limit: Duration = .seconds(60), every pause: Duration = .milliseconds(50),
    _ condition: () async throws -> Bool
) async -> Bool {
    await eventually(within: limit, every: pause) { try await condition() ? true : nil } ?? false
}

/// Asks again and again until there is a value.
/// - Parameters:
///   - limit: how long to ask at most, in real time.
///   - pause: between two questions.
///   - question: gives the value, or nil for "not yet"; so does an error.
/// - Returns: the value, or nil where there was none in time.
package func eventually<Value>(
    within limit: Duration = .seconds(60), every pause: Duration = .milliseconds(50),
    _ question: () async throws -> Value?
) async -> Value? {
    let deadline = ContinuousClock.now + limit
    repeat {
        if let value = try? await question() { return value }
        guard (try? await Task.sleep(for: pause)) != nil else { return nil }
    } while ContinuousClock.now < deadline
    return nil
}
