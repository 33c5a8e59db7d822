package import EnergyKit
package import Foundation
package import HubKit

/// Turns a charger's readings into the load events of its sessions; pure, so that it can be replayed and stored.
///
/// `begin` at the last moment at which nothing flowed, `active` at quarter-hours and at every change that matters,
/// `end` after ten idle minutes, at unplugging, at a fault, or when the direction turns. A session lives on through a
/// restart of the hub, an outage of the device and a stumbling counter (field case S-2).
package struct EVSessionMachine: Sendable, Codable {
    /// Idle time after which a session ends, in seconds.
    package static let idleSeconds: TimeInterval = 600
    /// The least time between two events for changes of power, in seconds.
    package static let powerChangeSeconds: TimeInterval = 20
    /// Power below which nothing counts as flowing where the charger does not say, in watts.
    static let flowWatts = 100.0
    /// The same where the charger says that it charges.
    static let trickleWatts = 20.0
    /// A last idle reading older than this does not tell when the flow began, in seconds.
    static let beginSeconds: TimeInterval = 300

    var imported: CounterTracker
    var exported: CounterTracker
    var counter: Quantity?
    var session: Session?
    var pending: Start?
    var charge = ChargeEstimate()
    var lastReadingAt: Date?
    var idle: Start?
    /// The idle reading after which the counter has risen, though no reading has told of a flow yet.
    var stirring: Start?
    var flow: Flow?
    /// Whether the hub has started anew since the last reading.
    var awaitsReading: Bool?
    /// The guidance in force while nothing flowed: a begin at that time quotes it, not one that was issued after.
    var quotedWhileIdle: QuotedGuidance?
    /// The counts at the end of the session that a clock's setting cut, from which the next one goes on.
    var carriedOver: Start?
    /// The time of the last session's end: the next one does not begin before it.
    var endedAt: Date?

    /// Makes a machine that has seen nothing.
    /// - Parameter maximumWatts: the most the charger and its connection carry.
    package init(maximumWatts: Double) {
        imported = CounterTracker(maximumWatts: maximumWatts)
        exported = CounterTracker(maximumWatts: maximumWatts)
    }

    /// A session that has begun.
    struct Session: Sendable, Codable {
        var id: UUID
        var start: Start
        var quoted: QuotedGuidance
        var lastEventAt: Date
        /// The energy of the last event, in watt-hours; absent in what an older version kept.
        var toldWattHours: Double?
        var lastWatts: Double
        var lastPowerChangeAt: Date?
        var idleSince: Date?
        /// Whether a person acted while the device was silent, which its next reading is to tell.
        var hasUntoldAct: Bool?
    }

    /// Where a flow began: the time, and the counts at that time in watt-hours.
    struct Start: Sendable, Codable {
        var at: Date
        var importedWattHours: Double
        var exportedWattHours: Double
        /// How much of either was worked out from the power.
        var estimatedWattHours: Double?
        var isExport = false
    }

    /// What flows, by the last reading.
    struct Flow: Sendable, Codable, Equatable {
        var isFlowing: Bool
        var isExport: Bool
        var watts: Double
        /// Unplugged or at fault: no session can go on.
        var isOver: Bool
    }

    /// Whether a session is open, or waits to be begun.
    package var isOpen: Bool { session != nil || pending != nil }

    /// Whether energy flows and no guidance is known that its events could quote.
    package var needsGuidance: Bool { pending != nil }

    /// Takes in what is known now.
    /// - Parameters:
    ///   - input: the last reading and what else happened.
    ///   - device: the charger, as its events name it.
    ///   - vehicle: what is known of the car.
    /// - Returns: the events to submit, in order.
    package mutating func step(
        _ input: SessionInput, device: ElectricalLoadDevice, vehicle: VehicleConfiguration?
    ) -> [AnyLoadEvent] {
        let silence = input.reading.flatMap { reading in lastReadingAt.map { reading.at.timeIntervalSince($0) } } ?? 0
        let isNew = takeIn(input.reading)
        let writer = EVEventWriter(
            device: device, charge: charge.percent(reading: input.reading, machine: self, vehicle: vehicle))
        var events: [AnyLoadEvent] = []
        guard let flow else { return [] }
        if isNew, session != nil { events += close(flow, silence: silence, input, writer) }
        if session == nil {
            events += open(flow, isNew: isNew, input, writer)
        } else {
            events += goOn(flow, isNew: isNew, input, writer)
        }
        // Only with a reading: guidance that comes after the last idle one was not in force when the flow began.
        if isNew, session == nil, pending == nil, !flow.isFlowing, stirring == nil {
            quotedWhileIdle = input.guidance.map { QuotedGuidance($0) }
        }
        return events
    }

    /// Counts a new reading.
    /// - Returns: whether it was new.
    private mutating func takeIn(_ reading: DeviceReading?) -> Bool {
        guard let reading else { return false }
        if let lastReadingAt, reading.at <= lastReadingAt { return false }
        let lastIdle = session == nil && flow?.isFlowing == false ? lastReadingAt.map { start(at: $0) } : nil
        lastReadingAt = reading.at
        awaitsReading = nil
        count(reading)
        charge.follow(reading.plug, imported: imported.totalWattHours, exported: exported.totalWattHours)
        flow = Flow(reading)
        let calm = lastIdle.map { stirring ?? $0 }
        idle = calm.flatMap { beginning(after: $0, at: reading.at) }
        stirring = lastIdle.flatMap { last in calm.flatMap { stirring(since: $0, after: last, at: reading.at) } }
        if var carriedOver {
            carriedOver.at = reading.at
            idle = carriedOver
            self.carriedOver = nil
        }
        return true
    }

    /// The hub has started anew: nothing is told before the next reading, since the counter has moved on meanwhile.
    package mutating func resume() { awaitsReading = true }

    /// Ends the open session at its last moment and forgets every moment, since the clock was set.
    ///
    /// No session has times of two clocks. What flows on is another session, and none of the energy is lost between them.
    /// - Returns: the end of the session that was open.
    package mutating func clockWasSet(
        device: ElectricalLoadDevice, vehicle: VehicleConfiguration?
    ) -> [AnyLoadEvent] {
        let writer = EVEventWriter(
            device: device, charge: charge.percent(reading: nil, machine: self, vehicle: vehicle))
        var events: [AnyLoadEvent] = []
        if let session {
            let moment = max(session.lastEventAt, lastReadingAt ?? session.lastEventAt)
            events = [end(session, at: moment, writer)]
            carriedOver = start(at: moment)
            carriedOver?.isExport = session.start.isExport
        }
        (session, pending, idle, lastReadingAt, flow, endedAt) = (nil, nil, nil, nil, nil, nil)
        imported.clockWasSet()
        exported.clockWasSet()
        return events
    }

    /// Where the flow of now began.
    ///
    /// After an idle reading that is too old to tell, all that was counted since is taken to have flowed at the power of
    /// now, so that nothing counted is left out.
    private func beginning(after idle: Start, at moment: Date) -> Start? {
        guard moment.timeIntervalSince(idle.at) > Self.beginSeconds else { return idle }
        guard let flow, flow.isFlowing, flow.watts > 0 else { return nil }
        var start = idle
        start.isExport = flow.isExport
        start.at = max(idle.at, moment.addingTimeInterval(-wattHours(since: start) / flow.watts * 3600))
        return start
    }

    /// Whether a flow may have begun at the last calm reading that the power does not show yet.
    ///
    /// A device's values are read one after the other: the counter may be read after a flow has begun, and the power
    /// before. A counter that creeps through days of standby begins nothing.
    private func stirring(since calm: Start, after last: Start, at moment: Date) -> Start? {
        let most = imported.maximumWatts * Self.beginSeconds / 3600
        guard flow?.isFlowing == false, counted(since: last) > 0, counted(since: calm) <= most else { return nil }
        return calm.at == last.at || moment.timeIntervalSince(calm.at) <= Self.beginSeconds ? calm : nil
    }

    private func counted(since start: Start) -> Double {
        imported.totalWattHours - start.importedWattHours + exported.totalWattHours - start.exportedWattHours
    }

    private mutating func count(_ reading: DeviceReading) {
        let watts = reading.chargingWatts
        let source: Quantity? =
            if reading[.importWattHours] != nil {
                .importWattHours
            } else if counter != .importWattHours, reading[.sessionWattHours] != nil { .sessionWattHours } else {
                counter
            }
        if let source, source != counter {
            if counter != nil { imported.changeCounter() }
            counter = source
        }
        imported.read(counter: source.flatMap { reading[$0] }, powerWatts: watts.map { max($0, 0) }, at: reading.at)
        exported.read(counter: reading[.exportWattHours], powerWatts: watts.map { max(-$0, 0) }, at: reading.at)
    }

    func start(at moment: Date) -> Start {
        Start(
            at: moment, importedWattHours: imported.totalWattHours, exportedWattHours: exported.totalWattHours,
            estimatedWattHours: estimatedWattHours)
    }

    private var estimatedWattHours: Double { (imported.estimatedWattHours ?? 0) + (exported.estimatedWattHours ?? 0) }

    /// Whether some of the energy since a start was worked out from the power.
    func isEstimated(since start: Start) -> Bool { estimatedWattHours > start.estimatedWattHours ?? 0 }

    /// The energy since a start, in watt-hours.
    func wattHours(since start: Start) -> Double {
        let raw =
            start.isExport
            ? exported.totalWattHours - start.exportedWattHours : imported.totalWattHours - start.importedWattHours
        return max(raw, 0)
    }
}

extension DeviceReading {
    /// The power into the car in watts: measured, or from the currents at 230 V.
    var chargingWatts: Double? {
        if let powerWatts { return powerWatts }
        guard let amps = currentAmps else { return nil }
        return amps.reduce(0) { $0 + ($1 ?? 0) } * 230
    }
}

extension EVSessionMachine.Flow {
    /// What a reading says; nothing where it tells neither power nor state.
    init?(_ reading: DeviceReading) {
        let watts = reading.chargingWatts
        guard watts != nil || reading.charging != nil || reading.plug != nil else { return nil }
        isOver = reading.plug == .unplugged || reading.charging == .fault
        let threshold = reading.charging == .charging ? EVSessionMachine.trickleWatts : EVSessionMachine.flowWatts
        let flows = watts.map { abs($0) > threshold } ?? (reading.charging == .charging)
        isFlowing = flows && !isOver
        isExport = (watts ?? 0) < -threshold
        self.watts = isFlowing ? abs(watts ?? 0) : 0
    }
}
