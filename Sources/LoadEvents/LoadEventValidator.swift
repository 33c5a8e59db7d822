import EnergyKit
import Foundation
import HubKit
import Storage

/// What the judge remembers from one submission to the next, so that it need not ask the store again.
struct SubmissionMemory: Sendable {
    /// A session with its home.
    struct Session: Sendable {
        var venueID: UUID
        var order: SessionOrder
    }

    private(set) var tokens: [UUID: IssuedToken] = [:]
    private(set) var sessions: [UUID: Session] = [:]

    private static let mostTokens = 32
    private static let mostSessions = 64

    mutating func remember(_ token: UUID, _ facts: IssuedToken) {
        if tokens.count >= Self.mostTokens { tokens.removeAll(keepingCapacity: true) }
        tokens[token] = facts
    }

    mutating func remember(_ session: UUID, _ facts: Session) {
        if sessions.count >= Self.mostSessions, sessions[session] == nil { sessions.removeAll(keepingCapacity: true) }
        sessions[session] = facts
    }

    mutating func forget(session: UUID) { sessions[session] = nil }
}

/// Judges a batch of load events against the store: everything is right, or the whole batch is refused.
struct LoadEventValidator: Sendable {
    let venues: VenueRegistry
    /// Venues at which a token counts only for the client or device that fetched it.
    let strictVenues: Set<UUID>
    /// The hub's own devices: their sessions are the recorder's alone.
    let ownDevices: Set<String>

    /// How far beside its guidance's interval a token may be quoted, in seconds.
    static let tokenSeconds: TimeInterval = 86_400

    /// A batch to be judged.
    struct Submission: Sendable {
        var events: [AnyLoadEvent]
        var venueID: UUID
        var client: String?
        var now: Date
    }

    /// A batch that may be stored.
    struct Judged {
        /// Where in the submission the events stand that are not stored yet, each once; an event is large to copy.
        var new: [Int]
        /// Sessions that came whole in this one call.
        var wholeSessions: [UUID]
    }

    /// Judges the batch.
    /// - Parameters:
    ///   - submission: the batch.
    ///   - scope: the store within the transaction that will hold the batch.
    ///   - memory: what is known from earlier submissions; not changed where this throws.
    /// - Throws: `EnergyKitFailure` with `invalidLoadEvent` that names event and rule, or an error of the store.
    func judge(
        _ submission: Submission, _ scope: borrowing SubmissionScope, _ memory: inout SubmissionMemory
    ) throws -> Judged {
        let venueID = submission.venueID
        guard venues[venueID] != nil else {
            throw EnergyKitFailure(InvalidLoadEvent(rule: .venue, detail: "no venue has the id \(venueID.uuidString)"))
        }
        guard !submission.events.isEmpty else { return Judged(new: [], wholeSessions: []) }
        let new = try withoutRepeats(submission, scope)
        let rules = EventRules(
            venueID: venueID, now: submission.now, ownDevices: submission.client == nil ? [] : ownDevices)
        for index in new {
            guard let (rule, found) = rules.breach(submission.events[index]) else { continue }
            throw Self.failure(index, submission.events[index], rule, found)
        }
        try checkTokens(new, submission, scope, &memory)
        let whole = try checkSessions(new, submission, scope, &memory)
        return Judged(new: new, wholeSessions: whole)
    }

    private static func failure(_ index: Int, _ event: AnyLoadEvent, _ rule: LoadEventRule, _ found: String)
        -> EnergyKitFailure
    {
        EnergyKitFailure(InvalidLoadEvent(index: index, eventID: event.id, rule: rule, detail: found))
    }

