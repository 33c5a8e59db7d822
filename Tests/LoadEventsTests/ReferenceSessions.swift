import Foundation
import HubKit

/// One moment of a device's life, as a recorder sees it; seconds count from the beginning.
struct Moment {
    var seconds: Double
    /// Absent where only time went on.
    var reading: Reading?
    var userActed = false
    var guidance: FollowedGuidance?

    struct Reading {
        var watts: Double? = nil
        var imported: Double? = nil
        var exported: Double? = nil
        var plug: PlugState? = nil
        var charging: ChargingState? = nil
        var stage: Double? = nil
        var mode: HVACMode? = nil
    }
}

/// An event as the rules want it.
struct WantedEvent: Equatable, CustomStringConvertible {
    var state: String
    var seconds: Double
    var watts = 0.0
    var wattHours = 0.0
    var stage = 0
    var token: UUID
    var isFollowing: Bool
    var isExport = false

    var description: String {
        "\(state)@\(seconds) \(watts)W \(wattHours)Wh stage \(stage) \(isExport ? "out" : "in") "
            + "\(token.uuidString.prefix(4)) \(isFollowing)"
    }
}

/// The rules for a charger's events, applied to its whole life at each step and remembering nothing but the events and
/// when they were told.
///
/// Slow on purpose and written from the rules' text: begin with nothing, at the last moment at which nothing flowed;
/// active at quarter-hours and at once on a person's act, a pause, going on, new guidance or a change of power above
/// 10 % and 500 W; end with power 0 and all the energy; one direction a session; nothing while idle. No event tells more
/// than can have flowed since the one before, an end waits until all can have, and a silent device's acts and guidance
/// are told with its next reading.
struct ReferenceCharger {
    private let life: [Moment]
    private let maximumWatts: Double
    private var events: [WantedEvent] = []
    /// When each event was told, which may be before the time it has.
    private var tellings: [Double] = []
    private var now = 0
    /// The counter at the session's begin.
    private var from = 0.0
    /// When a power, a pause or going on was told in this session.
    private var changes: [Double] = []

    static func events(of life: [Moment], maximumWatts: Double) -> [WantedEvent] {
        var reference = ReferenceCharger(life, maximumWatts)
        for index in life.indices { reference.live(index) }
        return reference.events
    }

    private init(_ life: [Moment], _ maximumWatts: Double) {
        self.life = life
        self.maximumWatts = maximumWatts
    }

    private var moment: Moment { life[now] }
    private var past: [Moment] { Array(life[...now]) }
    private var readings: [Moment] { past.filter { $0.reading != nil } }
    private var session: [WantedEvent] {
        guard let begin = events.lastIndex(where: { $0.state == "begin" }), events.last?.state != "end" else {
            return []
        }
        return Array(events[begin...])
    }

    private static func flows(_ reading: Moment.Reading) -> Bool {
        guard reading.plug != .unplugged, reading.charging != .fault else { return false }
        guard let watts = reading.watts else { return reading.charging == .charging }
        return abs(watts) > (reading.charging == .charging ? 20 : 100)
    }

    private static func isOver(_ reading: Moment.Reading) -> Bool {
        reading.plug == .unplugged || reading.charging == .fault
    }

    private static func isExport(_ reading: Moment.Reading) -> Bool {
        (reading.watts ?? 0) < -(reading.charging == .charging ? 20 : 100)
    }

    private static func counter(_ reading: Moment.Reading, _ isExport: Bool) -> Double {
        (isExport ? reading.exported : reading.imported) ?? 0
    }

    private mutating func live(_ index: Int) {
        now = index
        guard let last = readings.last, let reading = last.reading else { return }
        let isNew = moment.reading != nil
        if isNew, !session.isEmpty { end(reading) }
        if session.isEmpty { begin(reading, last, isNew) } else { goOn(reading, last, isNew) }
    }

    private mutating func tell(
        _ state: String, at seconds: Double, _ reading: Moment.Reading, isExport: Bool, from: Double
    ) {
        guard let guidance = moment.guidance ?? quotedLast else { return }
        let flows = Self.flows(reading) && state == "active"
        var event = WantedEvent(
            state: state, seconds: seconds, watts: flows ? abs(reading.watts ?? 0) : 0,
            wattHours: Self.counter(reading, isExport) - from, token: guidance.token,
            isFollowing: guidance.isFollowing, isExport: isExport)
        if let before = session.last {
            let new = event.wattHours - before.wattHours
            if state == "end" {
                event.seconds = max(seconds, before.seconds + new / maximumWatts * 3600)
            } else {
                event.wattHours = before.wattHours + min(new, maximumWatts * (seconds - before.seconds) / 3600)
            }
        }
        events.append(event)
        tellings.append(moment.seconds)
    }

