import Foundation

/// Whose a base topic is, when several hubs are at one broker.
///
/// What a hub retains under its base topic is its own, and what it does not know there it clears; two hubs under one base
/// topic would clear each other's. So a hub writes its name to `BASE/hub` (retained), and before it shows, clears or takes
/// anything it asks on `BASE/hub/claim` who else is there. Its own question comes back from the broker behind all that is
/// retained. A hub that holds the base topic answers by writing its name again; who is named and does not answer is gone.
///
/// This is the state alone: events go in, and what is to be done comes out.
struct BaseClaim {
    typealias Holder = HubIdentity

    /// A hub's question.
    struct Question: Codable, Equatable, Sendable {
        var run: String
        var round: Int
    }

    enum Event: Equatable, Sendable {
        case connected
        case disconnected
        /// What stands at `BASE/hub`; nothing when the holder has gone.
        case named(Holder?, isRetained: Bool)
        case asked(Question)
        /// The time of a wait is over.
        case waited(Int)
        /// The last will of a hub says that it is gone.
        case went
    }

    enum Action: Equatable {
        case ask(Question)
        /// Tell of a wait's end, with its number.
        case wait(Int, Wait)
        /// Write the own name.
        case name
        /// The base topic is this hub's: show everything.
        case take
        /// It is another's.
        case leave(Holder)
    }

    /// How long is waited for an answer, and until another hub is looked for again.
    enum Wait { case answer, look }

    enum State: Equatable {
        /// There is no connection.
        case away
        /// The question is on its way.
        case asking
        case held
        case elsewhere(Holder)
    }

    let own: Holder
    private(set) var state = State.away
    /// The hub that stands at `BASE/hub`, or that asked before this one did.
    private var other: Holder?
    private var round = 0

    init(_ own: Holder) { self.own = own }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .connected: return ask()
        case .disconnected:
            (state, other) = (.away, nil)
            return []
        case .named(let holder, let isRetained): return named(holder, isRetained)
        case .asked(let question): return asked(question)
        case .waited(let number): return waited(number)
        case .went:
            if case .elsewhere = state { return ask() }
            return []
        }
    }

    private mutating func ask() -> [Action] {
        state = .asking
        round += 1
        return [
            .ask(Question(run: own.run, round: round)), .wait(round, .answer),
        ]
    }

    private mutating func take() -> [Action] {
        (state, other) = (.held, nil)
        return [.name, .take]
    }

    private mutating func leave(to holder: Holder) -> [Action] {
        guard state != .elsewhere(holder) else { return [] }
        (state, other) = (.elsewhere(holder), holder)
        round += 1
        return [.leave(holder), .wait(round, .look)]
    }

    private mutating func named(_ holder: Holder?, _ isRetained: Bool) -> [Action] {
        guard let holder else {
            other = nil
            if case .elsewhere = state { return ask() }
            // Somebody else's hand: a hub that goes takes its own name only.
            return state == .held ? [.name] : []
        }
        guard holder.run != own.run else { return [] }
        if isRetained {
            // Even the name that this hub had before its restart may be that of a copy of it.
            if state != .held { other = holder }
            return []
        }
        switch state {
        case .away:
            other = holder
            return []
        case .asking, .elsewhere: return leave(to: holder)
        case .held:
            // Both took it at once, and both find the same of them. The other may have cleared what this one showed.
            return holder.run < own.run ? leave(to: holder) : take()
        }
    }

    private mutating func asked(_ question: Question) -> [Action] {
        if question.run == own.run {
            guard state == .asking, question.round == round, other == nil else { return [] }
            return take()
        }
        switch state {
        case .held: return [.name]
        case .asking:
            // Its question came first, so it is the one to take what is free; where it does not, the wait ends.
            other = other ?? Holder(run: question.run, host: "")
            return []
        case .away, .elsewhere: return []
        }
    }

    private mutating func waited(_ number: Int) -> [Action] {
        guard number == round else { return [] }
        return switch state {
        case .asking: take()
        case .elsewhere: ask()
        case .away, .held: []
        }
    }
}
