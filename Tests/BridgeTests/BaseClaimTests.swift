import Foundation
import Testing

@testable import Bridge

/// Whose a base topic is, event by event.
@Suite("The claim to a base topic") struct BaseClaimTests {
    private let a = HubIdentity(run: "1", host: "attic")
    private let b = HubIdentity(run: "2", host: "barn")

    /// A hub that asks, and its question.
    private func asking(_ own: HubIdentity, after events: [BaseClaim.Event] = []) -> (BaseClaim, BaseClaim.Question) {
        var claim = BaseClaim(own)
        for event in events { _ = claim.handle(event) }
        let question = BaseClaim.Question(run: own.run, round: 1)
        #expect(claim.handle(.connected) == [.ask(question), .wait(1, .answer)])
        return (claim, question)
    }

    @Test("alone at the broker a hub has it as soon as its question comes back")
    func alone() {
        var (claim, question) = asking(a)
        #expect(claim.handle(.asked(question)) == [.name, .take])
        #expect(claim.state == .held)
    }

    @Test(
        "its own name of before may be its twin's, of the same host name and folder: a hub that was killed waits a moment"
    )
    func restart() {
        let before = HubIdentity(run: "0", host: "attic")
        var (claim, question) = asking(a, after: [.named(before, isRetained: true)])
        #expect(claim.handle(.asked(question)) == [])
        var (twin, _) = (claim, question)
        #expect(claim.handle(.waited(1)) == [.name, .take])
        #expect(twin.handle(.named(before, isRetained: false)) == [.leave(before), .wait(2, .look)])
    }

    @Test("a hub that holds it answers, and the one that asks leaves it alone")
    func held() {
        var (holder, own) = asking(a)
        _ = holder.handle(.asked(own))
        var (newcomer, question) = asking(b, after: [.named(a, isRetained: true)])
        #expect(newcomer.handle(.asked(question)) == [])
        #expect(holder.handle(.asked(question)) == [.name])
        #expect(newcomer.handle(.named(a, isRetained: false)) == [.leave(a), .wait(2, .look)])
        // Once is enough.
        #expect(newcomer.handle(.named(a, isRetained: false)) == [])
        #expect(newcomer.handle(.waited(1)) == [])
        #expect(newcomer.state == .elsewhere(a))
    }

    @Test("who is named and does not answer is gone")
    func silent() {
        var (claim, question) = asking(b, after: [.named(a, isRetained: true)])
        #expect(claim.handle(.asked(question)) == [])
        #expect(claim.handle(.waited(1)) == [.name, .take])
    }

    /// How a hub can go.
    enum Leaving: CaseIterable, Sendable { case clearing, dying, unseen }

    @Test("when the other is gone it is taken, however that went", arguments: Leaving.allCases)
    func takenOver(leaving: Leaving) {
        var (claim, _) = asking(b, after: [.named(a, isRetained: true)])
        _ = claim.handle(.named(a, isRetained: false))
        let event: BaseClaim.Event =
            switch leaving {
            case .clearing: .named(nil, isRetained: false)
            case .dying: .went
            case .unseen: .waited(2)
            }
        let question = BaseClaim.Question(run: "2", round: 3)
        #expect(claim.handle(event) == [.ask(question), .wait(3, .answer)])
        let answer = claim.handle(.asked(question))
        if leaving == .clearing {
            #expect(answer == [.name, .take])
        } else {
            // It may only be slow.
            #expect(answer == [])
            #expect(claim.handle(.waited(3)) == [.name, .take])
        }
    }

    @Test("a question without an echo, as where the access list forbids to read it, ends in time")
    func deaf() {
        var (claim, _) = asking(a)
        #expect(claim.handle(.waited(1)) == [.name, .take])
    }

    @Test("without a connection nothing is held, and the next one asks again")
    func connection() {
        var (claim, question) = asking(a)
        _ = claim.handle(.asked(question))
        #expect(claim.handle(.disconnected) == [])
        #expect(claim.state == .away)
        #expect(claim.handle(.waited(1)) == [])
        let again = BaseClaim.Question(run: "1", round: 2)
        #expect(claim.handle(.connected) == [.ask(again), .wait(2, .answer)])
        // The name that stands there is its own, or that of who took it meanwhile.
        #expect(claim.handle(.named(b, isRetained: true)) == [])
        #expect(claim.handle(.asked(again)) == [])
    }

