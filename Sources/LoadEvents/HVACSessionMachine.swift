package import EnergyKit
package import Foundation
import HubKit

/// Turns the readings of heating or cooling into the load events of its runs; pure, so that it can be replayed and stored.
///
/// A start is `begin` with stage 0 and `active` with the stage; a change of stage or mode and each quarter-hour is an
/// `active`; going idle is the `end` with stage 0.
package struct HVACSessionMachine: Sendable, Codable {
    /// The least time between two events for changes of stage, in seconds.
    package static let stageSeconds: TimeInterval = 60
    /// Stages are told in steps of this many percent.
    static let step = 5.0
    /// How far the stage has to be from the told one to be another, in percent: half a step and half of that again.
    static let hysteresis = 3.75

    var session: Session?
    var isWaiting = false
    var lastReadingAt: Date?
    var run: Run?
    /// Whether the hub has started anew since the last reading.
    var awaitsReading: Bool?

    /// Makes a machine that has seen nothing.
    package init() {}

    /// A run that has begun.
    struct Session: Sendable, Codable {
        var id: UUID
        var quoted: QuotedGuidance
        var lastEventAt: Date
        var lastStageAt: Date
        var stage: Int
        var mode: HVACMode?
        /// Whether a person acted before the device was read after a restart, which its next reading is to tell.
        var hasUntoldAct: Bool?
    }

    /// What the device does by its last reading: the stage is 0 where it does not run.
    struct Run: Sendable, Codable, Equatable {
        var percent: Double
        var mode: HVACMode?
    }

    /// Whether a session is open, or waits to be begun.
    package var isOpen: Bool { session != nil || isWaiting }

    /// Whether the device runs and no guidance is known that its events could quote.
    package var needsGuidance: Bool { isWaiting }

    /// Takes in what is known now.
    /// - Parameters:
    ///   - input: the last reading and what else happened.
    ///   - device: the device, as its events name it.
    /// - Returns: the events to submit, in order.
    package mutating func step(_ input: SessionInput, device: ElectricalLoadDevice) -> [AnyLoadEvent] {
        let isNew = takeIn(input.reading)
        guard let run else { return [] }
        let stage = level(run)
        guard let session else { return begin(stage, run, input, device) }
        if stage == 0 {
            guard isNew else { return [] }
            self.session = nil
            let quoted = input.guidance.map { QuotedGuidance($0) } ?? session.quoted
            return [event(.end, 0, session.id, quoted, at: max(input.now, session.lastEventAt), device)]
        }
        return goOn(session, stage, run, isNew: isNew, input, device)
    }

    /// The hub has started anew: nothing is told before the next reading, since what was read before has moved on.
    package mutating func resume() { awaitsReading = true }

    /// Ends the open session at its last moment and forgets every moment, since the clock was set.
    /// - Returns: the end of the session that was open.
    package mutating func clockWasSet(device: ElectricalLoadDevice) -> [AnyLoadEvent] {
        let last = lastReadingAt
        let ended = session
        self = HVACSessionMachine()
        guard let ended else { return [] }
        return [event(.end, 0, ended.id, ended.quoted, at: max(ended.lastEventAt, last ?? ended.lastEventAt), device)]
    }

    private mutating func takeIn(_ reading: DeviceReading?) -> Bool {
        guard let reading else { return false }
        if let lastReadingAt, reading.at <= lastReadingAt { return false }
        lastReadingAt = reading.at
        awaitsReading = nil
        // A reading that tells neither stage nor mode changes nothing: unknown is not idle.
        guard let run = Run(reading) else { return false }
        self.run = run
        return true
    }

    /// The stage in steps, sticking to the told one within the hysteresis.
    private func level(_ run: Run) -> Int {
        if let session, run.percent >= Self.step / 2, abs(run.percent - Double(session.stage)) <= Self.hysteresis {
            return session.stage
        }
        if session == nil, run.percent < Self.step { return 0 }
        return Int((run.percent / Self.step).rounded() * Self.step)
    }

    private mutating func begin(_ stage: Int, _ run: Run, _ input: SessionInput, _ device: ElectricalLoadDevice)
        -> [AnyLoadEvent]
    {
        isWaiting = stage > 0
        guard stage > 0, let guidance = input.guidance else { return [] }
        isWaiting = false
        let quoted = QuotedGuidance(guidance)
        let id = UUID()
        session = Session(
            id: id, quoted: quoted, lastEventAt: input.now, lastStageAt: input.now, stage: stage, mode: run.mode)
        return [
            event(.begin, 0, id, quoted, at: input.now, device),
            event(.active, stage, id, quoted, at: input.now, device),
        ]
    }

    private mutating func goOn(
        _ session: Session, _ stage: Int, _ run: Run, isNew: Bool, _ input: SessionInput, _ device: ElectricalLoadDevice
    ) -> [AnyLoadEvent] {
        var session = session
        let quoted = input.guidance.map { QuotedGuidance($0) } ?? session.quoted
        let modeChanged = isNew && run.mode != nil && session.mode != nil && run.mode != session.mode
        let mayTellStage = input.now.timeIntervalSince(session.lastStageAt) >= Self.stageSeconds
        // The first mode of a run that began without one is known and not told.
        if session.mode == nil { self.session?.mode = run.mode }
        let stageChanged = isNew && stage != session.stage && (mayTellStage || modeChanged)
        let isFresh =
            awaitsReading != true
            && lastReadingAt.map { input.now.timeIntervalSince($0) <= freshReadingSeconds } ?? false
        let isDue = isFresh && input.now.quarterHour > session.lastEventAt.quarterHour
        if input.userActed { self.session?.hasUntoldAct = true }
        // After a restart there is nothing to tell before the device was read.
        let isNews = quoted != session.quoted || self.session?.hasUntoldAct == true
        guard modeChanged || stageChanged || isDue || isNews && awaitsReading != true else { return [] }
        session.hasUntoldAct = nil
        session.quoted = quoted
        session.mode = run.mode ?? self.session?.mode
        if stage != session.stage { session.lastStageAt = input.now }
        session.stage = stage
        session.lastEventAt = max(input.now, session.lastEventAt)
        self.session = session
        return [event(.active, stage, session.id, quoted, at: session.lastEventAt, device)]
    }

    private func event(
        _ state: ElectricHVACLoadEvent.Session.State, _ stage: Int, _ id: UUID, _ quoted: QuotedGuidance,
        at moment: Date, _ device: ElectricalLoadDevice
    ) -> AnyLoadEvent {
        let guidance = ElectricHVACLoadEvent.Session.GuidanceState(
            wasFollowingGuidance: quoted.isFollowing, guidanceToken: quoted.token)
        return .hvac(
            ElectricHVACLoadEvent(
                timestamp: moment, measurement: .init(stage: stage),
                session: .init(id: id, state: state, guidanceState: guidance), device: device))
    }
}

extension HVACSessionMachine.Run {
    /// What a reading says; nothing where it tells neither stage nor mode.
    ///
    /// A device that only tells its mode runs at 100 or not at all.
    init?(_ reading: DeviceReading) {
        let works = reading.hvacMode.map { $0 != .off && $0 != .idle }
        let stage = reading[.stagePercent].map { min(max($0, 0), 100) }
        guard works != nil || stage != nil else { return nil }
        mode = reading.hvacMode
        percent = works == false ? 0 : stage ?? 100
    }
}
