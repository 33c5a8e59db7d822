extension EnergyVenue {
    /// Submits events of any kinds and says what became of them.
    ///
    /// An addition to Apple's surface: `submitEvents(_:)` with the details of a refusal.
    /// - Throws: `EnergyKitFailure` with the event and the rule for a refusal, or the time to wait; `CancellationError`.
    public func submit(_ events: [AnyLoadEvent]) async throws -> LoadEventReceipt {
        let backend = EnergyKitSystem.current
        do {
            return try await backend.submit(events, venueID: id)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw EnergyKitFailure(wrapping: error)
        }
    }
}