    @Test("its name is put back when somebody takes it away")
    func nameIsPutBack() {
        var (claim, question) = asking(a)
        _ = claim.handle(.asked(question))
        #expect(claim.handle(.named(nil, isRetained: false)) == [.name])
        #expect(claim.handle(.named(a, isRetained: false)) == [])
    }

    @Test("two that took it at once find the same of them")
    func both() {
        let second = HubIdentity(run: "2", host: "barn")
        var (one, own) = asking(a)
        _ = one.handle(.asked(own))
        var (other, question) = asking(second)
        _ = other.handle(.asked(question))
        #expect(one.handle(.named(second, isRetained: false)) == [.name, .take])
        #expect(other.handle(.named(a, isRetained: false)) == [.leave(a), .wait(2, .look)])
    }

    @Test("whatever the order of three hubs' messages, one of them has it in the end", arguments: 0..<300)
    func anyOrder(seed: Int) {
        var chance = SplitMix(state: UInt64(seed))
        var broker = Broker(hubs: [a, b, HubIdentity(run: "3", host: "cellar")])
        for _ in 0..<400 { broker.step(&chance) }
        broker.settle(&chance)
        #expect(broker.holders == 1, "\(broker.claims.map(\.state))")
    }
}

/// A broker that keeps the order, with hubs that may be late to hear.
private struct Broker {
    var claims: [BaseClaim]
    private var inboxes: [[BaseClaim.Event]]
    private var waits: [[Int]]
    private var isThere: [Bool]
    private var retained: HubIdentity?

    init(hubs: [HubIdentity]) {
        claims = hubs.map { BaseClaim($0) }
        inboxes = hubs.map { _ in [] }
        waits = hubs.map { _ in [] }
        isThere = hubs.map { _ in false }
    }

    var holders: Int { claims.count { $0.state == .held } }

    mutating func step(_ chance: inout SplitMix) {
        let hub = Int.random(in: claims.indices, using: &chance)
        switch Int.random(in: 0..<20, using: &chance) {
        case 0: connect(hub)
        case 1: disconnect(hub)
        case 2: wait(hub)
        default: hear(hub)
        }
    }

    /// Everyone is there, and everything said is heard before anybody's patience ends.
    mutating func settle(_ chance: inout SplitMix) {
        for hub in claims.indices { connect(hub) }
        for _ in 0..<10 {
            while inboxes.contains(where: { !$0.isEmpty }) {
                hear(Int.random(in: claims.indices, using: &chance))
            }
            for hub in claims.indices { wait(hub) }
        }
        while inboxes.contains(where: { !$0.isEmpty }) { hear(Int.random(in: claims.indices, using: &chance)) }
    }

    private mutating func connect(_ hub: Int) {
        guard !isThere[hub] else { return }
        isThere[hub] = true
        if let retained { inboxes[hub].append(.named(retained, isRetained: true)) }
        inboxes[hub].append(.connected)
    }

    private mutating func disconnect(_ hub: Int) {
        guard isThere[hub] else { return }
        isThere[hub] = false
        inboxes[hub] = []
        waits[hub] = []
        act(hub, .disconnected)
    }

    private mutating func wait(_ hub: Int) {
        guard !waits[hub].isEmpty else { return }
        act(hub, .waited(waits[hub].removeFirst()))
    }

    private mutating func hear(_ hub: Int) {
        guard !inboxes[hub].isEmpty else { return }
        act(hub, inboxes[hub].removeFirst())
    }

    private mutating func act(_ hub: Int, _ event: BaseClaim.Event) {
        for action in claims[hub].handle(event) {
            switch action {
            case .ask(let question): tell(.asked(question))
            case .name:
                retained = claims[hub].own
                tell(.named(claims[hub].own, isRetained: false))
            case .wait(let number, _): waits[hub].append(number)
            case .take, .leave: continue
            }
        }
    }

    private mutating func tell(_ event: BaseClaim.Event) {
        for hub in claims.indices where isThere[hub] { inboxes[hub].append(event) }
    }
}
