import ThreadKit

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
        let ticket = DeliveryTicket()
        return try await ticket.outcome {
            executor.perform { [self] in assumeIsolated { $0.begin(message, ticket) } }
        }
    }

    /// Hands a message over, where there is a free slot, or lets it wait for one, or keeps it.
    private func begin(_ message: MQTTMessage, _ ticket: DeliveryTicket) {
        guard !ticket.isSettled else { return }
        settle((message, .one(ticket))) {
            if queue.isEmpty, pending.count < configuration.maximumInFlight {
                handOver(message, .one(ticket))
            } else {
                queue.append(message, ticket)
            }
        }
    }

    /// Keeps a message for the next connection, where it is to be kept.
    /// - Throws: `MQTTError` for one that can't be sent at all, or neither be sent now nor kept.
    private func keeps(_ message: MQTTMessage) throws(MQTTError) -> Bool {
        guard Session.isTopic(message.topic) else { throw .invalidTopic(message.topic) }
        guard message.payload.count <= 268_435_455 else { throw .payloadTooLarge(bytes: message.payload.count) }
        guard state != .closed else { throw .closed }
        // A topic that still waits in the buffer goes on waiting, or an older value would come after this one.
        if message.isRetained, phase != .ready || buffer.contains(message.topic) {
            guard buffer.put(message) else { throw .bufferFull }
            return true
        }
        guard phase == .ready else { throw .notConnected }
        return false
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
    /// They are handed over in their order.
    /// - Returns: what became of each, in their order; errors as of `publish(_:)`.
    package nonisolated func publish(all messages: [MQTTMessage]) async -> [Result<MQTTDelivery, any Error>] {
        let batch = DeliveryBatch(messages)
        return await batch.outcomes {
            executor.perform { [self] in assumeIsolated { $0.begin(batch) } }
        }
    }

    private func begin(_ batch: DeliveryBatch) {
        queue.append(batch)
        guard phase == .ready, let session else { return settleQueue(state == .closed ? .closed : .notConnected) }
        session.together { pump() }
    }

    /// Hands a message that may be sent to the library.
    private func handOver(_ message: MQTTMessage, _ waiter: DeliveryWaiter?) {
        guard let session else {
            waiter?.settle(.failure(MQTTError.notConnected))
            return
        }
        do throws(MQTTError) {
            let id = try session.publish(message)
            pending[id] = Pending(message: message, order: nextNumber(), since: .now, waiter: waiter)
            // The library may have written it, and told so, during the call.
            processEvents()
        } catch {
            waiter?.settle(.failure(error))
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
            done.waiter?.settle(.failure(error))
        } else {
            if !refusedTopics.isEmpty { refusedTopics.remove(done.message.topic) }
            done.waiter?.settle(.success(done.message.qos == .atMostOnce ? .sent : .acknowledged))
        }
    }

    /// Says once for each topic that the broker does not take its messages; not for more than a few.
    private func noteRefusal(of topic: String, _ error: MQTTError) {
        guard refusedTopics.count < 10, refusedTopics.insert(topic).inserted else { return }
        say(error.description)
    }

    /// Uses free slots: first for what waits in the buffer, then for whoever waits to publish.
    func pump() {
        // A message may be written, and its slot free again, before the call that sends it is over.
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while phase == .ready, pending.count < configuration.maximumInFlight {
            if let message = buffer.pop() {
                handOver(message, nil)
            } else if let due = queue.pop() {
                settle(due) { handOver(due.message, due.waiter) }
            } else {
                return
            }
        }
    }

    /// Keeps what is to be kept of the messages that wait for a slot, and refuses the others: there is no connection.
    private func settleQueue(_ error: MQTTError) {
        while let due = queue.pop() {
            if error == .closed { due.waiter.settle(.failure(error)) } else { settle(due) {} }
        }
    }

    /// Settles a message that is kept or can't be sent.
    private func settle(_ due: PublishQueue.Due, orSend send: () -> Void) {
        do throws(MQTTError) {
            if try keeps(due.message) { due.waiter.settle(.success(.buffered)) } else { send() }
        } catch {
            due.waiter.settle(.failure(error))
        }
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
                entry.waiter?.settle(.success(.buffered))
            } else {
                entry.waiter?.settle(.failure(error))
            }
        }
        settleQueue(error)
    }
}
