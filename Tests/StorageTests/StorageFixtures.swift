import EnergyKit
import Foundation
import HubKit
import TestSupport

@testable import Storage

/// 2026-03-02 12:00:00 UTC.
let noon = Date(timeIntervalSince1970: 1_772_452_800)

/// A clock that stands where the test put it.
struct StandingClock: HubClock {
    var now = noon
    let speed = 1.0
    func sleep(until deadline: Date) async throws {}
}

/// A store in a folder of its own.
func newStore(_ folder: TemporaryFolder, at now: Date = noon) async throws -> HubStore {
    try await HubStore(folder: folder.url, clock: StandingClock(now: now), log: .silent)
}

/// A car's event with its columns.
func row(
    _ state: ElectricVehicleLoadEvent.Session.State = .active, _ seconds: Double = 0, session: UUID = UUID(),
    token: UUID = UUID(), device: String = "car", id: UUID = UUID()
) -> EventRow {
    let event = ElectricVehicleLoadEvent(
        id: id, timestamp: noon.addingTimeInterval(seconds),
        measurement: .init(
            stateOfCharge: 40, direction: .imported, power: .init(value: 7200, unit: .watts),
            energy: .init(value: 1.234567, unit: .kilowattHours)),
        session: .init(
            id: session, state: state, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
        deviceID: device)
    return EventRow(event: .electricVehicle(event), session: session, state: state.rawValue)
}

/// Guidance for a home from a moment on.
func guidance(at venue: UUID, from start: Date = noon, issuedAt: Date = noon) -> StoredGuidance {
    let value = ElectricityGuidance.Value(
        interval: DateInterval(start: start, duration: 3600), rating: 0.25, pricePerKWh: -0.05, gramsCO2PerKWh: nil)
    return StoredGuidance(
        guidance: ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue, suggestedAction: .shift, issuedAt: issuedAt,
            interval: DateInterval(start: start, duration: 3600), options: [], values: [value]),
        details: [.init(carbonRating: nil, tariffClass: "offPeak")],
        sources: [GuidanceSource(name: "plan", kind: "ratePlan")])
}
