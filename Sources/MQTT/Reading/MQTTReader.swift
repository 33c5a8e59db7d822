import Foundation
import ThreadKit

/// Reads messages that count as taken only when their reader says so.
///
/// libmosquitto acknowledges a message before it hands it over, so what a program has not put into a safe place yet is
/// lost when the program ends. This reader acknowledges on demand; what is not acknowledged comes again, at the next
/// connection at the latest. It speaks MQTT 3.1.1, has a session that the broker keeps, and does nothing else.
///
/// ## Thread Safety
/// An actor on a thread of its own, on which it waits for the broker.
package actor MQTTReader {
    /// Who reads what.
    package struct Subscription: Sendable {
        /// The reader's name at the broker, under which it keeps what was not taken; one reader at a time has it.
        package var clientID: String
        /// The topics, with wildcards.
        package var filter: String
        /// The user to log in as.
        package var user: String?
        /// That user's password.
        package var password: String?

        /// Names reader and topics.
        package init(clientID: String, filter: String, user: String? = nil, password: String? = nil) {
            self.clientID = clientID
            self.filter = filter
            self.user = user
            self.password = password
        }
    }

    /// How a connection is made, within a time.
    package typealias Connector = @Sendable (MQTTPlace, Duration) throws(MQTTError) -> any ReaderConnection

    private let subscription: Subscription
    private let connector: Connector
    private let executor = ThreadExecutor(name: "mqtt-reader")
    private var socket: (any ReaderConnection)?
    private var bytes: [UInt8] = []
    private var waiting: [MQTTArrival] = []
    private var lastSent = ContinuousClock.now
    private var lastHeard = ContinuousClock.now

    /// How long a connection may take, and a broker may be silent after a question.
    private static let patience: Duration = .seconds(10)
    private static let keepAliveSeconds: UInt16 = 30

    /// The thread of its own.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a reader; nothing happens before `connect`.
    /// - Parameters:
    ///   - subscription: who reads what.
    ///   - connector: how a connection is made; nil for a plain one.
    package init(_ subscription: Subscription, over connector: Connector? = nil) {
        self.subscription = subscription
        self.connector = connector ?? Self.plain
    }

    private static let plain: Connector = { (place, wait) throws(MQTTError) in try PlainSocket(to: place, within: wait)
    }

    isolated deinit { executor.stop() }

    /// Connects and subscribes; ends an earlier connection.
    /// - Throws: `MQTTError`, or `CancellationError`.
    package func connect(to place: MQTTPlace) throws {
        drop()
        let socket = try connector(place, Self.patience)
        self.socket = socket
        do {
            try send(
                WirePacket.connect(
                    clientID: subscription.clientID, user: subscription.user, password: subscription.password,
                    keepAliveSeconds: Self.keepAliveSeconds))
            lastHeard = .now
            try wait(until: { if case .connected = $0 { true } else { false } })
            try send(WirePacket.subscribe(subscription.filter, number: 1))
            try wait(until: { if case .subscribed = $0 { true } else { false } })
        } catch {
            drop()
            throw error
        }
    }

    /// Waits for messages.
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - wait: how long for the first one; those that are there with it come too.
    /// - Returns: none where none came in time.
    /// - Throws: `MQTTError` when the connection broke, or `CancellationError`.
    package func next(atMost limit: Int, within wait: Duration) throws -> [MQTTArrival] {
        let deadline = ContinuousClock.now + wait
        do {
            while waiting.count < limit {
                let pause = waiting.isEmpty ? max(.zero, deadline - .now) : .zero
                guard try receive(within: pause) else { break }
                while try take() != nil {}
            }
            try keepAlive()
        } catch {
            drop()
            throw error
        }
        defer { waiting.removeFirst(min(limit, waiting.count)) }
        return Array(waiting.prefix(limit))
    }

    /// Says that messages are in a safe place.
    /// - Throws: `MQTTError` when the connection broke; the messages then come again.
    package func acknowledge(_ messages: [MQTTArrival]) throws {
        do {
            try send(messages.compactMap(\.number).flatMap(WirePacket.acknowledge))
        } catch {
            drop()
            throw error
        }
    }

    /// Says good-bye; what was not acknowledged comes again.
    package func disconnect() {
        try? send(WirePacket.disconnect)
        drop()
    }

    // MARK: - Private

    private func drop() {
        socket = nil
        bytes = []
        waiting = []
    }

    private func send(_ packet: [UInt8]) throws {
        guard let socket else { throw MQTTError.notConnected }
        guard !packet.isEmpty else { return }
        try socket.send(packet, within: Self.patience)
        lastSent = .now
    }

    /// Takes what comes until the answer that is waited for.
    private func wait(until isAnswer: (WirePacket.Incoming) -> Bool) throws {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            while let packet = try take() {
                if isAnswer(packet) { return }
            }
            guard try receive(within: deadline - .now) || ContinuousClock.now < deadline else {
                throw MQTTError.connectionLost("no answer from the broker")
            }
        }
    }

    /// Reads once.
    /// - Returns: whether anything came.
    private func receive(within wait: Duration) throws -> Bool {
        guard let socket else { throw MQTTError.notConnected }
        let end = ContinuousClock.now + wait
        // In short pieces, so that a task that is cancelled ends soon.
        repeat {
            try Task.checkCancellation()
            let piece = min(.milliseconds(200), max(.zero, end - .now))
            if let more = try socket.receive(within: piece) {
                bytes += more
                lastHeard = .now
                return true
            }
        } while ContinuousClock.now < end
        return false
    }

    private func take() throws -> WirePacket.Incoming? {
        let packet: WirePacket.Incoming?
        do {
            packet = try WirePacket.take(from: &bytes)
        } catch {
            throw MQTTError.connectionLost("the broker sent what is no MQTT")
        }
        switch packet {
        case .message(let arrival): waiting.append(arrival)
        case .connected(let code) where code != 0:
            let refusal = ProtocolVersion.refusal(code)
            throw MQTTError.refused(code: refusal.code, text: refusal.text)
        case .subscribed(let codes) where codes.contains { $0 >= 0x80 }:
            throw MQTTError.subscriptionRefused(subscription.filter)
        default: break
        }
        return packet
    }

    private func keepAlive() throws {
        let half = Duration.seconds(Double(Self.keepAliveSeconds) / 2)
        if lastSent + half <= .now || lastHeard + half <= .now && lastSent < lastHeard { try send(WirePacket.ping) }
        guard lastHeard + half + Self.patience > .now || lastSent <= lastHeard else {
            throw MQTTError.connectionLost("the broker is silent")
        }
    }
}
