import EnergyKit
import Foundation
import HubKit

extension EVSessionMachine {
    /// Begins a session where energy flows; without guidance it waits, and keeps where it began.
    mutating func open(_ flow: Flow, isNew: Bool, _ input: SessionInput, _ writer: EVEventWriter) -> [AnyLoadEvent] {
        if pending == nil, isNew, flow.isFlowing {
            pending = idle ?? start(at: input.reading?.at ?? input.now)
            pending?.isExport = flow.isExport
        }
        guard let begin = pending, let guidance = input.guidance else {
            // Nothing can be said of a flow that passed before there was any guidance to quote.
            if isNew, flow.isOver { pending = nil }
            return []
        }
        pending = nil
        defer { quotedWhileIdle = nil }
        var start = begin
        start.at = max(begin.at, endedAt ?? begin.at)
        var session = Session(
            id: UUID(), start: start, quoted: QuotedGuidance(guidance), lastEventAt: start.at, toldWattHours: 0,
            lastWatts: flow.watts, lastPowerChangeAt: input.now, idleSince: flow.isFlowing ? nil : input.now)
        var beginning = session
        if begin.at < input.now, let quotedWhileIdle { beginning.quoted = quotedWhileIdle }
        let events = [
            writer.event(.begin, beginning, watts: 0, wattHours: 0, isEstimated: false, at: start.at),
            sample(&session, watts: flow.watts, at: max(input.now, start.at), writer),
        ]
        if flow.isOver { return events + [end(session, at: input.now, writer)] }
        self.session = session
        return events
    }

    /// Ends the session where the new reading says that it is over.
    mutating func close(
        _ flow: Flow, silence: TimeInterval, _ input: SessionInput, _ writer: EVEventWriter
    ) -> [AnyLoadEvent] {
        guard let session else { return [] }
        let turned = flow.isFlowing && flow.isExport != session.start.isExport
        let idleFor = session.idleSince.map { input.now.timeIntervalSince($0) } ?? 0
        let idles = !flow.isFlowing && (idleFor >= Self.idleSeconds || silence >= Self.idleSeconds)
        guard flow.isOver || turned || idles else { return [] }
        self.session = nil
        if turned {
            idle = start(at: input.now)
        }
        let quoted = input.guidance.map { QuotedGuidance($0) } ?? session.quoted
        var last = session
        last.quoted = quoted
        return [end(last, at: input.now, writer)]
    }

    /// Reports what changed within the session.
    mutating func goOn(_ flow: Flow, isNew: Bool, _ input: SessionInput, _ writer: EVEventWriter) -> [AnyLoadEvent] {
        guard var session else { return [] }
        let wasIdle = session.idleSince != nil
        let stopped = isNew && !flow.isFlowing && !wasIdle
        let resumed = isNew && flow.isFlowing && wasIdle
        if stopped { session.idleSince = input.now }
        if resumed { session.idleSince = nil }

        let quoted = input.guidance.map { QuotedGuidance($0) } ?? session.quoted
        let isPaused = session.idleSince != nil
        let isFresh = lastReadingAt.map { input.now.timeIntervalSince($0) <= freshReadingSeconds } ?? false
        let isDue = isFresh && !isPaused && input.now.quarterHour > session.lastEventAt.quarterHour
        // Of a device that is silent there is nothing to tell before its next reading.
        let isNewGuidance = isFresh && quoted != session.quoted && !isPaused
        if input.userActed { session.hasUntoldAct = true }
        let isAct = isFresh && session.hasUntoldAct == true
        let powerChanged = isNew && !isPaused && hasChanged(flow.watts, session, input.now)
        defer { self.session = session }
        guard stopped || resumed || isDue || powerChanged || isNewGuidance || isAct else { return [] }

        session.quoted = quoted
        session.hasUntoldAct = nil
        if powerChanged || stopped || resumed { session.lastPowerChangeAt = input.now }
        session.lastWatts = isPaused ? 0 : flow.watts
        return [sample(&session, watts: session.lastWatts, at: max(input.now, session.lastEventAt), writer)]
    }

    private func hasChanged(_ watts: Double, _ session: Session, _ now: Date) -> Bool {
        let change = abs(watts - session.lastWatts)
        guard change > max(session.lastWatts * 0.1, 500) else { return false }
        return session.lastPowerChangeAt.map { now.timeIntervalSince($0) >= Self.powerChangeSeconds } ?? true
    }
}

/// Writes the events of one charger at one moment.
struct EVEventWriter {
    let device: ElectricalLoadDevice
    /// The car's charge in percent, where it is known.
    let charge: Int?

    func event(
        _ state: ElectricVehicleLoadEvent.Session.State, _ session: EVSessionMachine.Session, watts: Double,
        wattHours: Double, isEstimated: Bool, at moment: Date
    ) -> AnyLoadEvent {
        let measurement = ElectricVehicleLoadEvent.ElectricalMeasurement(
            stateOfCharge: charge ?? ElectricVehicleLoadEvent.ElectricalMeasurement.unknownStateOfCharge,
            direction: session.start.isExport ? .exported : .imported,
            power: .watts((watts * 1000).rounded() / 1000), energy: .wattHours((wattHours * 1000).rounded() / 1000),
            isEnergyEstimated: isEstimated && wattHours > 0)
        let quoted = ElectricVehicleLoadEvent.Session.GuidanceState(
            wasFollowingGuidance: session.quoted.isFollowing, guidanceToken: session.quoted.token)
        return .electricVehicle(
            ElectricVehicleLoadEvent(
                timestamp: moment, measurement: measurement,
                session: .init(id: session.id, state: state, guidanceState: quoted), device: device))
    }
}

/// The car's charge between plugging in and out, where nothing measures it.
struct ChargeEstimate: Sendable, Codable {
    private var isPlugged = false
    private var imported = 0.0
    private var exported = 0.0

    /// Notes the counts at plug-in, from which the estimate goes on.
    mutating func follow(_ plug: PlugState?, imported: Double, exported: Double) {
        guard let plug else { return }
        if plug == .plugged, !isPlugged { (self.imported, self.exported) = (imported, exported) }
        isPlugged = plug == .plugged
    }

    /// The charge in percent: as read, else the assumed one at plug-in with what the meter saw since.
    func percent(reading: DeviceReading?, machine: EVSessionMachine, vehicle: VehicleConfiguration?) -> Int? {
        if let read = reading?[.stateOfChargePercent], (0...100).contains(read) { return Int(read.rounded()) }
        guard let vehicle, let assumed = vehicle.assumedStateOfCharge, let capacity = vehicle.capacityWattHours,
            capacity > 0, vehicle.efficiency > 0
        else { return nil }
        let stored = (machine.imported.totalWattHours - imported) * vehicle.efficiency
        let drawn = (machine.exported.totalWattHours - exported) / vehicle.efficiency
        return Int(min(max(assumed + (stored - drawn) / capacity * 100, 0), 100).rounded())
    }
}