    private var quotedLast: FollowedGuidance? {
        events.last.map { FollowedGuidance(token: $0.token, isFollowing: $0.isFollowing) }
    }

    // MARK: Begin

    /// The flow that began and was not told yet: the reading that showed it first.
    private var untold: Int? {
        let endOfLast = tellings.last ?? -1
        var first: Int?
        for index in past.indices {
            guard let reading = past[index].reading, past[index].seconds > endOfLast || isTurn(past[index]) else {
                continue
            }
            if Self.flows(reading) { first = first ?? index }
            // Over before there was guidance to quote: nothing can be said of it.
            if Self.isOver(reading), index < now { first = nil }
        }
        return first
    }

    /// Whether this reading ended a session by turning round, and so begins the next.
    private func isTurn(_ moment: Moment) -> Bool {
        events.last?.state == "end" && tellings.last == moment.seconds
            && (moment.reading.map(Self.flows) ?? false)
    }

    private mutating func begin(_ reading: Moment.Reading, _ last: Moment, _ isNew: Bool) {
        guard let first = untold, moment.guidance != nil, let flow = past[first].reading else { return }
        let isExport = Self.isExport(flow)
        let idle = isTurn(past[first]) ? nil : lastCalm(before: first, isExport)
        let from = Self.counter((idle ?? past[first]).reading ?? flow, isExport)
        var start = (idle ?? past[first]).seconds
        if let idle, past[first].seconds - idle.seconds > 300, let watts = flow.watts {
            // Too old to tell: all that was counted since flowed at the power of then.
            let flowed = Self.counter(flow, isExport) - from
            start = max(start, past[first].seconds - flowed / abs(watts) * 3600)
        }
        let isPast = start < moment.seconds
        start = max(start, events.last?.seconds ?? start)
        tell("begin", at: start, flow, isExport: isExport, from: Self.counter(flow, isExport))
        if isPast, let quoted = idle?.guidance {
            events[events.count - 1].token = quoted.token
            events[events.count - 1].isFollowing = quoted.isFollowing
        }
        changes = [moment.seconds]
        self.from = from
        tell("active", at: max(moment.seconds, start), reading, isExport: isExport, from: from)
        if Self.isOver(reading) { tell("end", at: moment.seconds, reading, isExport: isExport, from: from) }
    }

    /// The last idle reading before a flow; where the counter rose up to it, the one before the counter rose.
    private func lastCalm(before first: Int, _ isExport: Bool) -> Moment? {
        let endOfLast = tellings.last ?? -1
        let idle = past[..<first].filter { $0.reading != nil }.reversed().prefix {
            isIdle($0) && $0.seconds >= endOfLast
        }
        func count(_ moment: Moment) -> Double {
            moment.reading.map { ($0.imported ?? 0) + ($0.exported ?? 0) } ?? 0
        }
        var calm: Moment?
        var last: Moment?
        for reading in idle.reversed() {
            if let before = last {
                let since = calm ?? before
                let isNear = since.seconds == before.seconds || reading.seconds - since.seconds <= 300
                let rose = count(reading) > count(before) && count(reading) - count(since) <= maximumWatts * 300 / 3600
                calm = rose && isNear ? since : nil
            }
            last = reading
        }
        return calm ?? last
    }

    private func isIdle(_ moment: Moment) -> Bool { moment.reading.map { !Self.flows($0) } ?? false }

    // MARK: End

    private mutating func end(_ reading: Moment.Reading) {
        guard let begin = session.first, let last = session.last else { return }
        let flows = Self.flows(reading)
        let turned = flows && Self.isExport(reading) != begin.isExport
        let before = past.dropLast().last { $0.reading != nil }
        let silence = before.map { moment.seconds - $0.seconds } ?? 0
        let idles = !flows && (silence >= 600 || idleFor(before) >= 600)
        guard Self.isOver(reading) || turned || idles else { return }
        tell("end", at: max(moment.seconds, last.seconds), reading, isExport: begin.isExport, from: from)
    }

    /// How long nothing had flowed when this reading came, counted from the first idle reading in a row.
    private func idleFor(_ before: Moment?) -> Double {
        var first: Double?
        for earlier in past.dropLast().reversed() {
            guard let reading = earlier.reading else { continue }
            if Self.flows(reading) { break }
            first = earlier.seconds
        }
        // A session that was told late idles from then on.
        let told = events.lastIndex { $0.state == "begin" }.map { tellings[$0] } ?? 0
        return first.map { moment.seconds - max($0, told) } ?? 0
    }

