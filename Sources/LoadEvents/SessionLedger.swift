import EnergyKit
import Foundation
import Storage

/// Adds up what a session came to, from its events and the guidance they quote; pure.
///
/// Energy between two events is spread evenly over the time between and cut at the edges of the guidance that the
/// earlier event quotes, so that each part has its own price (field case S-3).
struct SessionLedger {
    let venueID: UUID
    /// The guidance quoted, by token; one that is missing leaves cost and carbon unknown.
    let guidance: [UUID: StoredGuidance]

    static let inOneCall = "the whole session came in one call"

    /// Sums up a session.
    /// - Parameter events: all its events by time; status events are passed over.
    /// - Returns: nothing where there are no events.
    func summary(of events: [AnyLoadEvent]) -> SessionSummary? {
        let events = events.filter { $0.stateName != nil }
        guard let first = events.first, let last = events.last, let id = first.sessionID else { return nil }
        var sums = Sums(isMeasured: first.energyWattHours != nil, isExport: first.flowName.hasSuffix("exported"))
        for (earlier, later) in zip(events, events.dropFirst()) { add(earlier, later, to: &sums) }
        let ended = events.last { $0.stateName == "end" }?.timestamp
        return SessionSummary(
            id: id, venueID: venueID, deviceID: first.deviceID, kind: sums.isMeasured ? "ev" : "hvac",
            direction: sums.isExport ? "exported" : "imported", began: first.timestamp, ended: ended,
            lastEventAt: last.timestamp, energyWattHours: sums.isMeasured ? sums.energy : nil, cost: sums.shownCost,
            gramsCO2: sums.shownCarbon, followedShare: sums.seconds > 0 ? sums.followedSeconds / sums.seconds : nil,
            irregularities: irregularities(events))
    }

    private struct Sums {
        let isMeasured: Bool
        let isExport: Bool
        var energy = 0.0
        var cost: Double? = 0
        var carbon: Double? = 0
        var seconds = 0.0
        var followedSeconds = 0.0

        // The guidance's price is what import costs; what export earns is not known.
        var shownCost: Double? { isMeasured && !isExport ? cost : nil }
        var shownCarbon: Double? { isMeasured && !isExport ? carbon : nil }
    }

    private func add(_ earlier: AnyLoadEvent, _ later: AnyLoadEvent, to sums: inout Sums) {
        let seconds = later.timestamp.timeIntervalSince(earlier.timestamp)
        sums.seconds += seconds
        if earlier.wasFollowing == true { sums.followedSeconds += seconds }
        guard let before = earlier.energyWattHours, let after = later.energyWattHours else { return }
        // A counter that fell began again: the new reading is the increment.
        let energy = after >= before ? after - before : after
        guard energy > 0 else { return }
        sums.energy += energy
        let rates = rates(from: earlier.timestamp, to: later.timestamp, quoting: earlier.guidanceToken)
        sums.cost = sums.cost.flatMap { sum in rates.price.map { sum + $0 * energy / 1000 } }
        sums.carbon = sums.carbon.flatMap { sum in rates.carbon.map { sum + $0 * energy / 1000 } }
    }

    /// The mean price and carbon of a stretch of time; nothing where a part of it is not known.
    private func rates(from start: Date, to end: Date, quoting token: UUID?) -> (price: Double?, carbon: Double?) {
        guard let values = token.flatMap({ guidance[$0] })?.guidance.values else { return (nil, nil) }
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

    private func irregularities(_ events: [AnyLoadEvent]) -> [String] {
        var found: [String] = []
        if events.first?.stateName != "begin" { found.append("it opened without a begin") }
        if events.contains(where: { $0.stateName == "begin" && $0.isRunning }) {
            found.append("its begin had power or stage above 0")
        }
        if events.contains(where: { $0.stateName == "end" && $0.isRunning }) {
            found.append("its end had power or stage above 0")
        }
        if zip(events, events.dropFirst()).contains(where: { ($1.energyWattHours ?? 0) < ($0.energyWattHours ?? 0) }) {
            found.append("its energy fell, as when a counter begins again")
        }
        let isEarly = events.contains { event in
            event.guidanceToken.flatMap { guidance[$0] }.map { event.timestamp < $0.guidance.issuedAt } ?? false
        }
        if isEarly { found.append("an event lies before the guidance it quotes was issued") }
        return found
    }
}
