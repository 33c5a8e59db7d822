import Foundation
import HubKit
import MQTT

/// Who else shows itself under the base topic.
extension MQTTBridge {
    private var hubTopic: String { "\(base)/hub" }
    private var questionTopic: String { "\(base)/hub/claim" }

    /// Finds out at each connection whose the base topic is, and shows everything there when it is this hub's.
    func followClaim() async {
        let (events, sink) = AsyncStream<BaseClaim.Event>.makeStream()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.hearHubs(sink) }
            group.addTask { await self.hearConnection(sink) }
            // A stream ends with the cancellation of its reader.
            for await event in events where !isStopping {
                for action in claim.handle(event) { perform(action, sink, in: &group) }
                if event == .disconnected { close() }
            }
            group.cancelAll()
        }
        _ = claim.handle(.disconnected)
        close()
    }

    /// Whether commands are for this hub, as soon as that is known.
    func takesCommands() async -> Bool {
        switch claim.state {
        case .held: return true
        case .elsewhere: return false
        // What came with the connection that is gone was meant for whom it was then.
        case .away where wasHeld: return true
        case .away, .asking:
            guard !Task.isCancelled else { return false }
            await withCheckedContinuation { deciding.append($0) }
            return claim.state == .held
        }
    }

    /// Whether something may be published under the base topic, as soon as that is known; without a connection the client
    /// says by itself that it can't.
    package func mayPublish() async -> Bool {
        if claim.state == .asking, !Task.isCancelled { await withCheckedContinuation { deciding.append($0) } }
        return claim.state == .held || claim.state == .away
    }

    /// The last will of a hub says that it is gone.
    func noteGone() { claimEvents?.yield(.went) }

    /// Takes this hub's name away: whoever waits for the base topic has it.
    func dropClaim() async {
        _ = try? await client.publish(MQTTMessage(topic: hubTopic, payload: [], isRetained: true))
    }

    // MARK: - In

    private func hearConnection(_ sink: AsyncStream<BaseClaim.Event>.Continuation) async {
        claimEvents = sink
        for await state in await client.states() {
            switch state {
            case .connected: sink.yield(.connected)
            case .disconnected, .closed: sink.yield(.disconnected)
            case .idle, .connecting: continue
            }
        }
    }

    private func hearHubs(_ sink: AsyncStream<BaseClaim.Event>.Continuation) async {
        do {
            let messages = try await client.messages(
                matching: "\(hubTopic)/#", qos: client.configuration.isCleanSession ? .atLeastOnce : .atMostOnce)
            for await message in messages {
                if let event = event(of: message) { sink.yield(event) }
            }
        } catch {
            // Without an answer the base topic is this hub's, after the wait for one.
            log.debug("other hubs can't be heard: \(plainWords(of: error))")
        }
    }

    private func event(of message: MQTTMessage) -> BaseClaim.Event? {
        let data = Data(message.payload.prefix(4096))
        switch message.topic {
        case hubTopic:
            let holder = try? JSONDecoder().decode(HubIdentity.self, from: data)
            return .named(holder, isRetained: message.isRetained)
        case questionTopic where !message.isRetained:
            return (try? JSONDecoder().decode(BaseClaim.Question.self, from: data)).map { .asked($0) }
        default: return nil
        }
    }

    // MARK: - Out

    private func perform(
        _ action: BaseClaim.Action, _ sink: AsyncStream<BaseClaim.Event>.Continuation,
        in group: inout DiscardingTaskGroup
    ) {
        switch action {
        case .ask(let question):
            group.addTask { await self.say(question) }
        case .wait(let number, let wait):
            let time = wait == .answer ? waits.answer : waits.look
            group.addTask {
                if (try? await Task.sleep(for: time)) != nil { sink.yield(.waited(number)) }
            }
        case .name:
            topics.isOpen = true
            topics.note(Self.json(claim.own) ?? "", at: hubTopic)
            group.addTask { await self.sayName() }
        case .take:
            open()
            // It may take its time; whoever asks meanwhile has to hear that somebody is there.
            group.addTask { await self.showAll() }
        case .leave(let holder): leave(to: holder)
        }
    }

    private func sayName() async { await topics.restore(hubTopic) }

    private func say(_ question: BaseClaim.Question) async {
        guard let text = Self.json(question) else { return }
        _ = try? await client.publish(text, to: questionTopic)
    }

    private static func json(_ value: some Encodable) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func open() {
        topics.isOpen = true
        wasHeld = true
        if toldHolder != nil { log.notice("the other hub is gone: '\(base)' is this hub's from now on") }
        toldHolder = nil
        decide()
    }

    private func showAll() async {
        topics.note("online", at: statusTopic)
        await topics.publishAll(first: statusTopic)
        let old = strangers
        strangers = []
        for topic in old.sorted() where !topics.has(topic) { await clear(topic) }
    }

    private func leave(to holder: HubIdentity) {
        topics.isOpen = false
        wasHeld = false
        if toldHolder != holder {
            log.warning(
                "another hub, on \(holder.host.shown(40)), shows itself under '\(base)' at this broker: this one shows nothing there and takes no commands until that one is gone; give one of them another base topic ('base:' under 'mqtt:', --base of a demo)"
            )
        }
        toldHolder = holder
        decide()
    }

    private func close() {
        topics.isOpen = false
        strangers = []
        decide()
    }

    private func decide() {
        let waiting = deciding
        deciding = []
        for waiter in waiting { waiter.resume() }
    }
}