    // MARK: In between

    private mutating func goOn(_ reading: Moment.Reading, _ last: Moment, _ isNew: Bool) {
        guard let begin = session.first, let told = session.last else { return }
        let before = past.dropLast().last { $0.reading != nil }?.reading
        let flows = Self.flows(reading)
        let changed = isNew && before.map { Self.flows($0) != flows } ?? false
        let isFresh = moment.seconds - last.seconds <= 120
        let isMark = Int(moment.seconds / 900) > Int(told.seconds / 900) && flows && isFresh
        let current = moment.guidance ?? quotedLast
        let isNewGuidance =
            flows && isFresh && (current?.token != told.token || current?.isFollowing != told.isFollowing)
        let watts = flows ? abs(reading.watts ?? 0) : 0
        let isOther = isNew && flows && abs(watts - told.watts) > max(told.watts * 0.1, 500)
        let mayTell = moment.seconds - (changes.last ?? 0) >= 20
        if changed || isOther && mayTell { changes.append(moment.seconds) }
        let isAct = isFresh && past.contains { $0.userActed && $0.seconds > tellings.last ?? -1 }
        guard changed || isMark || isNewGuidance || isAct || isOther && mayTell else { return }
        tell("active", at: max(moment.seconds, told.seconds), reading, isExport: begin.isExport, from: from)
    }
}

/// The rules for a heat pump's events, in the same way: begin with stage 0 and the stage at once, each change of stage or
/// mode, quarter-hours, end with stage 0 when it goes idle.
struct ReferencePump {
    static func events(of life: [Moment]) -> [WantedEvent] {
        var events: [WantedEvent] = []
        for index in life.indices { events += new(Array(life[...index]), events) }
        return events
    }

    /// The share of the full power; nothing where the reading does not say.
    private static func percent(_ reading: Moment.Reading) -> Double? {
        if let mode = reading.mode, mode == .off || mode == .idle { return 0 }
        if let stage = reading.stage { return min(max(stage, 0), 100) }
        return reading.mode == nil ? nil : 100
    }

    private static func new(_ past: [Moment], _ events: [WantedEvent]) -> [WantedEvent] {
        let telling = past.filter { $0.reading.flatMap(percent) != nil }
        guard let now = past.last, let last = telling.last, let reading = last.reading, let percent = percent(reading)
        else { return [] }
        let session =
            events.last?.state == "end" ? [] : Array(events[(events.lastIndex { $0.state == "begin" } ?? 0)...])
        func event(_ state: String, _ stage: Int, _ guidance: FollowedGuidance) -> WantedEvent {
            WantedEvent(
                state: state, seconds: now.seconds, stage: stage, token: guidance.token,
                isFollowing: guidance.isFollowing)
        }
        let nearest = Int((percent / 5).rounded()) * 5
        guard let told = session.last else {
            guard percent >= 5, let guidance = now.guidance else { return [] }
            return [event("begin", 0, guidance), event("active", nearest, guidance)]
        }
        let guidance = now.guidance ?? FollowedGuidance(token: told.token, isFollowing: told.isFollowing)
        let isNew = now.reading.flatMap(Self.percent) != nil
        // Three quarters of a step have to pass before another stage is told, but less than half a step is off.
        let stage = percent >= 2.5 && abs(percent - Double(told.stage)) <= 3.75 ? told.stage : nearest
        if stage == 0 { return isNew ? [event("end", 0, guidance)] : [] }
        let began = session.first?.seconds ?? 0
        let modeBefore = telling.last {
            $0.seconds >= began && $0.seconds < now.seconds && $0.reading?.mode != nil
        }?.reading?.mode
        let modeChanged = isNew && reading.mode != nil && modeBefore != nil && reading.mode != modeBefore
        let stageAt = session.indices.last { $0 <= 1 || session[$0].stage != session[$0 - 1].stage }
        let mayTell = now.seconds - (stageAt.map { session[$0].seconds } ?? 0) >= 60
        let stageChanged = isNew && stage != told.stage && (mayTell || modeChanged)
        let read = past.last { $0.reading != nil }?.seconds ?? 0
        let isMark = Int(now.seconds / 900) > Int(told.seconds / 900) && now.seconds - read <= 120
        let isNewGuidance = guidance.token != told.token || guidance.isFollowing != told.isFollowing
        guard modeChanged || stageChanged || isMark || isNewGuidance || now.userActed else { return [] }
        return [event("active", stage, guidance)]
    }
}
