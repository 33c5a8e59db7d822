/// The sequence behind `ElectricityGuidance.Service.guidance(using:at:)`.
///
/// It holds only the request; each iterator opens a stream of the backend, and closes it by going away.
struct GuidanceSequence: AsyncSequence, Sendable {
    typealias Element = ElectricityGuidance
    typealias Failure = any Error

    private let request: GuidanceRequest
    /// The backend when the sequence was asked for, so that a test's choice holds in any task that iterates.
    private let backend: any EnergyKitBackend

    init(request: GuidanceRequest) {
        self.request = request
        backend = EnergyKitSystem.current
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: backend.guidance(request).makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<ElectricityGuidance, any Error>.Iterator?
        private var isFinished = false

        fileprivate init(base: AsyncThrowingStream<ElectricityGuidance, any Error>.Iterator) {
            self.base = base
        }

        mutating func next() async throws -> ElectricityGuidance? {
            try await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ElectricityGuidance? {
            guard !isFinished, !Task.isCancelled else { return finish() }
            do {
                // A guidance that arrives together with the cancellation is not delivered any more.
                guard let guidance = try await base?.next(isolation: actor), !Task.isCancelled else { return finish() }
                return guidance
            } catch {
                let isCancelled = Task.isCancelled || error is CancellationError
                _ = finish()
                if isCancelled { return nil }
                throw EnergyKitSystem.surfaceError(error)
            }
        }

        /// Ends the delivery at once instead of when the iterator goes.
        private mutating func finish() -> ElectricityGuidance? {
            isFinished = true
            base = nil
            return nil
        }
    }
}
