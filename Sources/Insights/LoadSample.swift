package import EnergyKit
import Foundation
package import Storage

/// What insights need of one load event.
package struct LoadSample: Sendable, Hashable {
    /// Where in its session an event stands, in the order that events of one moment have.
    package enum State: Int, Sendable, Hashable, Comparable {
        case begin, active, end

        package static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    /// The session.
    package var session: UUID
    /// When it happened.
    package var at: Instant
    /// Where in its session it stands.
    package var state: State
    /// Which way the energy flows.
    package var flow: ElectricityFlowDirection
    /// The session's counter in whole milliwatt-hours; absent where the device measures none.
    package var milliwattHours: Int64?
    /// Whether the device runs from here on by its own word: power, or for HVAC a stage, above 0.
    package var isRunning: Bool
    /// The token of the guidance that it quotes.
    package var token: UUID?
    /// The order of acceptance: of two events with one session, time and state the later counts.
    package var sequence: Int64

    /// Makes a sample.
    package init(
        session: UUID, at: Instant, state: State, flow: ElectricityFlowDirection = .imported, milliwattHours: Int64?,
        isRunning: Bool, token: UUID?, sequence: Int64
    ) {
        self.session = session
        self.at = at
        self.state = state
        self.flow = flow
        self.milliwattHours = milliwattHours
        self.isRunning = isRunning
        self.token = token
        self.sequence = sequence
    }
}

extension LoadSample {
    /// The sample of a stored event; `nil` for a status event, which belongs to no class and has no counter.
    ///
    /// An HVAC session is running time by itself, since going idle ends it: its begin counts as running although it
    /// carries stage 0. An `active` with stage 0 does not.
    package init?(_ stored: StoredEvent) {
        switch stored.event {
        case .electricVehicle(let event):
            self.init(
                session: event.session.id, at: Instant(event.timestamp), state: State(of: event.session.state),
                flow: event.measurement.direction, milliwattHours: Self.whole(event.measurement.energy.wattHours),
                isRunning: event.measurement.power.watts > 0, token: event.session.guidanceState.guidanceToken,
                sequence: stored.sequence)
        case .hvac(let event):
            self.init(
                session: event.session.id, at: Instant(event.timestamp), state: State(of: event.session.state),
                milliwattHours: nil, isRunning: event.measurement.stage > 0 || event.session.state == .begin,
                token: event.session.guidanceState.guidanceToken, sequence: stored.sequence)
        case .electricVehicleStatus:
            return nil
        }
    }

    /// Watt-hours as whole milliwatt-hours; `nil` for what is no reading of a counter.
    package static func whole(_ wattHours: Double) -> Int64? {
        wattHours >= 0 && wattHours <= 1e12 ? Int64((wattHours * 1000).rounded()) : nil
    }
}

extension LoadSample.State {
    fileprivate init(of state: ElectricVehicleLoadEvent.Session.State) {
        switch state {
        case .begin: self = .begin
        case .active: self = .active
        case .end: self = .end
        }
    }

    fileprivate init(of state: ElectricHVACLoadEvent.Session.State) {
        switch state {
        case .begin: self = .begin
        case .active: self = .active
        case .end: self = .end
        }
    }
}
