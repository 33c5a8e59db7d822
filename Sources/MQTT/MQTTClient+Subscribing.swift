extension MQTTClient {
    /// Listens to a topic filter, now and after every new connection, until the stream's reader goes.
    ///
    /// With a connection it returns once the broker has acknowledged, without one at once. A slow reader loses the oldest
    /// messages, counted in `droppedMessages`. Where filters overlap, a broker may send a message once for each of
    /// them, and every stream that matches it then gets it as often. A second stream for a filter makes the broker send
    /// its retained messages again, to both.
    /// - Parameters:
    ///   - filter: a topic, with `+` for any one level and `#` for all that follow.
    ///   - limit: how many unread messages are kept.
    ///   - qos: how surely messages come. A broker that keeps the session keeps those of `atLeastOnce` alone while the
    ///     client is away.
    ///   - showsRetained: messages that are published to be retained come with `isRetained` also while the client is
    ///     there; only a broker of version 5 can tell.
    /// - Throws: `MQTTError.invalidTopic`, `.subscriptionRefused` or `.closed`.
    package func messages(
        matching filter: String, bufferingNewest limit: Int = 256, qos: MQTTQoS = .atLeastOnce,
        showsRetained: Bool = false
    ) async throws -> AsyncStream<MQTTMessage> {
        guard Session.isFilter(filter) else { throw MQTTError.invalidTopic(filter) }
        guard state != .closed else { throw MQTTError.closed }
        let (stream, continuation) = AsyncStream<MQTTMessage>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let number = nextNumber()
        listeners[number] = Listener(
            filter: filter, qos: qos, showsRetained: showsRetained, continuation: continuation)
        for message in unclaimed.take(matching: filter) { continuation.yield(message) }
        continuation.onTermination = { [weak self] _ in Task { await self?.forgetListener(number) } }
        // What is asked for while the others are being subscribed is not among them.
        guard phase == .ready || phase == .subscribing else { return stream }
        do {
            try await withCheckedThrowingContinuation { subscribe(filter, waiter: $0) }
        } catch {
            continuation.finish()
            throw error
        }
        return stream
    }

    private func subscribe(_ filter: String, waiter: CheckedContinuation<Void, any Error>?) {
        guard let session else {
            waiter?.resume()
            return
        }
        do throws(MQTTError) {
            let wanting = listeners.values.filter { $0.filter == filter }
            let isSure = wanting.contains { $0.qos == .atLeastOnce }
            let id = try session.subscribe(
                filter, qos: isSure ? .atLeastOnce : .atMostOnce,
                showsRetained: wanting.contains(where: \.showsRetained))
            subscribing[id] = (filter, waiter)
        } catch {
            // Lost with the connection; the listener is subscribed at the next one.
            waiter?.resume()
            lose(error)
        }
    }

    /// The broker accepted the connection: asks for all that someone listens to.
    func subscribeAgain() {
        phase = .subscribing
        for filter in Set(listeners.values.map(\.filter)).sorted() where phase == .subscribing {
            subscribe(filter, waiter: nil)
        }
        if phase == .subscribing, subscribing.isEmpty { becomeReady() }
    }

    /// The broker answered a subscription; from 0x80 on it refused.
    func acknowledge(_ id: Int32, granted: Int32) {
        guard let (filter, waiter) = subscribing.removeValue(forKey: id) else { return }
        if granted >= 0x80 {
            waiter?.resume(throwing: MQTTError.subscriptionRefused(filter))
            // After a new connection nobody waits for the answer; the listener stays for the next one.
            if waiter == nil { say("the broker refused the subscription to \(filter)") }
        } else {
            waiter?.resume()
        }
        if phase == .subscribing, subscribing.isEmpty { becomeReady() }
    }

    private func forgetListener(_ number: Int) {
        guard let listener = listeners.removeValue(forKey: number) else { return }
        guard phase == .ready || phase == .subscribing,
            !listeners.values.contains(where: { $0.filter == listener.filter })
        else { return }
        // Failing means that the connection is gone, which the next turn notices.
        try? session?.unsubscribe(listener.filter)
    }

    func deliver(_ message: MQTTMessage) {
        var isHeard = false
        for listener in listeners.values where Session.matches(listener.filter, message.topic) {
            isHeard = true
            if case .dropped = listener.continuation.yield(message) { droppedMessages += 1 }
        }
        if !isHeard, !configuration.isCleanSession { unclaimed.keep(message) }
    }
}