    private func withoutRepeats(
        _ submission: Submission, _ scope: borrowing SubmissionScope
    ) throws -> [Int] {
        var places: [UUID: Int] = [:]
        places.reserveCapacity(submission.events.count)
        var new: [Int] = []
        new.reserveCapacity(submission.events.count)
        for index in submission.events.indices {
            let id = submission.events[index].id
            let first: AnyLoadEvent
            if let place = places.updateValue(index, forKey: id) {
                places[id] = place
                first = submission.events[place]
            } else if let stored = try scope.event(id) {
                guard stored.venueID == submission.venueID else {
                    throw Self.failure(index, submission.events[index], .idReused, "an event of another venue")
                }
                first = stored.event
            } else {
                new.append(index)
                continue
            }
            guard first == submission.events[index] else {
                throw Self.failure(index, submission.events[index], .idReused, "")
            }
        }
        return new
    }

    private func checkTokens(
        _ new: [Int], _ submission: Submission, _ scope: borrowing SubmissionScope, _ memory: inout SubmissionMemory
    ) throws {
        var allowed: Set<[String]> = []
        var last: (token: UUID, facts: IssuedToken)?
        for index in new {
            let event = submission.events[index]
            guard let token = event.guidanceToken else { continue }
            let known = try last?.token == token ? last?.facts : memory.tokens[token] ?? scope.issuedToken(token)
            guard let facts = known else {
                throw Self.failure(index, event, .tokenNeverIssued, token.uuidString)
            }
            if last?.token != token {
                if memory.tokens[token] == nil { memory.remember(token, facts) }
                last = (token, facts)
            }
            guard facts.venueID == submission.venueID else {
                throw Self.failure(index, event, .tokenOfAnotherVenue, token.uuidString)
            }
            let start = facts.interval.start.addingTimeInterval(-Self.tokenSeconds)
            let end = facts.interval.end.addingTimeInterval(Self.tokenSeconds)
            guard start <= event.timestamp, event.timestamp < end else {
                throw Self.failure(index, event, .tokenOutOfTime, token.uuidString)
            }
            guard let client = submission.client, strictVenues.contains(submission.venueID) else { continue }
            let key = [token.uuidString, event.deviceID]
            guard !allowed.contains(key) else { continue }
            guard try scope.wasRequested(token: token, byAnyOf: [client, event.deviceID]) else {
                throw Self.failure(index, event, .tokenOfAnotherClient, token.uuidString)
            }
            allowed.insert(key)
        }
    }

    private func checkSessions(
        _ new: [Int], _ submission: Submission, _ scope: borrowing SubmissionScope, _ memory: inout SubmissionMemory
    ) throws -> [UUID] {
        let venueID = submission.venueID
        var orders: [UUID: SessionOrder] = [:]
        // The session at hand; a batch mostly holds one.
        var current: (id: UUID, order: SessionOrder)?
        for index in new {
            let event = submission.events[index]
            guard let id = event.sessionID, event.stateName != nil else { continue }
            if current?.id != id {
                if let current { orders[current.id] = current.order }
                current = nil
                if let order = orders[id] {
                    current = (id, order)
                } else if let known = try Self.known(id, scope, memory) {
                    guard known.venueID == venueID else {
                        throw Self.failure(
                            index, event, .venue, "the session \(id.uuidString) belongs to another venue")
                    }
                    current = (id, known.order)
                }
            }
            guard current != nil else {
                current = (id, SessionOrder(event, order: index))
                continue
            }
            if let (rule, found) = current?.order.add(event, order: index) {
                throw Self.failure(index, event, rule, found)
            }
        }
        if let current { orders[current.id] = current.order }
        for (id, order) in orders { memory.remember(id, .init(venueID: venueID, order: order.onceStored)) }
        return orders.filter { $0.value.isWhole && $0.value.isComplete }.map(\.key)
    }

    private static func known(
        _ id: UUID, _ scope: borrowing SubmissionScope, _ memory: SubmissionMemory
    ) throws -> SubmissionMemory.Session? {
        if let session = memory.sessions[id] { return session }
        return try scope.sessionFacts(id).map { .init(venueID: $0.venueID, order: SessionOrder($0)) }
    }
}
