import EnergyKit
import Foundation
import HubKit
import ThreadKit

@testable import LoadEvents
@testable import Storage

/// 2026-03-02 12:00:00 UTC, a quarter-hour mark.
let noon = Date(timeIntervalSince1970: 1_772_452_800)

/// A clock that shows what the test says, and wakes sleepers when it passes their time.
final class SteppedClock: HubClock {
    private struct State {
        var now: Date
        var sleepers: [Int: (deadline: Date, wake: CheckedContinuation<Void, any Error>)] = [:]
        var next = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>
    let speed = 1.0

    init(_ now: Date = noon) { state = Locked(State(now: now)) }

    var now: Date { state.withLock { $0.now } }

    func advance(to moment: Date) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
            state.now = max(state.now, moment)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.wake)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Waits until someone sleeps.
    func untilSomeoneSleeps() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.sleepers.isEmpty else { return true }
                state.watchers.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func sleep(until deadline: Date) async throws {
        let key = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isPast, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                    guard deadline > state.now, !Task.isCancelled else { return (true, []) }
                    state.sleepers[key] = (deadline, continuation)
                    defer { state.watchers = [] }
                    return (false, state.watchers)
                }
                if isPast { continuation.resume() }
                for watcher in watchers { watcher.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: key) }?.wake.resume(throwing: CancellationError())
        }
    }
}

/// The measurements and states of an event in one line, such as `active 7000 W 1500 Wh`.
func line(_ event: AnyLoadEvent) -> String {
    switch event {
    case .electricVehicle(let event):
        "\(event.session.state) \(number(event.measurement.power.watts)) W \(number(event.measurement.energy.wattHours)) Wh"
    case .hvac(let event): "\(event.session.state) \(event.measurement.stage)"
    case .electricVehicleStatus: "status"
    }
}

private func number(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(value)
}

/// A charger under test: readings go in, events come out.
struct Charger {
    var machine: EVSessionMachine
    var guidance: FollowedGuidance? = FollowedGuidance(token: UUID(), isFollowing: true)
    var vehicle: VehicleConfiguration?
    var events: [AnyLoadEvent] = []

    init(maximumWatts: Double = 11_000) { machine = EVSessionMachine(maximumWatts: maximumWatts) }

    /// One reading, `seconds` after noon; power in watts, the counter in watt-hours.
    /// - Returns: the events that came of it.
    @discardableResult
    mutating func read(
        _ seconds: Double, watts: Double?, counter: Double? = nil, plug: PlugState? = .plugged,
        charging: ChargingState? = nil, userActed: Bool = false, soc: Double? = nil, export: Double? = nil
    ) -> [AnyLoadEvent] {
        var reading = DeviceReading(at: noon.addingTimeInterval(seconds))
        reading[.powerWatts] = watts
        reading[.importWattHours] = counter
        reading[.exportWattHours] = export
        reading[.stateOfChargePercent] = soc
        reading.plug = plug
        reading.charging = charging
        return step(reading, seconds, userActed: userActed)
    }

    /// Time goes on without a reading.
    @discardableResult
    mutating func wake(_ seconds: Double, userActed: Bool = false) -> [AnyLoadEvent] {
        step(nil, seconds, userActed: userActed)
    }

    private mutating func step(_ reading: DeviceReading?, _ seconds: Double, userActed: Bool) -> [AnyLoadEvent] {
        let input = SessionInput(
            reading: reading, userActed: userActed, guidance: guidance, now: noon.addingTimeInterval(seconds))
        let new = machine.step(
            input, device: ElectricalLoadDevice(id: "charger", name: "Charger", type: .electricVehicle),
            vehicle: vehicle)
        events += new
        return new
    }

    /// What is left after a restart: the state goes through its stored form.
    mutating func restart() throws {
        let text = try JSONEncoder().encode(machine)
        machine = try JSONDecoder().decode(EVSessionMachine.self, from: text)
        machine.resume()
    }
}

/// Guidance with one value for each of the given prices, an hour each from `start`.
func guidance(
    at venue: UUID, from start: Date = noon, pricesPerKWh: [Double?], gramsCO2PerKWh: [Double?] = [],
    issuedAt: Date? = nil, hours: Double = 1
) -> StoredGuidance {
    let values = pricesPerKWh.enumerated().map { index, price in
        ElectricityGuidance.Value(
            interval: DateInterval(
                start: start.addingTimeInterval(Double(index) * hours * 3600), duration: hours * 3600),
            rating: 0.5, pricePerKWh: price,
            gramsCO2PerKWh: gramsCO2PerKWh.indices.contains(index) ? gramsCO2PerKWh[index] : nil)
    }
    return StoredGuidance(
        guidance: ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue, suggestedAction: .shift, issuedAt: issuedAt ?? start,
            interval: DateInterval(start: start, duration: Double(values.count) * hours * 3600),
            options: [.locationHasRatePlan], values: values), details: values.map { _ in .init() })
}

/// A car's event.
func carEvent(
    _ state: ElectricVehicleLoadEvent.Session.State, _ seconds: Double, session: UUID, token: UUID, watts: Double = 0,
    wattHours: Double = 0, energy: Measurement<UnitEnergy>? = nil, soc: Int = 50, device: String = "car",
    id: UUID = UUID(), direction: ElectricityFlowDirection = .imported, following: Bool = true
) -> AnyLoadEvent {
    .electricVehicle(
        ElectricVehicleLoadEvent(
            id: id, timestamp: noon.addingTimeInterval(seconds),
            measurement: .init(
                stateOfCharge: soc, direction: direction, power: .watts(watts),
                energy: energy ?? .wattHours(wattHours)),
            session: .init(
                id: session, state: state, guidanceState: .init(wasFollowingGuidance: following, guidanceToken: token)),
            deviceID: device))
}

/// A heat pump's event.
func hvacEvent(
    _ state: ElectricHVACLoadEvent.Session.State, _ seconds: Double, session: UUID, token: UUID, stage: Int = 0,
    device: String = "pump", following: Bool = true
) -> AnyLoadEvent {
    .hvac(
        ElectricHVACLoadEvent(
            id: UUID(), timestamp: noon.addingTimeInterval(seconds), measurement: .init(stage: stage),
            session: .init(
                id: session, state: state, guidanceState: .init(wasFollowingGuidance: following, guidanceToken: token)),
            deviceID: device))
}

/// A generator whose numbers are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
