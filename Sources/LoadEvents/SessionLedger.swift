import EnergyKit
import Foundation
import Storage

/// Adds up what a session came to, event by event, from the guidance its events quote; pure.
///
/// Energy between two events is spread evenly over the time between and cut at the edges of the guidance that the
/// earlier event quotes, so that each part has its own price (field case S-3).
struct SessionLedger: Sendable {
    static let inOneCall = "the whole session came in one call"

    let venueID: UUID
    private var first: AnyLoadEvent?
    private var ended: Date?
    private var sums = Sums()
    private var irregularities: [String] = []
    /// The event that the next stretch begins with.
    private(set) var last: AnyLoadEvent?

    init(venueID: UUID) { self.venueID = venueID }

    /// Sums up a whole session.
    /// - Parameters:
    ///   - events: all its events by time; status events are passed over.
    ///   - venueID: its home.
    ///   - guidance: the guidance quoted, by token; one that is missing leaves cost and carbon unknown.
    /// - Returns: nothing where there are no events.
    static func summary(
        of events: [AnyLoadEvent], at venueID: UUID, guidance: [UUID: StoredGuidance]
    ) -> SessionSummary? {
        var ledger = SessionLedger(venueID: venueID)
        for event in events { ledger.add(event, guidance: guidance) }
        return ledger.summary
    }

    /// Adds the next event by time.
    /// - Parameters:
    ///   - event: an event of the session; a status event is passed over.
    ///   - guidance: what this event and the one before quote, by token.
    mutating func add(_ event: AnyLoadEvent, guidance: [UUID: StoredGuidance]) {
        guard let state = event.stateName else { return }
        noteIrregularities(of: event, state, guidance)
        if let last {
            sums.add(last, event, guidance: last.guidanceToken.flatMap { guidance[$0]?.guidance })
        } else {
            first = event
        }
        if state == "end" { ended = event.timestamp }
        last = event
    }

    /// What the session came to so far; nothing before its first event.
    var summary: SessionSummary? {
        guard let first, let last, let id = first.sessionID else { return nil }
        let isMeasured = first.energyWattHours != nil
        let isExport = first.flowName.hasSuffix("exported")
        // The guidance's price is what import costs; what export earns is not known.
        let hasCost = isMeasured && !isExport
        return SessionSummary(
            id: id, venueID: venueID, deviceID: first.deviceID, kind: isMeasured ? "ev" : "hvac",
            direction: isExport ? "exported" : "imported", began: first.timestamp, ended: ended,
            lastEventAt: last.timestamp, energyWattHours: isMeasured ? sums.energy : nil,
            cost: hasCost ? sums.cost : nil, gramsCO2: hasCost ? sums.carbon : nil,
            followedShare: sums.seconds > 0 ? sums.followedSeconds / sums.seconds : nil, irregularities: irregularities)
    }

    private mutating func noteIrregularities(
        of event: AnyLoadEvent, _ state: String, _ guidance: [UUID: StoredGuidance]
    ) {
        if last == nil, state != "begin" { note("it opened without a begin") }
        if state == "begin", event.isRunning { note("its begin had power or stage above 0") }
        if state == "end", event.isRunning { note("its end had power or stage above 0") }
        if event.isEstimated { note("some of its energy was worked out from the power, since no counter measured it") }
        if let before = last?.energyWattHours, let now = event.energyWattHours, now < before {
            note("its energy fell, as when a counter begins again")
        }
        if let last, isTooFast(from: last, to: event) {
            note("its energy rose by more than a home's connection carries in that time")
        }
        if let quoted = event.guidanceToken.flatMap({ guidance[$0] }), event.timestamp < quoted.guidance.issuedAt {
            note("an event lies before the guidance it quotes was issued")
        }
    }

    /// Whether more flowed between two events than 100 kW, which is above three phases of 125 A, and the 1 kWh by which a
    /// coarse counter steps.
    private func isTooFast(from earlier: AnyLoadEvent, to later: AnyLoadEvent) -> Bool {
        guard let before = earlier.energyWattHours, let after = later.energyWattHours else { return false }
        let hours = max(later.timestamp.timeIntervalSince(earlier.timestamp), 0) / 3600
        return after - before > 100_000 * hours + 1000
    }

    private mutating func note(_ text: String) {
        if !irregularities.contains(text) { irregularities.append(text) }
    }
}

/// The sums of a session.
private struct Sums: Sendable {
    var energy = 0.0
    var cost: Double? = 0
    var carbon: Double? = 0
    var seconds = 0.0
    var followedSeconds = 0.0

    mutating func add(_ earlier: AnyLoadEvent, _ later: AnyLoadEvent, guidance: ElectricityGuidance?) {
        let elapsed = later.timestamp.timeIntervalSince(earlier.timestamp)
        seconds += elapsed
        if earlier.wasFollowing == true { followedSeconds += elapsed }
        guard let before = earlier.energyWattHours, let after = later.energyWattHours else { return }
        // A counter that fell began again: the new reading is the increment.
        let flowed = after >= before ? after - before : after
        guard flowed > 0 else { return }
        energy += flowed
        let rates = guidance?.meanRates(from: earlier.timestamp, to: later.timestamp)
        cost = cost.flatMap { sum in rates?.pricePerKWh.map { sum + $0 * flowed / 1000 } }
        carbon = carbon.flatMap { sum in rates?.gramsCO2PerKWh.map { sum + $0 * flowed / 1000 } }
    }
}

extension ElectricityGuidance {
    /// The mean price and carbon of a stretch of time; nothing where a part of it is not known.
    fileprivate func meanRates(from start: Date, to end: Date) -> (pricePerKWh: Double?, gramsCO2PerKWh: Double?) {
        let total = end.timeIntervalSince(start)
        if total <= 0 {
            let value = values.first { $0.interval.start <= start && start < $0.interval.end }
            return (value?.pricePerKWh, value?.gramsCO2PerKWh)
        }
        var covered = 0.0
        var price: Double? = 0
        var carbon: Double? = 0
        for value in values where value.interval.start < end && value.interval.end > start {
            let part = min(value.interval.end, end).timeIntervalSince(max(value.interval.start, start))
            covered += part
            price = price.flatMap { sum in value.pricePerKWh.map { sum + $0 * part / total } }
            carbon = carbon.flatMap { sum in value.gramsCO2PerKWh.map { sum + $0 * part / total } }
        }
        return covered >= total - 0.001 ? (price, carbon) : (nil, nil)
    }
}
