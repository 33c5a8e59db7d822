extension MQTTClient {
    /// Publishes a message.
    ///
    /// Without a connection a retained message is kept, the last one of each topic, and sent with the next connection;
    /// any other message is refused at once, so that its owner decides when to try again.
    /// - Returns: once the message is written (`atMostOnce`), acknowledged (`atLeastOnce`) or kept.
    /// - Throws: `MQTTError`, with `publishRefused` where the broker says that it did not take it, which only those of
    ///   version 5 do; or `CancellationError` when the task is cancelled; the message may then arrive all the same.
    @discardableResult
    package nonisolated func publish(_ message: MQTTMessage) async throws -> MQTTDelivery {
        guard let ticket = try await begin(message) else { return .buffered }
        return try await ticket.outcome()
    }

    /// Hands a message over, once there is a free slot, or keeps it.
    /// - Returns: what to wait with; nil where it is kept.
    private func begin(_ message: MQTTMessage) async throws -> DeliveryTicket? {
        guard Session.isTopic(message.topic) else { throw MQTTError.invalidTopic(message.topic) }
        guard message.payload.count <= 268_435_455 else {
            throw MQTTError.payloadTooLarge(bytes: message.payload.count)
        }
        while true {
            guard state != .closed else { throw MQTTError.closed }
            // A topic that still waits in the buffer goes on waiting, or an older value would come after this one.
            if message.isRetained, phase != .ready || buffer.contains(message.topic) {
                guard buffer.put(message) else { throw MQTTError.bufferFull }
                return nil
            }
            guard phase == .ready else { throw MQTTError.notConnected }
            if pending.count < configuration.maximumInFlight {
                let ticket = DeliveryTicket()
                handOver(message, ticket)
                return ticket
            }
            await waitForSlot()
            try Task.checkCancellation()
        }
    }

    /// Publishes text in UTF-8, see `publish(_:)`.
    @discardableResult
    package nonisolated func publish(
        _ text: String, to topic: String, qos: MQTTQoS = .atLeastOnce, isRetained: Bool = false
    ) async throws -> MQTTDelivery {
        try await publish(MQTTMessage(topic: topic, text: text, qos: qos, isRetained: isRetained))
    }

    /// Publishes many messages, as many under way at once as the configuration allows, and waits for all of them.
    ///
    /// Of two messages for one topic the last may come first.
    /// - Returns: what became of each, in their order; errors as of `publish(_:)`.
    package nonisolated func publish(all messages: [MQTTMessage]) async -> [Result<MQTTDelivery, any Error>] {
        typealias Outcome = Result<MQTTDelivery, any Error>
        return await withTaskGroup(of: (Int, Outcome).self) { group in
            var results = [Outcome](repeating: .failure(CancellationError()), count: messages.count)
            var next = min(max(1, configuration.maximumInFlight), messages.count)
            for index in 0..<next {
                group.addTask { (index, await self.outcome(of: messages[index])) }
            }
            while let (index, result) = await group.next() {
                results[index] = result
                guard next < messages.count else { continue }
                let following = next
                next += 1
                group.addTask { (following, await self.outcome(of: messages[following])) }
            }
            return results
        }
    }

    private func outcome(of message: MQTTMessage) async -> Result<MQTTDelivery, any Error> {
        do {
            return .success(try await publish(message))
        } catch {
            return .failure(error)
        }
    }

    private func handOver(_ message: MQTTMessage, _ ticket: DeliveryTicket?) {
        guard let session else {
            ticket?.settle(.failure(MQTTError.notConnected))
            return
        }
        do throws(MQTTError) {
            let id = try session.publish(message)
            pending[id] = Pending(message: message, order: nextNumber(), since: .now, ticket: ticket)
            // The library may have written it, and told so, during the call.
            processEvents()
        } catch {
            ticket?.settle(.failure(error))
            if case .connectionLost = error { lose(error) }
        }
    }

    /// The message with this number was written or answered.
    /// - Parameter reason: the broker's reason; from 0x80 on it did not take the message.
    func finish(_ id: Int32, reason: Int) {
        guard let done = pending.removeValue(forKey: id) else { return }
        if reason >= 0x80 {
            let error = MQTTError.publishRefused(
                topic: done.message.topic, code: reason, text: Session.reason(reason))
            noteRefusal(of: done.message.topic, error)
            done.ticket?.settle(.failure(error))
        } else {
            refusedTopics.remove(done.message.topic)
            done.ticket?.settle(.success(done.message.qos == .atMostOnce ? .sent : .acknowledged))
        }
        pump()
    }

    /// Says once for each topic that the broker does not take its messages; not for more than a few.
    private func noteRefusal(of topic: String, _ error: MQTTError) {
        guard refusedTopics.count < 10, refusedTopics.insert(topic).inserted else { return }
        log("\(configuration): \(error)")
    }

    /// Uses free slots: first for what waits in the buffer, then for whoever waits to publish.
    func pump() {
        while phase == .ready, pending.count < configuration.maximumInFlight, let message = buffer.pop() {
            handOver(message, nil)
        }
        let free = configuration.maximumInFlight - pending.count
        for _ in 0..<min(max(free, 0), slotWaiters.count) { slotWaiters.removeFirst().waiter.resume() }
    }

    private func waitForSlot() async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { slotWaiters.append((number, $0)) }
        } onCancel: {
            Task { await self.stopWaiting(number) }
        }
    }

    private func stopWaiting(_ number: Int) {
        guard let index = slotWaiters.firstIndex(where: { $0.id == number }) else { return }
        slotWaiters.remove(at: index).waiter.resume()
    }

    /// The session is over: retained messages go back to the buffer, unless a newer one is there; the rest is lost.
    func abandonPending(_ error: MQTTError) {
        let abandoned = pending.values.sorted { $0.order < $1.order }
        pending = [:]
        var kept = OfflineBuffer(limit: buffer.limit)
        for entry in abandoned where entry.message.isRetained { _ = kept.put(entry.message) }
        while let newer = buffer.pop() { _ = kept.put(newer) }
        buffer = kept
        for entry in abandoned {
            if entry.message.isRetained, error != .closed {
                entry.ticket?.settle(.success(.buffered))
            } else {
                entry.ticket?.settle(.failure(error))
            }
        }
        let waiting = slotWaiters
        slotWaiters = []
        for entry in waiting { entry.waiter.resume() }
    }
}
